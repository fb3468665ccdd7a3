import { CHUNK_MASK, CHUNK_SHIFT, type Chunk } from '../sheet/chunk.ts';
import { testCell } from './filter-by-test.ts';
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
  const isNumbered = ({ results }: PreparedTest) => results !== null;
  let rows = candidates;
  // Tests of numbered texts need no chunks, so they do not need the order of the rows.
  for (const one of all.filter(isNumbered)) rows = yield* keepRows(rows, createRowTest(one));
  rows = sortAscending(rows);
  for (const one of all) if (!isNumbered(one)) rows = yield* keepRows(rows, createRowTest(one));
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
  for (let i = 0; i < rows.length; i++) if (rows[i]! > last) last = rows[i]!;
  const bits = new Uint32Array((last >> 5) + 1);
  for (let i = 0; i < rows.length; i++) bits[rows[i]! >> 5]! |= 1 << (rows[i]! & 31);
  let count = 0;
  for (let word = 0; word < bits.length; word++) {
    for (let left = bits[word]!; left !== 0; left &= left - 1) {
      rows[count++] = (word << 5) + 31 - Math.clz32(left & -left);
    }
  }
  return rows;
}
