import type { Column, Snapshot } from '../sheet/snapshot.ts';
import { ColumnReader, type ColumnTypes } from './cell-values.ts';
import { countContentsInSteps } from './column-type.ts';
import {
  type CellTest,
  type Comparison,
  type ConditionTest,
  compileTest,
  type RecordFilter,
  type TestGroups,
} from './conditions.ts';
import { TextResults } from './filter-by-test.ts';
import { mapInSteps } from './map-in-steps.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** A compiled comparison of a column. */
export interface PreparedTest {
  /** Index of the column in the region. */
  readonly at: number;
  readonly reader: ColumnReader;
  readonly column: Column | undefined;
  /** The comparison as the caller wrote it. */
  readonly comparison: ConditionTest;
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
export interface PreparedFilter extends TestGroups<PreparedTest> {
  /** The columns of the region. */
  readonly columns: readonly (Column | undefined)[];
}

/** Finds the columns of a filter in a snapshot and compiles its tests. Pauses regularly. */
export function* prepareFilter(
  filter: RecordFilter,
  types: ColumnTypes,
  snapshot: Snapshot,
  region: Region,
): Generator<void, PreparedFilter> {
  const { dateSystem: system, locale } = snapshot.settings;
  const how = { caseSensitive: filter.caseSensitive, system, locale };
  function* prepareTest({ at, test }: Comparison): Generator<void, PreparedTest> {
    const type = types.get(at) ?? null;
    const reader = new ColumnReader(snapshot, region.columns[at]?.column ?? -1, type);
    const column = findColumn(snapshot, region, at);
    return { at, reader, column, comparison: test, test: yield* compileTest(test, type, how), results: null };
  }
  function* prepareTests(comparisons: readonly Comparison[]): Generator<void, readonly PreparedTest[]> {
    const prepared = yield* mapInSteps(comparisons, prepareTest);
    // Tests of number bounds run first, because they are fastest and leave fewer rows for the other tests.
    const isBound = ({ test }: PreparedTest) => test.numberOrder !== undefined;
    return [...prepared.filter(isBound), ...prepared.filter((one) => !isBound(one))];
  }
  const columns = region.columns.map((_, at) => findColumn(snapshot, region, at));
  return { ...(yield* mapGroups(filter, prepareTests)), columns };
}

/** Adds the results of tests for distinct texts if the texts of a column are numbered. Pauses regularly. */
export function* addTextResults(
  filter: PreparedFilter,
  snapshot: Snapshot,
  region: Region,
  indexes: DocumentIndexes,
): Generator<void, PreparedFilter> {
  function* addResults(prepared: PreparedTest): Generator<void, PreparedTest> {
    const { reader, column, test, results } = prepared;
    if (results !== null) return prepared;
    const isOfTexts =
      test.numberOrder === undefined &&
      test.isEmpty === undefined &&
      (reader.type === null || reader.type === 'text') &&
      column !== undefined &&
      (yield* countContentsInSteps(snapshot, column, region.header + 1, region.end)).text > 0;
    if (!isOfTexts) return prepared;
    const codes = yield* indexes.requestTextCodes(region.sheet, reader.column, column);
    if (codes === null) return prepared;
    const system = reader.type === null ? snapshot.settings.dateSystem : null;
    return { ...prepared, results: new TextResults(codes, column, test, system) };
  }
  return { ...(yield* mapGroups(filter, (group) => mapInSteps(group, addResults))), columns: filter.columns };
}

/** Maps each group of tests. Pauses as `map` does. */
function* mapGroups<A, B>(
  { all, oneOf, none }: TestGroups<A>,
  map: (group: readonly A[]) => Generator<void, readonly B[]>,
): Generator<void, TestGroups<B>> {
  return {
    all: yield* map(all),
    oneOf: oneOf && (yield* mapInSteps(oneOf, map)),
    none: yield* mapInSteps(none, map),
  };
}
