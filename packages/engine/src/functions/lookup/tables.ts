import { type CellError, NA, REF, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toBoolean, toNumber } from '../coerce.ts';
import { define, withTraits } from '../define.ts';
import { pickElement } from '../formats.ts';
import { mapElements, measureValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix, Reference, type Value } from '../value.ts';
import { createExactFinder, findBinaryFloor, findDescendingFloor, readFirstLine, type SearchVector } from './search.ts';

type LookupTable = Reference | Matrix;

/**
 * Converts a value to a range or array that can be searched. A text gives an error; other scalars become 1 × 1 arrays.
 */
export function toLookupTable(value: Value): LookupTable | CellError {
  if (value instanceof Reference) return value.areas.length > 1 ? VALUE : value;
  if (value instanceof Matrix) return value;
  if (isError(value)) return value;
  if (typeof value === 'string' || value === null || typeof value === 'object') return VALUE;
  return new Matrix(1, 1, [value]);
}

/** Returns a cell of a table; blank outside the used size. */
export function readTableCell(context: FunctionContext, table: LookupTable, row: number, column: number): Scalar {
  if (table instanceof Matrix) return pickElement(context, table, row, column);
  const [area] = table.areas;
  return context.readCell(area.sheet, area.top + row, area.left + column);
}

/** Converts an argument to a number and truncates it to an integer. */
function toInteger(value: Scalar, context: FunctionContext): number | CellError {
  const number = toNumber(value, context);
  return isError(number) ? number : Math.trunc(number);
}

/** Defines VLOOKUP, or HLOOKUP, in which rows and columns are swapped. */
function defineTableLookup(name: string, byRow: boolean): FunctionSpec {
  return define('lookup', name, ['value', 'value', 'value', 'value?'], (context, wanted, array, index, approximate) => {
    const table = toLookupTable(array);
    if (isError(table)) return table;
    const size = measureValue(table);
    const lines = byRow ? size.rows : size.columns;
    const finders = createLineFinders(context, table, byRow);
    return mapElements(
      context,
      [wanted, index, approximate === undefined ? true : approximate],
      ([lookupValue, at, near]) => {
        if (isError(lookupValue)) return lookupValue;
        const line = toInteger(at as Scalar, context);
        if (isError(line)) return line;
        const sorted = toBoolean(near as Scalar);
        if (isError(sorted)) return sorted;
        if (line < 1) return VALUE;
        if (line > lines) return REF;
        const position = finders(lookupValue as Scalar, sorted);
        if (position < 0) return NA;
        return byRow
          ? readTableCell(context, table, line - 1, position)
          : readTableCell(context, table, position, line - 1);
      },
    );
  });
}

/**
 * Creates functions that find a value's index in the first row or column of a table, by binary or linear search. A
 * blank is searched as 0.
 */
function createLineFinders(
  context: FunctionContext,
  table: LookupTable,
  byRow: boolean,
): (lookupValue: Scalar, sorted: boolean) => number {
  let vector: SearchVector | undefined;
  let exact: ((lookupValue: Scalar) => number) | undefined;
  return (lookupValue, sorted) => {
    const wanted = lookupValue ?? 0;
    if (sorted) {
      vector ??= readFirstLine(context, table, byRow, false);
      return findBinaryFloor(context, vector, wanted);
    }
    exact ??= createExactFinder(readFirstLine(context, table, byRow, true), { wildcards: true });
    return exact(wanted);
  };
}

const MATCH = define('lookup', 'MATCH', ['value', 'value', 'value?'], (context, wanted, array, type) => {
  if (isError(array)) return array;
  const table = toLookupTable(array);
  if (isError(table)) return array instanceof Reference ? table : NA;
  const { rows, columns } = measureValue(table);
  if (rows > 1 && columns > 1) return NA;
  const byRow = rows === 1 && columns > 1;
  const find = createLineFinders(context, table, byRow);
  return mapElements(context, [wanted, type === undefined ? 1 : type], ([lookupValue, kind]) => {
    if (isError(lookupValue)) return lookupValue;
    const mode = toNumber(kind as Scalar, context);
    if (isError(mode)) return mode;
    const index =
      mode < 0
        ? findDescendingFloor(context, readFirstLine(context, table, byRow, false), (lookupValue as Scalar) ?? 0)
        : find(lookupValue as Scalar, mode > 0);
    return index < 0 ? NA : index + 1;
  });
});

/**
 * Returns the result of LOOKUP: an element of the result range along its longer side. Without a result range, an
 * element of the last row or column of the table.
 */
function pickLookupResult(
  context: FunctionContext,
  table: LookupTable,
  result: LookupTable | undefined,
  index: number,
): Scalar {
  const size = measureValue(table);
  if (!result) {
    return size.columns > size.rows
      ? readTableCell(context, table, size.rows - 1, index)
      : readTableCell(context, table, index, size.columns - 1);
  }
  const target = measureValue(result);
  const byRow = target.rows === 1 && (target.columns > 1 || size.rows === 1);
  // If the result range is shorter than the lookup range, cells after its end are read. An array has no such cells.
  if (result instanceof Matrix && index >= (byRow ? target.columns : target.rows)) return NA;
  return byRow ? readTableCell(context, result, 0, index) : readTableCell(context, result, index, 0);
}

const LOOKUP_FUNCTION = define('lookup', 'LOOKUP', ['value', 'value', 'value??'], (context, wanted, array, results) => {
  const table = toLookupTable(array);
  if (isError(table)) return table;
  const result = results === undefined ? undefined : toLookupTable(results);
  if (isError(result)) return result;
  if (result && measureValue(result).rows > 1 && measureValue(result).columns > 1) return NA;
  const { rows, columns } = measureValue(table);
  const vector = readFirstLine(context, table, columns > rows, false);
  return mapElements(context, [wanted], ([lookupValue]) => {
    if (isError(lookupValue)) return lookupValue;
    const index = lookupValue === null ? -1 : findBinaryFloor(context, vector, lookupValue!);
    return index < 0 ? NA : pickLookupResult(context, table, result, index);
  });
});

export const TABLES: readonly FunctionSpec[] = [
  withTraits(defineTableLookup('VLOOKUP', false), { picks: 'element', lookup: 'table', singles: [0, 2, 3] }),
  withTraits(defineTableLookup('HLOOKUP', true), { picks: 'element', singles: [0, 2, 3] }),
  withTraits(MATCH, { lookup: 'position', comparisons: 'position', singles: [0, 2] }),
  withTraits(LOOKUP_FUNCTION, { picks: 'element', comparisons: 'lastResult', calculatesArrays: true, singles: [0] }),
];
