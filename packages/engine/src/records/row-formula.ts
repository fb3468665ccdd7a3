import type { Node, SheetPart } from '../formula/ast.ts';
import {
  createAreaNode,
  createCellNode,
  createCoordinate,
  hasMatchingNode,
  parse,
  print,
  transformTree,
  WIRE,
} from '../formula/index.ts';
import { findCallable } from '../functions/catalogue.ts';
import { columnName } from '../grid/a1.ts';
import { MAX_COLUMNS } from '../grid/limits.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import { columnKey, type Region } from './region.ts';

/** A problem with a formula, as a sentence. */
export interface FormulaProblem {
  readonly kind: 'problem';
  readonly message: string;
}

/** A formula that is evaluated for each record. Its references are relative to the first record. */
interface RowFormula {
  readonly kind: 'formula';
  readonly text: string;
  /** The zero-based column of the formula: the column after the records if the grid has one. */
  readonly column: number;
}

/**
 * Parses a formula that is evaluated for each record. It is parsed as if it were in a cell next to the first record, on
 * a sheet that replaces the sheet of the records. `[Sum]` and `[@Sum]` mean the cell of the record, and references
 * without a sheet name mean the sheet of the records.
 */
export function parseRowFormula(snapshot: Snapshot, region: Region, text: string): RowFormula | FormulaProblem {
  const last = region.columns.at(-1)?.column ?? -1;
  const place = { row: region.header + 1, column: Math.min(last + 1, MAX_COLUMNS - 1) };
  const node = parse(text, WIRE, place, { findSheetId: (name) => snapshot.sheetByName(name)?.id ?? -1 });
  if (node.k === 'invalid') return { kind: 'problem', message: node.message };
  const sheet: SheetPart = { id: region.sheet };
  let problem = null as string | null;
  const rewritten = transformTree(node, (next) => {
    if (next.k === 'table' && next.table === '') {
      const cells = toRecordCells(region, sheet, next);
      if (typeof cells !== 'string') return cells;
      problem ??= cells;
      return next;
    }
    return (next.k === 'cell' || next.k === 'area') && next.sheet === undefined ? { ...next, sheet } : next;
  });
  if (problem !== null) return { kind: 'problem', message: problem };
  const names = { getSheetName: (id: number) => snapshot.sheetById(id)?.name ?? null };
  return { kind: 'formula', text: `=${print(rewritten, WIRE, place, names).replace(/^=/, '')}`, column: place.column };
}

/** Kinds of nodes that may read cells. */
const READING: ReadonlySet<Node['k']> = new Set(['cell', 'area', 'name', 'table', 'apply', 'cached', 'invalid']);

/**
 * True if a formula has the same value for every record, because no part of it reads a cell or depends on its position.
 */
export function isConstantFormula(text: string): boolean {
  const node = parse(text, WIRE, { row: 0, column: 0 }, { findSheetId: () => -1 });
  return !hasMatchingNode(node, (next) => READING.has(next.k) || (next.k === 'call' && dependsOnContext(next.name)));
}

/** True if a function's result may depend on anything besides its arguments. */
function dependsOnContext(name: string): boolean {
  const traits = findCallable(name);
  if (traits === undefined) return true;
  const { volatile = false, indirect = false, positional = false, structural = false, unavailable = false } = traits;
  return volatile || indirect || positional || structural || unavailable;
}

/**
 * Returns the cells of one record for `[Sum]` or `[[Sum]:[Paid]]`; a text that describes the problem if there are none.
 */
function toRecordCells(region: Region, sheet: SheetPart, node: Extract<Node, { k: 'table' }>): Node | string {
  const { items, from, to } = node;
  if (from === undefined || items.some((item) => item !== 'thisRow'))
    return 'Name a column of the record, such as [Sum]';
  const [first, last] = [from, to ?? from].map((name) => {
    const key = columnKey(name);
    return region.columns.find((column) => column.key === key);
  });
  if (first === undefined || last === undefined) return `There is no column "${first === undefined ? from : to}"`;
  const row = createCoordinate(0, false);
  const [left, right] = [first, last].map(({ column }) => createCoordinate(column, true)) as [
    RowCoordinate,
    RowCoordinate,
  ];
  if (to === undefined) return createCellNode(sheet, row, left);
  if (first.column > last.column) return `${columnName(first.column)} stands after ${columnName(last.column)}`;
  return createAreaNode(sheet, row, left, row, right);
}

type RowCoordinate = ReturnType<typeof createCoordinate>;
