import type { Node } from './ast.ts';
import { COMMA, DOT, EQUALS, isBlank, isWordPart, RIGHT_PARENTHESIS, SEMICOLON } from './characters.ts';
import type { Grammar } from './grammar.ts';
import { MAX_NESTING } from './nesting.ts';
import { MISSING } from './nodes.ts';

/** Names of a workbook that decide how words are parsed. */
export interface ParseNames {
  /** Returns the id of a sheet by its name in any letter case; -1 if there is none. */
  findSheetId(name: string): number;
  /** True if a bare word is a table, which is then read as `Table1[]`. */
  isTable?(name: string): boolean;
}

/** The cell of a formula, zero-based. */
export interface FormulaCell {
  readonly row: number;
  readonly column: number;
}

/**
 * Maximum height of a tree; each operator of a chain adds one. A formula of 8,192 characters has at most 4,096
 * operators. Functions that walk a tree follow such chains in a loop.
 */
const MAX_TREE_HEIGHT = 4_200;

/**
 * Positions of the relative coordinates in a text; see `Skeleton`. Four numbers each, in the order of the text: start,
 * end, `ROW_AXIS` or `COLUMN_AXIS`, and the offset from the formula's cell. It is a flat list because nearly every
 * formula has some.
 */
export type CoordinateSpans = number[];
export const SPAN_FIELDS = 4;
export const ROW_AXIS = 0;
export const COLUMN_AXIS = 1;

/**
 * The state of one parse: a cursor over UTF-16 units. The first error moves the cursor to the end, which ends the
 * parse.
 */
export class Scan {
  readonly text: string;
  readonly grammar: Grammar;
  readonly place: FormulaCell;
  readonly names: ParseNames;
  readonly end: number;
  readonly decimal: number;
  readonly separator: number;
  readonly unionMark: number;
  pos: number;
  problem: string | null = null;
  brackets = 0;
  /** True if the parse ended because the formula is nested too deeply. */
  tooDeep = false;
  /** Height of the last tree that was parsed. */
  height = 0;
  /** True if the argument separator joins references in this position, as it does directly within brackets. */
  separatorJoins: boolean;
  /** Receives the relative coordinates; null if they are not needed. */
  spans: CoordinateSpans | null = null;

  constructor(text: string, grammar: Grammar, cell: FormulaCell, names: ParseNames) {
    this.text = text;
    this.grammar = grammar;
    this.place = cell;
    this.names = names;
    this.end = text.length;
    this.decimal = grammar.decimal.charCodeAt(0);
    this.separator = grammar.argument.charCodeAt(0);
    this.unionMark = grammar.union.charCodeAt(0);
    // At the top level of a formula the separator has no other meaning, so it may join areas. Only the grammar of files
    // uses the separator as the union operator.
    this.separatorJoins = this.unionMark === this.separator;
    this.pos = text.charCodeAt(0) === EQUALS ? 1 : 0;
  }
}

/** The character code at a position; 0 at the end. */
export function getCodeAt(s: Scan, position: number): number {
  return position < s.end ? s.text.charCodeAt(position) : 0;
}

export function getCurrentCode(s: Scan): number {
  return s.pos < s.end ? s.text.charCodeAt(s.pos) : 0;
}

/** The first position that is not a blank, from the given position on. */
export function skipBlanksFrom(s: Scan, position: number): number {
  let p = position;
  while (isBlank(getCodeAt(s, p))) p++;
  return p;
}

export function skipBlanks(s: Scan): void {
  if (isBlank(getCurrentCode(s))) s.pos = skipBlanksFrom(s, s.pos);
}

/** The end of the word that begins at a position. */
export function findWordEnd(s: Scan, position: number): number {
  let p = position;
  while (isWordPart(getCodeAt(s, p))) p++;
  return p;
}

/** Ends the parse with an error. Keeps only the first error, because later ones are its consequences. */
export function failParse(s: Scan, message: string): Node {
  s.problem ??= message;
  s.pos = s.end;
  return MISSING;
}

/** Ends the parse because the formula is nested too deeply. */
export function failTooDeep(s: Scan): Node {
  if (s.problem === null) s.tooDeep = true;
  return failParse(s, `the formula is nested too deeply: more than ${MAX_NESTING} levels`);
}

/** Returns the height of a node whose children have the given height. Ends the parse if the tree is too high. */
export function addHeight(s: Scan, height: number): number {
  if (height >= MAX_TREE_HEIGHT) failTooDeep(s);
  return height + 1;
}

/** Returns the height of a tree with one more operator in a chain. Ends the parse if the tree is too high. */
export function addChainHeight(s: Scan, height: number): number {
  if (height >= MAX_TREE_HEIGHT)
    failParse(s, `the formula has too many operators: more than ${MAX_TREE_HEIGHT} in a row`);
  return height + 1;
}

/** Describes a position for users; the leading `=` is character 1. */
export function describePosition(s: Scan, position: number): string {
  return `character ${position + (s.text.charCodeAt(0) === EQUALS ? 1 : 2)}`;
}

const USE_SEMICOLON = 'use `;` between arguments and a decimal comma';
export const USE_COMMA = 'use `,` between arguments and a decimal dot';
export const USE_DECIMAL_COMMA = 'use a decimal comma: `1,5`, not `1.5`';

/** Ends the parse at an unexpected character, with advice for common mistakes. */
export function failUnexpected(s: Scan): Node {
  if (s.pos >= s.end) return failParse(s, 'the formula ends where a value is expected');
  const code = getCurrentCode(s);
  if (code === COMMA && s.separator === SEMICOLON) return failParse(s, USE_SEMICOLON);
  if (code === SEMICOLON && s.separator === COMMA) return failParse(s, USE_COMMA);
  if (code === DOT && s.decimal === COMMA) return failParse(s, USE_DECIMAL_COMMA);
  const where = describePosition(s, s.pos);
  if (code === RIGHT_PARENTHESIS && s.brackets === 0) return failParse(s, `the \`)\` at ${where} closes no bracket`);
  const mark = String.fromCodePoint(s.text.codePointAt(s.pos)!);
  if ('“”„«»'.includes(mark)) return failParse(s, `use straight quotes \`"\` around texts, not \`${mark}\` (${where})`);
  return failParse(s, `\`${mark}\` is not expected at ${where}`);
}
