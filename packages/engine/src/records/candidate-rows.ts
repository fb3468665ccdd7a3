import { MAX_ROWS } from '../grid/limits.ts';
import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import type { Column } from '../sheet/snapshot.ts';
import { type TextResults, testCell } from './filter-by-test.ts';
import type { PreparedFilter, PreparedTest, RowTruths } from './prepared-filter.ts';
import { NO_TEXT } from './text-codes.ts';

/** Number of rows that are tested between two pauses. */
const ROWS_PER_STEP = 4_096;
/** Fewer rows than this are sorted by comparisons; more are sorted as bits, one per row of the sheet. */
const MIN_ROWS_AS_BITS = 256;

/**
 * Returns the rows that satisfy a filter, in ascending order. `candidates`: different rows in any order; each has a filled
 * cell. Overwrites `candidates`. Pauses regularly.
 */
export function* filterCandidates(
  { all, oneOf, none }: PreparedFilter,
  truths: RowTruths | null,
  candidates: Uint32Array,
): Generator<void, Uint32Array> {
  // The tests read the memory of rows in order several times as fast as in the order of an index.
  let rows = sortAscending(candidates);
  // Tests of numbered texts run first, because they need no chunks.
  for (const one of all) if (one.results !== null) rows = yield* keepNumberedRows(rows, one, one.results, one.column);
  for (const one of all) if (one.results === null) rows = yield* keepRows(rows, createRowTest(one));
  if (oneOf !== null) rows = yield* keepRows(rows, createAnyTest(oneOf.map(createAllTest)));
  if (none.length > 0) {
    const isExcluded = createAnyTest(none.map(createAllTest));
    rows = yield* keepRows(rows, (row) => !isExcluded(row));
  }
  if (truths === null) return rows;
  return yield* keepRows(rows, (row) => truths.holds[row - truths.top] === 1);
}

type RowTest = (row: number) => boolean;

/** Moves the rows that pass a test to the beginning, and returns them. Pauses regularly. */
function* keepRows(rows: Uint32Array, test: RowTest): Generator<void, Uint32Array> {
  let kept = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) {
    if (start > 0) yield;
    const end = Math.min(rows.length, start + ROWS_PER_STEP);
    for (let i = start; i < end; i++) if (test(rows[i]!)) rows[kept++] = rows[i]!;
  }
  return rows.subarray(0, kept);
}

/** Like `keepRows`, for a test of numbered texts. Avoids branches, because the processor cannot predict the results. */
function* keepNumberedRows(
  rows: Uint32Array,
  prepared: PreparedTest,
  results: TextResults,
  column: Column | undefined,
): Generator<void, Uint32Array> {
  const test = createRowTest(prepared);
  const { codes } = results;
  let kept = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_STEP) {
    if (start > 0) yield;
    const end = Math.min(rows.length, start + ROWS_PER_STEP);
    const isSynced = column !== undefined && codes.isSyncedWith(column);
    if (isSynced) kept = results.keepRows(rows, start, end, kept, test);
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
  if (results === null || column === undefined) return testRow;
  const { codes } = results;
  return (row) => {
    const code = codes.isSyncedWith(column) ? codes.rowCodes[row]! : NO_TEXT;
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

/** Sorts rows in ascending order. Each row must occur once. */
function sortAscending(rows: Uint32Array): Uint32Array {
  if (rows.length < MIN_ROWS_AS_BITS) return rows.sort();
  let last = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    if (row > last) last = row;
    BITS[row >> 5]! |= 1 << (row & 31);
  }
  let count = 0;
  for (let word = 0; word <= last >> 5; word++) {
    let left = BITS[word]!;
    if (left === 0) continue;
    BITS[word] = 0;
    for (; left !== 0; left &= left - 1) rows[count++] = (word << 5) + 31 - Math.clz32(left & -left);
  }
  return rows;
}

/** A bit for each row of a sheet. All are 0 between two calls of `sortAscending`, which never pauses. */
const BITS = new Int32Array(MAX_ROWS >> 5);
