import { type CellError, NA, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toText } from '../coerce.ts';
import { define } from '../define.ts';
import { passArgument, pickElement } from '../formats.ts';
import { readAsScalar } from '../invoke.ts';
import { createSubReference, mapElements, measureValue, pickColumns, pickRows } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { createRegexTester } from '../text/regex.ts';
import { type Matrix, Reference, type Value } from '../value.ts';
import {
  createExactFinder,
  findBinaryMatch,
  findFirstWhere,
  findNearest,
  readFirstLine,
  type SearchVector,
} from './search.ts';
import { readTableCell, toLookupTable } from './tables.ts';

const WILDCARDS = 2;
const REGEX = 3;
const MATCH_MODES: ReadonlySet<number> = new Set([-1, 0, 1, WILDCARDS, REGEX]);
const SEARCH_MODES: ReadonlySet<number> = new Set([-2, -1, 1, 2]);

/** Finds a value's index in a row or column; -1 for none; an error if the value cannot be searched. */
type FindPosition = (target: Scalar) => number | CellError;

/** Creates a search by the modes of XMATCH; an error for an invalid mode. */
function createFinder(
  context: FunctionContext,
  vector: SearchVector,
  matchMode: number,
  searchMode: number,
): FindPosition | CellError {
  if (!MATCH_MODES.has(matchMode) || !SEARCH_MODES.has(searchMode)) return VALUE;
  const pattern = matchMode === WILDCARDS || matchMode === REGEX;
  const binary = Math.abs(searchMode) === 2;
  if (binary && pattern) return VALUE;
  if (binary)
    return (what) =>
      findBinaryMatch(context, vector, what, { side: matchMode as -1 | 0 | 1, descending: searchMode === -2 });
  const backwards = searchMode === -1;
  if (matchMode === REGEX) return createRegexFinder(context, vector, backwards);
  if (matchMode === 0 || matchMode === WILDCARDS) return createExactFinder(vector, { wildcards: pattern, backwards });
  return (what) => findNearest(context, vector, what, { side: matchMode as -1 | 1, backwards });
}

/** Creates a function that finds a value whose text matches a regular expression. */
function createRegexFinder(context: FunctionContext, vector: SearchVector, backwards: boolean): FindPosition {
  return (what) => {
    if (typeof what !== 'string') return -1;
    const occursIn = createRegexTester(context, what);
    if (isError(occursIn)) return occursIn;
    const accepts = (value: Scalar) => value !== null && !isError(value) && occursIn(toText(value, context) as string);
    return findFirstWhere(vector, accepts, backwards);
  };
}

interface SearchLine {
  readonly byRow: boolean;
  readonly length: number;
  readonly find: FindPosition;
}

/** Reads the row or column that XLOOKUP searches. */
function readLine(
  context: FunctionContext,
  value: Value,
  matchMode: number,
  searchMode: number,
): SearchLine | CellError {
  const table = toLookupTable(value);
  if (isError(table)) return table;
  const { rows, columns } = measureValue(table);
  if (rows > 1 && columns > 1) return VALUE;
  const byRow = columns > 1;
  const vector = readFirstLine(context, table, byRow, Math.abs(searchMode) === 1);
  const find = createFinder(context, vector, matchMode, searchMode);
  return isError(find) ? find : { byRow, length: byRow ? columns : rows, find };
}

/** Returns the row or column of the result table at an index: a reference if the table is one. */
function pickLine(context: FunctionContext, table: Reference | Matrix, byRow: boolean, index: number): Value {
  const { rows, columns } = measureValue(table);
  if (table instanceof Reference) {
    const [area] = table.areas;
    const part = byRow
      ? createSubReference(area, area.top, area.left + index, rows, 1)
      : createSubReference(area, area.top + index, area.left, 1, columns);
    return part ?? VALUE;
  }
  if (byRow) return rows === 1 ? pickElement(context, table, 0, index) : pickColumns(context, table, [index]);
  return columns === 1 ? pickElement(context, table, index, 0) : pickRows(context, table, [index]);
}

/** Index of the argument of XLOOKUP for a value that is not found. */
const IF_NOT_FOUND = 3;

const XLOOKUP = define(
  'lookup',
  'XLOOKUP',
  ['value', 'value', 'value', 'value??', 'integer??', 'integer??'],
  (context, wanted, lookup, result, ifNotFound, matchMode = 0, searchMode = 1) => {
    const line = readLine(context, lookup, matchMode, searchMode);
    if (isError(line)) return line;
    const table = toLookupTable(result);
    if (isError(table)) return table;
    const size = measureValue(table);
    if ((line.byRow ? size.columns : size.rows) !== line.length) return VALUE;
    const single = readAsScalar(context, wanted);
    if (single !== undefined) {
      if (isError(single)) return single;
      const at = line.find(single);
      if (isError(at)) return at;
      return at < 0 ? passArgument(context, ifNotFound ?? NA, IF_NOT_FOUND) : pickLine(context, table, line.byRow, at);
    }
    return mapElements(context, [wanted, ifNotFound ?? NA], ([what, otherwise]) => {
      if (isError(what)) return what;
      const at = line.find(what as Scalar);
      if (isError(at)) return at;
      if (at < 0) return passArgument(context, otherwise as Scalar, IF_NOT_FOUND);
      return line.byRow ? readTableCell(context, table, 0, at) : readTableCell(context, table, at, 0);
    });
  },
  { picks: 'element', lookup: 'result', comparisons: 'result', manyCells: true, singles: [0, 3, 4, 5] },
);

const XMATCH = define(
  'lookup',
  'XMATCH',
  ['value', 'value', 'integer??', 'integer??'],
  (context, wanted, lookup, matchMode = 0, searchMode = 1) => {
    const line = readLine(context, lookup, matchMode, searchMode);
    if (isError(line)) return line;
    return mapElements(context, [wanted], ([what]) => {
      if (isError(what)) return what;
      const at = line.find(what as Scalar);
      if (isError(at)) return at;
      return at < 0 ? NA : at + 1;
    });
  },
  { comparisons: 'exactPosition', singles: [0, 2, 3] },
);

export const XLOOKUPS: readonly FunctionSpec[] = [XLOOKUP, XMATCH];
