import type { Column, Snapshot } from '../sheet/snapshot.ts';
import type { CandidateRows } from './candidate-rows.ts';
import { countContentsInSteps, countFilled } from './column-type.ts';
import type { PreparedFilter, PreparedTest } from './prepared-filter.ts';
import type { Region } from './region.ts';
import { CODES, NO_TEXT, type TextCodes } from './text-codes.ts';

/** Maximum share of the rows, and of the distinct texts of a column, that tests of numbered texts may leave. */
const MAX_SHARE = 1 / 4;
/** Number of rows whose codes are read between two pauses: less than a millisecond. */
const ROWS_PER_STEP = 1 << 17;

/** The tests of a column whose texts are numbered. */
interface NumberedColumn {
  readonly column: Column;
  readonly codes: TextCodes;
  readonly tests: readonly PreparedTest[];
}

/** The texts that pass all tests of a column: a mark by code. */
interface MatchingTexts extends NumberedColumn {
  readonly codeMarks: Uint8Array;
  /** The share of the column's distinct texts. */
  readonly share: number;
}

/**
 * Finds the rows that pass the tests of a column of numbered texts: the column with the smallest share of matching texts.
 * Reading only the numbers of the texts is several times as fast as searching all blocks. Null if too many rows pass.
 * Pauses regularly.
 */
export function* findNumberedRows(
  snapshot: Snapshot,
  region: Region,
  { all }: PreparedFilter,
): Generator<void, CandidateRows | null> {
  let best = null as MatchingTexts | null;
  for (const numbered of listNumberedColumns(all)) {
    const matching = yield* findMatchingTexts(numbered);
    if (best === null || matching.share < best.share) best = matching;
  }
  if (best === null || best.share > MAX_SHARE) return null;
  const { column, tests } = best;
  const contents = yield* countContentsInSteps(snapshot, column, region.header + 1, region.end);
  const hasOthers = countFilled(contents) > contents.text;
  // Cells with other values must be tested later.
  if (hasOthers) best.codeMarks[NO_TEXT] = 1;
  const rows = yield* collectRows(region, best);
  return rows && { rows, tests: hasOthers ? [] : tests };
}

/** The columns with tests of numbered texts. */
function listNumberedColumns(tests: readonly PreparedTest[]): readonly NumberedColumn[] {
  const columns = new Map<Column, { column: Column; codes: TextCodes; tests: PreparedTest[] }>();
  for (const prepared of tests) {
    const { column, results, test } = prepared;
    // A test that empty cells pass could leave rows that are not records.
    if (column === undefined || results === null || test.matches(null, () => null)) continue;
    const numbered = columns.get(column) ?? { column, codes: results.codes, tests: [] };
    columns.set(column, numbered);
    numbered.tests.push(prepared);
  }
  return [...columns.values()];
}

/** Tests all distinct texts of a column. Pauses regularly. */
function* findMatchingTexts(numbered: NumberedColumn): Generator<void, MatchingTexts> {
  for (const { results } of numbered.tests) if (results !== null) yield* results.testAllTexts();
  const { length } = numbered.codes.texts;
  const codeMarks = new Uint8Array(CODES).fill(1, 0, length);
  for (const { results } of numbered.tests) results?.filterCodes(codeMarks);
  let count = 0;
  for (let code = 0; code < length; code++) count += codeMarks[code]!;
  return { ...numbered, codeMarks, share: count / Math.max(1, length) };
}

/**
 * Returns the rows of a region whose texts are marked. Null if there are too many, or if the numbers were updated to
 * another state meanwhile. Pauses regularly.
 */
function* collectRows(
  region: Region,
  { column, codes, codeMarks }: MatchingTexts,
): Generator<void, Uint32Array | null> {
  const first = region.header + 1;
  const limit = Math.floor((region.end - first) * MAX_SHARE);
  const rows = new Uint32Array(limit + ROWS_PER_STEP);
  let count = 0;
  for (let start = first; start < region.end; start += ROWS_PER_STEP) {
    if (start > first) yield;
    if (count > limit || !codes.isSyncedWith(column)) return null;
    const { rowCodes } = codes;
    const end = Math.min(region.end, start + ROWS_PER_STEP, rowCodes.length);
    for (let row = start; row < end; row++) {
      // Writes every row, but only marked rows move the end. This avoids a branch.
      rows[count] = row;
      count += codeMarks[rowCodes[row]!]!;
    }
  }
  return count > limit ? null : rows.subarray(0, count);
}
