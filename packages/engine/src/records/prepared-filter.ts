import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { ColumnReader, type ColumnTypes } from './cell-values.ts';
import { countContentsInSteps } from './column-type.ts';
import { type CellTest, type Comparison, compileTest, type RecordFilter } from './conditions.ts';
import { TextResults } from './filter-by-test.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** A compiled comparison of a column. */
export interface PreparedTest {
  /** Index of the column in the region. */
  readonly at: number;
  readonly reader: ColumnReader;
  readonly column: Column | undefined;
  readonly test: CellTest;
  /** Results of the test for the column's distinct texts; null if the texts have no numbers. */
  readonly results: TextResults | null;
}

/** The result of a formula for rows: one byte per row from `top` on, 1 if the formula is true. */
export interface RowTruths {
  readonly top: number;
  readonly holds: Uint8Array;
}

/** A filter whose comparisons are prepared for one snapshot. */
export interface PreparedFilter {
  readonly all: readonly PreparedTest[];
  readonly oneOf: readonly (readonly PreparedTest[])[] | null;
  readonly none: readonly (readonly PreparedTest[])[];
  /** The columns of the region. */
  readonly columns: readonly (Column | undefined)[];
}

/** Finds the columns of a filter in a snapshot and compiles its tests. Pauses regularly. */
export function* prepareFilter(
  { all, oneOf, none, caseSensitive }: RecordFilter,
  types: ColumnTypes,
  snapshot: Snapshot,
  region: Region,
): Generator<void, PreparedFilter> {
  const { dateSystem: system, locale } = snapshot.settings;
  const how = { caseSensitive, system, locale };
  function* prepareTests(comparisons: readonly Comparison[]): Generator<void, readonly PreparedTest[]> {
    const prepared: PreparedTest[] = [];
    for (const { at, test } of comparisons) {
      const type = types.get(at) ?? null;
      const reader = new ColumnReader(snapshot, region.columns[at]?.column ?? -1, type);
      const compiled = yield* compileTest(test, type, how);
      prepared.push({ at, reader, column: findColumn(snapshot, region, at), test: compiled, results: null });
    }
    // Tests of number bounds run first, because they are fastest and leave fewer rows for the other tests.
    const isBound = ({ test }: PreparedTest) => test.numberOrder !== undefined;
    return [...prepared.filter(isBound), ...prepared.filter((one) => !isBound(one))];
  }
  return {
    all: yield* prepareTests(all),
    oneOf: oneOf && (yield* mapGroups(oneOf, prepareTests)),
    none: yield* mapGroups(none, prepareTests),
    columns: region.columns.map((_, at) => findColumn(snapshot, region, at)),
  };
}

/** Adds the results of tests for distinct texts, where the texts of a column are numbered. Pauses regularly. */
export function* addTextResults(
  { all, oneOf, none, columns }: PreparedFilter,
  snapshot: Snapshot,
  region: Region,
  indexes: DocumentIndexes,
): Generator<void, PreparedFilter> {
  function* addResults(tests: readonly PreparedTest[]): Generator<void, readonly PreparedTest[]> {
    const added: PreparedTest[] = [];
    for (const prepared of tests) {
      const { reader, column, test } = prepared;
      const isOfTexts =
        test.numberOrder === undefined &&
        test.isEmpty === undefined &&
        (reader.type === null || reader.type === 'text') &&
        column !== undefined &&
        (yield* countContentsInSteps(snapshot, column, region.header + 1, region.end)).text > 0;
      const codes = isOfTexts ? yield* indexes.requestTextCodes(region.sheet, reader.column, column) : null;
      added.push(codes === null ? prepared : { ...prepared, results: new TextResults(codes, test) });
    }
    return added;
  }
  return {
    all: yield* addResults(all),
    oneOf: oneOf && (yield* mapGroups(oneOf, addResults)),
    none: yield* mapGroups(none, addResults),
    columns,
  };
}

/** Maps groups one after another. Pauses as `map` does. */
function* mapGroups<A, B>(groups: readonly A[], map: (group: A) => Generator<void, B>): Generator<void, readonly B[]> {
  const mapped: B[] = [];
  for (const group of groups) mapped.push(yield* map(group));
  return mapped;
}
