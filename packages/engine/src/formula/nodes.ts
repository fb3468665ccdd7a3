import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { ERROR_CODES, type ErrorCode } from '../value/errors.ts';
import type {
  AreaNode,
  BooleanNode,
  CellNode,
  Coordinate,
  ErrorNode,
  MissingNode,
  NameNode,
  Node,
  SheetPart,
  TableItem,
  TableNode,
} from './ast.ts';

/*
 * Every node must be built by these functions, or as a literal with the same order of properties, so that equal trees
 * have equal JSON texts.
 */

export const MISSING: MissingNode = Object.freeze({ k: 'missing' });
export const TRUE: BooleanNode = Object.freeze({ k: 'boolean', value: true });
export const FALSE: BooleanNode = Object.freeze({ k: 'boolean', value: false });

const ERRORS: ReadonlyMap<string, ErrorNode> = new Map(
  ERROR_CODES.map((code) => [code, Object.freeze({ k: 'error', code })]),
);

export function createErrorNode(code: ErrorCode): ErrorNode {
  return ERRORS.get(code)!;
}

export const REF_ERROR = createErrorNode('#REF!');

/** Maximum absolute offset for which a shared object exists. Most references are near their formula. */
const NEAR = 256;
const NEAR_OFFSETS: readonly Coordinate[] = Array.from({ length: 2 * NEAR + 1 }, (_, i) =>
  Object.freeze({ at: i - NEAR, absolute: false }),
);

/** A row or column: zero-based if absolute, else an offset. */
export function createCoordinate(line: number, absolute: boolean): Coordinate {
  if (!absolute && line >= -NEAR && line <= NEAR) return NEAR_OFFSETS[line + NEAR]!;
  return { at: line, absolute };
}

export function createCellNode(sheet: SheetPart | undefined, row: Coordinate, column: Coordinate): CellNode {
  return sheet === undefined ? { k: 'cell', row, column } : { k: 'cell', sheet, row, column };
}

const FIRST: Coordinate = Object.freeze({ at: 0, absolute: true });
/** The bottom of whole columns and of areas open at the bottom. */
const LAST_ROW: Coordinate = Object.freeze({ at: MAX_ROWS - 1, absolute: true });
/** The right side of whole rows. */
const LAST_COLUMN: Coordinate = Object.freeze({ at: MAX_COLUMNS - 1, absolute: true });

/**
 * Creates the node of an area. Corners of the same kind (both `$` or both relative) must be in order; corners of
 * different kinds may be in any order.
 */
export function createAreaNode(
  sheet: SheetPart | undefined,
  top: Coordinate,
  left: Coordinate,
  bottom: Coordinate,
  right: Coordinate,
): AreaNode {
  return sheet === undefined ? { k: 'area', top, left, bottom, right } : { k: 'area', sheet, top, left, bottom, right };
}

/** Creates the node of whole columns (`A:C`). Its rows are all rows of the sheet, absolute. */
export function createColumnsNode(sheet: SheetPart | undefined, left: Coordinate, right: Coordinate): AreaNode {
  return { ...createAreaNode(sheet, FIRST, left, LAST_ROW, right), whole: 'columns' };
}

/** Creates the node of whole rows (`2:4`). Its columns are all columns of the sheet, absolute. */
export function createRowsNode(sheet: SheetPart | undefined, top: Coordinate, bottom: Coordinate): AreaNode {
  return { ...createAreaNode(sheet, top, FIRST, bottom, LAST_COLUMN), whole: 'rows' };
}

/** Creates the node of an area open at the bottom (`A2:C`). Its bottom is the sheet's last row, absolute. */
export function createOpenAreaNode(
  sheet: SheetPart | undefined,
  top: Coordinate,
  left: Coordinate,
  right: Coordinate,
): AreaNode {
  return { ...createAreaNode(sheet, top, left, LAST_ROW, right), open: true };
}

export function createNameNode(name: string, sheet?: SheetPart): NameNode {
  return sheet === undefined ? { k: 'name', name } : { k: 'name', name, sheet };
}

export function createTableNode(table: string, items: readonly TableItem[], from?: string, to?: string): TableNode {
  if (from === undefined) return { k: 'table', table, items };
  return to === undefined ? { k: 'table', table, items, from } : { k: 'table', table, items, from, to };
}

/**
 * Functions that files use for ranges without blank edges, and their marks: the API writes them as ranges with dots,
 * `A1.:A9`, `A1:.A9`, `A1.:.A9`. Source: Microsoft, “TRIMRANGE function”, trim references.
 */
export const TRIM_MARKS: ReadonlyMap<string, string> = new Map([
  ['_TRO_LEADING', '.:'],
  ['_TRO_TRAILING', ':.'],
  ['_TRO_ALL', '.:.'],
]);

/** A range that leaves out the blank rows and columns at its start, its end, or both. */
export function createTrimNode(range: Node, start: boolean, end: boolean): Node {
  if (!start && !end) return range;
  return { k: 'call', name: start && end ? '_TRO_ALL' : start ? '_TRO_LEADING' : '_TRO_TRAILING', args: [range] };
}

/**
 * True if a node can be an operand of a reference operator. Whether its value is a reference is known only during
 * calculation.
 */
export function canBeReference(node: Node): boolean {
  switch (node.k) {
    case 'number':
    case 'text':
    case 'boolean':
    case 'missing':
    case 'array':
    case 'invalid':
      return false;
    case 'unary':
      return node.op === '#' || node.op === '@';
    case 'binary':
      return node.op === ':' || node.op === 'union' || node.op === 'intersect';
    default:
      return true;
  }
}
