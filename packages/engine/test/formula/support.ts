import type { Node } from '../../src/formula/ast.ts';
import { FILE, type FormulaCell, type Grammar, parse, print, transformTree, WIRE } from '../../src/formula/index.ts';
import { FILE_NAMES } from '../../src/functions/file-names.ts';

/** Sheets by id. Some of the names need quotes or look like cells. */
export const SHEETS = [
  'Sheet1',
  'Sheet2',
  "It's",
  'a b',
  'a:b [1]',
  '2024',
  'Лист1',
  'R1C1',
  'TRUE',
  'x!y',
  '[x]y',
  '😀',
];

export const NAMES = {
  findSheetId: (name: string) => SHEETS.findIndex((sheet) => sheet.toLowerCase() === name.toLowerCase()),
  getSheetName: (id: number) => SHEETS[id] ?? null,
  isTable: (name: string) => name.toLowerCase() === 'sales',
};

/** D5 is far enough from the edges for offsets in all directions. */
export const D5: FormulaCell = { row: 4, column: 3 };

export function parseWire(text: string, cell: FormulaCell = D5): Node {
  return parse(text, WIRE, cell, NAMES);
}

export function parseFile(text: string, cell: FormulaCell = D5): Node {
  return parse(text, FILE, cell, NAMES);
}

export function printNode(node: Node, grammar: Grammar = WIRE, cell: FormulaCell = D5): string {
  return print(node, grammar, cell, NAMES);
}

export function printStored(node: Node, cell: FormulaCell = D5): string {
  return print(node, FILE, cell, NAMES, { file: FILE_NAMES });
}

/** Returns the error message of a formula that cannot be parsed. Fails for other formulas. */
export function getAdvice(node: Node): string {
  if (node.k !== 'invalid') throw new Error(`read as ${JSON.stringify(node)}`);
  return node.message;
}

/** Returns a tree without its parentheses, which do not change its meaning. */
export function removeParentheses(node: Node): Node {
  return transformTree(node, (next) => (next.k === 'parentheses' ? next.arg : next));
}
