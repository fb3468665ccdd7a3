import type { AreaNode, Node } from '../../formula/ast.ts';
import type { Environment } from '../../functions/forms/environment.ts';
import { Matrix, Reference, type SheetArea, type Value } from '../../functions/value.ts';
import { CALC } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { countRows } from '../comparisons/range-conditions.ts';
import type { Evaluation } from '../evaluation.ts';
import { applyToScalars } from '../operators.ts';
import { compileArea } from '../references.ts';
import type { ElementArray, PickedKind } from './array-index.ts';
import type { ReadElements, SelectElements } from './element-conditions.ts';

/** Calculates a call, or an argument of a call; null if it must be calculated from whole arrays. */
export type SelectedValue = (e: Evaluation, env: Environment | null) => Value | null;

/** Number of first elements whose formats a result can take. */
const LEADING_ROWS = 2;

/** Compiles an array of the selected elements of an array. Formulas that select the same rows share it. */
export function compilePickedElements(
  select: SelectElements,
  readArray: ReadElements,
  kind: PickedKind,
): SelectedValue {
  const pick = PICKERS[kind];
  return (e, env) => {
    const selection = select(e, env);
    const array = selection && readArray(e, env);
    if (selection === null || array === null || array.length !== selection.length) return null;
    return array.findPicked(selection.rows, kind, () => pick(e, array, selection.rows));
  };
}

/** Compiles an array that contains a number once for each selected element. */
export function compileRepeatedNumber(select: SelectElements, number: number): SelectedValue {
  return (e, env) => {
    const selection = select(e, env);
    if (selection === null) return null;
    const { length } = selection.rows;
    if (length === 0) return EMPTY_PICK;
    e.spendElements(length, true);
    return new Matrix(length, 1, new Array<Scalar>(length).fill(number));
  };
}

/** An array without numbers. It has one element, because arrays cannot be empty. */
const EMPTY_PICK = new Matrix(1, 1, [false]);

type PickElements = (e: Evaluation, array: ElementArray, rows: readonly number[]) => Matrix;

const PICKERS: Readonly<Record<PickedKind, PickElements>> = {
  numbers: (e, array, rows) => pickElements(e, array, rows, false),
  texts: (e, array, rows) => pickElements(e, array, rows, ''),
  quotients: pickQuotients,
};

/**
 * The elements of some rows. A result can take the number format of the first two elements of the whole array, so these
 * keep their places: if one of them is not selected, the array has `filler` there, which the function omits.
 */
function pickElements(e: Evaluation, array: ElementArray, rows: readonly number[], filler: false | ''): Matrix {
  const later = rows.findIndex((row) => row >= LEADING_ROWS);
  const rest = later < 0 ? [] : rows.slice(later);
  const leading = later < 0 ? rows : rows.slice(0, later);
  e.spendElements(rest.length + LEADING_ROWS, true);
  const data: Scalar[] = [];
  const formats = new Uint16Array(rest.length + LEADING_ROWS);
  const add = (row: number) => {
    formats[data.length] = array.formatAt(row);
    data.push(array.at(row));
  };
  for (let row = 0; row < LEADING_ROWS; row++) {
    if (leading.includes(row)) add(row);
    else data.push(filler);
  }
  for (const row of rest) add(row);
  return new Matrix(data.length, 1, data, e.formats === null ? 0 : formats);
}

/** The elements of some rows, divided by 1. Omits errors. */
function pickQuotients(e: Evaluation, array: ElementArray, rows: readonly number[]): Matrix {
  e.spendElements(rows.length + 1, true);
  const data: Scalar[] = [];
  for (const row of rows) {
    const quotient = applyToScalars('/', array.at(row), 1, e);
    if (!isError(quotient)) data.push(quotient);
  }
  // An array has at least one element. A truth value counts as no number.
  if (data.length === 0) data.push(false);
  return new Matrix(data.length, 1, data);
}

/** Compiles FILTER of a range that differs from formula to formula. */
export function compileFilterOfRange(
  range: AreaNode,
  select: SelectElements,
  ifEmpty: Node | undefined,
): SelectedValue {
  const selectRows = compileSelectedRows(range, select);
  return (e, env) => {
    const selected = selectRows(e, env);
    if (selected === null || (selected.rows.length === 0 && ifEmpty !== undefined)) return null;
    if (e.formats !== null) e.formats.last = 0;
    return selected.rows.length === 0 ? CALC : readRows(e, selected.area, selected.rows);
  };
}

/** Rows of an area, ascending. The first row of the area has the number 0. */
interface SelectedRows {
  readonly area: SheetArea;
  readonly rows: readonly number[];
}

/** Compiles the selected rows of a range; null if the range has another number of rows than the selection. */
export function compileSelectedRows(
  range: AreaNode,
  select: SelectElements,
): (e: Evaluation, env: Environment | null) => SelectedRows | null {
  const code = compileArea(range);
  return (e, env) => {
    const selection = select(e, env);
    const reference = selection && code(e, env);
    if (selection === null || !(reference instanceof Reference)) return null;
    const [area, ...others] = reference.areas;
    if (others.length > 0 || countRows(reference) !== selection.length) return null;
    return { area, rows: selection.rows };
  };
}

/** The cells of some rows of an area. */
function readRows(e: Evaluation, area: SheetArea, rows: readonly number[]): Matrix {
  const columns = area.right - area.left + 1;
  e.spendElements(rows.length * columns);
  const data: Scalar[] = [];
  const formats = e.formats === null ? null : new Uint16Array(rows.length * columns);
  for (const row of rows) {
    for (let column = area.left; column <= area.right; column++) {
      const top = area.top + row;
      if (formats !== null) {
        const cell = new Reference([{ ...area, top, left: column, bottom: top, right: column }]);
        formats[data.length] = e.formats!.findReferenceFormat(cell);
      }
      data.push(e.readCell(area.sheet, top, column));
    }
  }
  return new Matrix(rows.length, columns, data, formats ?? 0);
}
