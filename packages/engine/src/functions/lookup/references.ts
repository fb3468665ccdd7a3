import { cellText, columnName } from '../../grid/a1.ts';
import { height, width } from '../../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import { NUMBER } from '../../sheet/cell-kind.ts';
import { type CellError, NA, REF, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define, defineVariadic, withTraits } from '../define.ts';
import { TypedElements } from '../elements/typed-elements.ts';
import { pickElement } from '../formats.ts';
import { readAsMatrix } from '../invoke.ts';
import { runInSteps } from '../run-in-steps.ts';
import {
  buildMatrix,
  createSubReference,
  measureValue,
  pickColumns,
  pickRows,
  readFullMatrix,
  transposeMatrix,
} from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Lambda, Matrix, Reference, type SheetArea, type Value } from '../value.ts';

/** The row and column arguments of INDEX; 0 means all. */
interface PickedLine {
  readonly row: number;
  readonly column: number;
}

/**
 * Parses the row and column of INDEX. A single index counts along a single row or column, and selects a row in anything
 * larger.
 */
function pickLines(
  rows: number,
  columns: number,
  row: number | undefined,
  column: number | undefined,
): PickedLine | CellError {
  const single = column === undefined && rows === 1 && columns > 1;
  const at = single ? { row: 1, column: row ?? 0 } : { row: row ?? 0, column: column ?? (columns === 1 ? 1 : 0) };
  if (single && row === 0) return { row: 0, column: 0 };
  if (at.row < 0 || at.column < 0) return VALUE;
  return at.row > rows || at.column > columns ? REF : at;
}

/** INDEX of a range: a reference to the picked cell, row or column. */
function pickFromArea(area: SheetArea, picked: PickedLine): Value {
  const top = picked.row === 0 ? area.top : area.top + picked.row - 1;
  const left = picked.column === 0 ? area.left : area.left + picked.column - 1;
  return (
    createSubReference(area, top, left, picked.row === 0 ? height(area) : 1, picked.column === 0 ? width(area) : 1) ??
    REF
  );
}

/** INDEX of an array: the picked element, row or column. */
function pickFromMatrix(context: FunctionContext, matrix: Matrix, picked: PickedLine): Value {
  if (picked.row > 0 && picked.column > 0) return pickElement(context, matrix, picked.row - 1, picked.column - 1);
  if (picked.row === 0 && picked.column === 0) return matrix;
  if (picked.row > 0) return pickRows(context, matrix, [picked.row - 1]);
  return pickColumns(context, matrix, [picked.column - 1]);
}

const INDEX = define(
  'lookup',
  'INDEX',
  ['value', 'integer?', 'integer?', 'integer?'],
  (context, array, row, column, area = 1) => {
    if (isError(array)) return array;
    if (array instanceof Reference) {
      if (area < 1) return VALUE;
      const chosen = array.areas[area - 1];
      if (!chosen) return REF;
      const at = pickLines(height(chosen), width(chosen), row, column);
      return isError(at) ? at : pickFromArea(chosen, at);
    }
    if (area !== 1) return area < 1 ? VALUE : REF;
    const matrix = readAsMatrix(context, array);
    const at = pickLines(matrix.rows, matrix.columns, row, column);
    return isError(at) ? at : pickFromMatrix(context, matrix, at);
  },
  { refersTo: 'part', picks: 'element', manyCells: true, arrays: [0] },
);

/** Converts a height or width to an integer of at least 1. */
function toSize(value: number): number {
  return Math.trunc(value) || Math.sign(value);
}

const OFFSET = define(
  'lookup',
  'OFFSET',
  ['reference', 'integer', 'integer', 'number??', 'number??'],
  (_, reference, rows, columns, tall, wide) => {
    if (reference.areas.length > 1) return VALUE;
    const [area] = reference.areas;
    const down = tall === undefined ? height(area) : toSize(tall);
    const across = wide === undefined ? width(area) : toSize(wide);
    if (down === 0 || across === 0) return REF;
    // A negative height or width extends upwards or to the left from the shifted corner.
    const top = area.top + rows + (down < 0 ? down + 1 : 0);
    const left = area.left + columns + (across < 0 ? across + 1 : 0);
    return createSubReference(area, top, left, Math.abs(down), Math.abs(across)) ?? REF;
  },
  { indirect: true, refersTo: 'offset', picks: 'element', referenceArrays: 'given', manyCells: true },
);

const PADDED_ROW = /(?<![0-9])0+(?=[1-9])/g;

/** Removes zeros before row numbers (`A01`), which INDIRECT accepts and formulas do not. */
function removeLeadingZeros(text: string): string {
  const cells = text.lastIndexOf('!') + 1;
  return text.slice(0, cells) + text.slice(cells).replace(PADDED_ROW, '');
}

const INDIRECT = define(
  'lookup',
  'INDIRECT',
  ['text', 'boolean??'],
  (context, text, a1 = true) => {
    if (text === '') return REF;
    const value = context.workbook.resolveText(text, a1);
    if (value !== REF) return value;
    const plain = removeLeadingZeros(text);
    return plain === text ? REF : context.workbook.resolveText(plain, a1);
  },
  { indirect: true, picks: 'element', referenceArrays: 'given', manyCells: true },
);

/**
 * Defines ROW or COLUMN: the number of the given cell or of the formula's own cell, or an array for several cells. For
 * a fixed array formula, “own cell” means its whole area (Microsoft, “COLUMN function”).
 */
function definePosition(name: string, byRow: boolean): FunctionSpec {
  return define('lookup', name, ['value??'], (context, value) => {
    if (value === undefined) {
      const { sheet, row, column } = context;
      const arrayArea = context.workbook.findArrayArea(sheet, row, column);
      return arrayArea ? listPositions(context, arrayArea, byRow) : (byRow ? row : column) + 1;
    }
    if (isError(value)) return value;
    if (!(value instanceof Reference)) return VALUE;
    return value.areas.length > 1 ? REF : listPositions(context, value.areas[0], byRow);
  });
}

/** The one-based row or column numbers of an area: an array, or a number if there is only one. */
function listPositions(context: FunctionContext, area: SheetArea, byRow: boolean): Value {
  const first = byRow ? area.top : area.left;
  const count = byRow ? height(area) : width(area);
  if (count === 1) return first + 1;
  if (!byRow) return buildMatrix(context, 1, count, (_, c) => first + c + 1);
  context.spendElements(count, true);
  const numbers = context.takeNumbers(count);
  runInSteps(context, count, (from, to) => {
    for (let i = from; i < to; i++) numbers[i] = first + i + 1;
  });
  return new Matrix(count, 1, TypedElements.ofKind(numbers, NUMBER));
}

/** Defines ROWS or COLUMNS: the size of a range, not clipped to filled cells, or of an array. */
function defineExtent(name: string, byRow: boolean): FunctionSpec {
  const measure = (value: Value) => {
    if (isError(value)) return value;
    if (value instanceof Lambda || typeof value === 'string' || value === null) return VALUE;
    if (value instanceof Reference && value.areas.length > 1) return REF;
    const { rows, columns } = measureValue(value);
    return byRow ? rows : columns;
  };
  return define('lookup', name, ['value'], (_, value) => measure(value), { measures: 'size' });
}

const PLAIN_SHEET = /^(?:\[[^\]]*\])?[\p{L}_][\p{L}\p{N}_.]*$/u;
const LOOKS_LIKE_CELL = /^([A-Za-z]{1,3}[0-9]+|[Rr][0-9]*([Cc][0-9]*)?|[Cc][0-9]*)$/;

/** The sheet name before an address, with quotes if necessary and `!`; empty for no name. */
function formatSheetPrefix(name: string | undefined): string {
  if (name === undefined) return '';
  if (name === '' || (PLAIN_SHEET.test(name) && !LOOKS_LIKE_CELL.test(name))) return `${name}!`;
  return `'${name.replaceAll("'", "''")}'!`;
}

/** Returns the result of ADDRESS. Kind 1: absolute; 2: absolute row; 3: absolute column; 4: relative. */
function formatAddress(row: number, column: number, kind: number, a1: boolean): string {
  const fixedRow = kind === 1 || kind === 2;
  const fixedColumn = kind === 1 || kind === 3;
  if (!a1) return `R${fixedRow ? row : `[${row}]`}C${fixedColumn ? column : `[${column}]`}`;
  if (kind === 4) return cellText(row - 1, column - 1);
  return `${fixedColumn ? '$' : ''}${columnName(column - 1)}${fixedRow ? '$' : ''}${row}`;
}

const ADDRESS = define(
  'lookup',
  'ADDRESS',
  ['integer', 'integer', 'integer??', 'boolean??', 'text??'],
  (_, row, column, kind = 1, a1 = true, sheet?) => {
    if (row < 1 || column < 1 || row > MAX_ROWS || column > MAX_COLUMNS) return VALUE;
    if (kind < 1 || kind > 4) return VALUE;
    return formatSheetPrefix(sheet) + formatAddress(row, column, kind, a1);
  },
);

/** FORMULATEXT: the text of a cell's formula; `#N/A` for a cell without one. */
function readFormulaText(context: FunctionContext, sheet: number, row: number, column: number): Scalar {
  return context.workbook.getFormulaText(sheet, row, column) ?? NA;
}

const FORMULATEXT = define(
  'lookup',
  'FORMULATEXT',
  ['reference'],
  (context, reference) => {
    const [area] = reference.areas;
    const { rows, columns } = measureValue(reference);
    if (rows === 1 && columns === 1) return readFormulaText(context, area.sheet, area.top, area.left);
    return buildMatrix(context, rows, columns, (r, c) =>
      readFormulaText(context, area.sheet, area.top + r, area.left + c),
    );
  },
  { structural: true, positional: true },
);

export const REFERENCES: readonly FunctionSpec[] = [
  INDEX,
  OFFSET,
  INDIRECT,
  ADDRESS,
  withTraits(definePosition('ROW', true), { manyCells: true, positional: true, measures: 'row' }),
  withTraits(definePosition('COLUMN', false), { manyCells: true, positional: true, measures: 'column' }),
  withTraits(defineExtent('ROWS', true), { distinct: 'counted' }),
  defineExtent('COLUMNS', false),
  define('lookup', 'AREAS', ['reference'], (_, reference) => reference.areas.length),
  define(
    'lookup',
    'TRANSPOSE',
    ['value'],
    (context, value) => {
      const matrix = readFullMatrix(context, value);
      return isError(matrix) ? matrix : transposeMatrix(context, matrix);
    },
    { picks: 'element', manyCells: true, calculatesArrays: true },
  ),
  FORMULATEXT,
  define('lookup', 'HYPERLINK', ['text', 'any??'], (_, link, name) => (name === undefined ? link : name)),
  // This engine has no pivot tables, so that every reference to one is invalid.
  defineVariadic('lookup', 'GETPIVOTDATA', ['value', 'value'], ['value'], () => REF, { unavailable: true }),
];
