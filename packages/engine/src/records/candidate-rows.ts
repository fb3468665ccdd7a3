import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { type TextResults, testCell } from './filter-by-test.ts';
import type { PreparedFilter, PreparedTest, RowTruths } from './prepared-filter.ts';
import { NO_TEXT } from './text-codes.ts';

/** Number of rows that are tested between two pauses. */
const ROWS_PER_STEP = 4_096;

/** Some rows that contain all rows of a result. Each of them has a filled cell. */
export interface CandidateRows {
  /** In ascending order. */
  readonly rows: Uint32Array;
  /** The tests that all rows pass. */
  readonly tests: readonly PreparedTest[];
}

/**
 * Returns the rows that satisfy a filter, in ascending order. `candidates`: rows in ascending order, each with a filled
 * cell; they are overwritten. Pauses regularly.
 */
export function* filterCandidates(
  { all, oneOf, none }: PreparedFilter,
  truths: RowTruths | null,
  candidates: Uint32Array,
): Generator<void, Uint32Array> {
  let rows = candidates;
  // Tests of numbered texts run first, because they need no chunks.
  const isNumbered = ({ results }: PreparedTest) => results !== null;
  for (const test of [...all.filter(isNumbered), ...all.filter((test) => !isNumbered(test))])
    rows = yield* keepRows(rows, createRowTest(test), test.results);
  if (oneOf !== null) rows = yield* keepRows(rows, createAnyTest(oneOf.map(createAllTest)));
  if (none.length > 0) {
    const isExcluded = createAnyTest(none.map(createAllTest));
    rows = yield* keepRows(rows, (row) => !isExcluded(row));
  }
  if (truths === null) return rows;
  return yield* keepRows(rows, (row) => truths.holds[row - truths.top] === 1);
}

type RowTest = (row: number) => boolean;

/**
 * Moves the rows that pass a test to the beginning, and returns them. `results`: the results of the test for numbered
 * texts; null if there are none. Pauses regularly.
 */
function* keepRows(rows: Uint32Array, test: RowTest, results: TextResults | null = null): Generator<void, Uint32Array> {
  let kept = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) {
    if (start > 0) yield;
    const end = Math.min(rows.length, start + ROWS_PER_STEP);
    if (results?.hasRowCodes) kept = results.keepRows(rows, start, end, kept, test);
    else for (let i = start; i < end; i++) if (test(rows[i]!)) rows[kept++] = rows[i]!;
  }
  return rows.subarray(0, kept);
}

/** A test of a row's cell in one column. It is fastest for rows in order. */
function createRowTest({ reader, column, test, results }: PreparedTest): RowTest {
  let block = -1;
  let chunk: Chunk | undefined;
  const testRow = (row: number): boolean => {
    if (row >> CHUNK_SHIFT !== block) {
      block = row >> CHUNK_SHIFT;
      chunk = column?.chunks.at(block);
    }
    return testCell(reader, test, chunk, row & CHUNK_MASK);
  };
  if (results === null) return testRow;
  return (row) => {
    const code = results.hasRowCodes ? results.codes.rowCodes[row]! : NO_TEXT;
    return code === NO_TEXT ? testRow(row) : results.testText(code);
  };
}

/** A test that is true for rows that pass all tests. */
function createAllTest(tests: readonly PreparedTest[]): RowTest {
  const rowTests = tests.map(createRowTest);
  return (row) => rowTests.every((test) => test(row));
}

/** A test that is true for rows that pass at least one test. */
function createAnyTest(tests: readonly RowTest[]): RowTest {
  return (row) => tests.some((test) => test(row));
}
