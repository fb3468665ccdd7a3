import { type CellError, NUM, VALUE } from '../value/errors.ts';
import { areTextsEqual } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';
import { type CellPredicate, createMatcher } from './criteria.ts';
import { define } from './define.ts';
import {
  largest,
  mean,
  populationDeviation,
  populationVariance,
  product,
  sampleDeviation,
  sampleVariance,
  smallest,
  sum,
} from './numeric/summary.ts';
import type { FunctionContext, FunctionSpec } from './spec.ts';
import type { Matrix, Value } from './value.ts';

/** One row of a criteria table. A record matches if all conditions of the row are true. */
type DatabaseCriteria = readonly { readonly column: number; readonly matches: CellPredicate }[];

const ANY_COLUMN = -1;
/** The cost of reading a criteria row, in cells. */
const LINE_WORK = 4;

/** Returns the zero-based column of a field, given by name (any letter case) or 1-based number. */
function findColumn(table: Matrix, field: Scalar): number | CellError {
  if (isError(field)) return field;
  if (table.rows < 2) return VALUE;
  if (typeof field === 'string') {
    const index = findHeader(table, field);
    return index < 0 ? VALUE : index;
  }
  if (field === null) return VALUE;
  if (isError(field)) return field;
  const column = Math.trunc(Number(field)) - 1;
  return column >= 0 && column < table.columns ? column : VALUE;
}

/** The zero-based column with a header text; -1 for none. */
function findHeader(table: Matrix, name: string): number {
  for (let c = 0; c < table.columns; c++) {
    const header = table.get(0, c);
    if (header !== null && !isError(header) && areTextsEqual(String(header).trim(), name.trim())) return c;
  }
  return -1;
}

/** Creates the predicate of a database criterion. A text without an operator matches texts that begin with it. */
function createDatabaseMatcher(criterion: Scalar, context: FunctionContext): CellPredicate {
  if (typeof criterion !== 'string' || /^[<>=]/.test(criterion)) return createMatcher(criterion, context);
  const exact = createMatcher(criterion, context);
  const prefix = createMatcher(`${criterion}*`, context);
  return (value) => exact(value) || prefix(value);
}

/** Parses the rows of a criteria table. A blank row matches every record. */
function readCriteriaLines(context: FunctionContext, table: Matrix, criteria: Matrix): DatabaseCriteria[] {
  const columns = Array.from({ length: criteria.columns }, (_, c) => {
    const header = criteria.get(0, c);
    return header === null || isError(header) ? ANY_COLUMN : findHeader(table, String(header));
  });
  return Array.from({ length: Math.max(criteria.rows - 1, 1) }, (_, i) => {
    context.reportWork(LINE_WORK + columns.length);
    const line: { column: number; matches: CellPredicate }[] = [];
    for (const [c, column] of columns.entries()) {
      const criterion = i + 1 < criteria.rows ? criteria.get(i + 1, c) : null;
      if (criterion === null) continue;
      if (column === ANY_COLUMN) {
        if (!isSelectedByComputed(criterion)) line.push({ column: 0, matches: () => false });
        continue;
      }
      line.push({ column, matches: createDatabaseMatcher(criterion, context) });
    }
    return line;
  });
}

/**
 * True if a computed criterion selects the record. A criterion is computed if its header is not a field; only the value
 * TRUE selects.
 */
function isSelectedByComputed(criterion: Scalar): boolean {
  return criterion === true || (typeof criterion === 'number' && criterion !== 0);
}

/** Calls `visit` with the field's value of every matching record. */
function forEachRecord(
  context: FunctionContext,
  table: Matrix,
  criteria: Matrix,
  column: number,
  visit: (value: Scalar) => void,
): void {
  const lines = readCriteriaLines(context, table, criteria);
  for (let r = 1; r < table.rows; r++) {
    context.reportWork(lines.length);
    const meets = (line: DatabaseCriteria) => line.every(({ column: c, matches }) => matches(table.get(r, c)));
    if (lines.some(meets)) visit(column === ANY_COLUMN ? r : table.get(r, column));
  }
}

/** The values of a field in the records that match the criteria; an error if there is no such field. */
function readFieldValues(
  context: FunctionContext,
  table: Matrix,
  field: Scalar,
  criteria: Matrix,
): Scalar[] | CellError {
  const column = findColumn(table, field);
  if (isError(column)) return column;
  const values: Scalar[] = [];
  forEachRecord(context, table, criteria, column, (value) => values.push(value));
  return values;
}

/** Maximum number of results that are kept for one table. */
const MAX_RESULTS = 65_536;

/**
 * Results by table and request, so that each request of a column of formulas is calculated once. Formulas that read the
 * same range get the same matrix, and matrices never change.
 */
const resultsByTable = new WeakMap<Matrix, Map<string, Value>>();

/** Defines a function of a table, a field and criteria. */
function defineDatabaseFunction(
  name: string,
  run: (context: FunctionContext, table: Matrix, field: Scalar, criteria: Matrix) => Value,
): FunctionSpec {
  return define('database', name, ['matrix', 'any', 'matrix'], (context, table, field, criteria) => {
    const results = resultsByTable.get(table) ?? new Map<string, Value>();
    resultsByTable.set(table, results);
    const key = createRequestKey(name, context, field, criteria);
    const existingResult = results.get(key);
    if (existingResult !== undefined) return existingResult;
    const result = run(context, table, field, criteria);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(key, result);
    return result;
  });
}

/** Returns the key of a request: all that a result depends on except the table. */
function createRequestKey(
  name: string,
  { locale, dateSystem }: FunctionContext,
  field: Scalar,
  criteria: Matrix,
): string {
  const cells = [field, ...criteria.data].map((value) => (isError(value) ? [value.index] : value));
  return JSON.stringify([name, locale, dateSystem, criteria.columns, cells]);
}

/** Defines a function such as DSUM, which aggregates the numbers of a field in the matching records. */
function defineAggregate(name: string, run: (values: readonly number[]) => Value): FunctionSpec {
  return defineDatabaseFunction(name, (context, table, field, criteria) => {
    const values = readFieldValues(context, table, field, criteria);
    if (isError(values)) return values;
    const error = values.find(isError);
    return error ?? run(values.filter((value) => typeof value === 'number'));
  });
}

/** DCOUNT and DCOUNTA. Without a field they count records. */
function defineCount(name: string, isCounted: (value: Scalar) => boolean): FunctionSpec {
  return defineDatabaseFunction(name, (context, table, field, criteria) => {
    if (table.rows < 2) return VALUE;
    const column = field === null ? ANY_COLUMN : findColumn(table, field);
    if (isError(column)) return column;
    let count = 0;
    forEachRecord(context, table, criteria, column, (value) => {
      if (isCounted(value)) count++;
    });
    return count;
  });
}

/** Functions over the records of a table that match a criteria table. */
export const DATABASE: readonly FunctionSpec[] = [
  defineAggregate('DSUM', sum),
  defineAggregate('DPRODUCT', (values) => (values.length === 0 ? 0 : product(values))),
  defineAggregate('DAVERAGE', mean),
  defineAggregate('DMAX', largest),
  defineAggregate('DMIN', smallest),
  defineAggregate('DSTDEV', sampleDeviation),
  defineAggregate('DSTDEVP', populationDeviation),
  defineAggregate('DVAR', sampleVariance),
  defineAggregate('DVARP', populationVariance),
  defineCount('DCOUNT', (value) => typeof value === 'number'),
  defineCount('DCOUNTA', (value) => value !== null),
  defineDatabaseFunction('DGET', (context, table, field, criteria) => {
    const values = readFieldValues(context, table, field, criteria);
    if (isError(values)) return values;
    const filled = values.filter((value) => value !== null);
    if (filled.length === 0) return VALUE;
    return filled.length > 1 ? NUM : filled[0]!;
  }),
];
