import type { Snapshot } from '../sheet/snapshot.ts';
import type { ColumnTypes } from './cell-values.ts';
import { countContentsInSteps } from './column-type.ts';
import { NUMBERS_PER_STEP } from './radix-sort.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';
import type { RecordSort } from './sort-rows.ts';
import { LAST_RANK } from './text-ranks.ts';

/** The rows of a page of a sorted list, extended to whole groups of equal values. */
export interface RankedPage {
  /** The rows of the groups, in ascending order within each group. */
  readonly rows: Uint32Array;
  /** Number of rows before the first group. */
  readonly first: number;
  /** True if there is only one group. */
  readonly isOne: boolean;
}

/** Minimum number of rows for which texts are numbered and ranked. */
const MIN_RANKED_ROWS = 4_096;

/**
 * Returns the rows of a page in the order of a column of texts, extended to whole groups of equal texts. Counts the rows
 * of each text, so that no texts are compared. Null if the column has other values or too many different texts. Pauses
 * regularly.
 */
export function* readRankedPage(
  snapshot: Snapshot,
  region: Region,
  rows: ArrayLike<number>,
  { by, types, indexes }: { readonly by: RecordSort; readonly types: ColumnTypes; readonly indexes: DocumentIndexes },
  { from, end }: { readonly from: number; readonly end: number },
): Generator<void, RankedPage | null> {
  const column = findColumn(snapshot, region, by.at);
  if (column === undefined || rows.length < MIN_RANKED_ROWS || types.has(by.at)) return null;
  const contents = yield* countContentsInSteps(snapshot, column, region.header + 1, region.end);
  const others = contents.number + contents.date + contents.time + contents.boolean + contents.error;
  if (contents.text === 0 || others > 0) return null;
  const place = region.columns[by.at]?.column ?? -1;
  const ranked = yield* indexes.requestTextRanks(region.sheet, place, column, snapshot.settings.locale);
  if (ranked === null) return null;
  const { codes, ranks } = ranked;
  const { rowCodes } = codes;
  // Empty cells come last in both directions.
  const toKey = (row: number): number => {
    const rank = row < rowCodes.length ? ranks[rowCodes[row]!]! : LAST_RANK;
    return by.descending && rank !== LAST_RANK ? LAST_RANK - 1 - rank : rank;
  };
  const starts = new Uint32Array(LAST_RANK + 2);
  for (let i = 0; i < rows.length; i++) {
    starts[toKey(rows[i]!) + 1]!++;
    if (i % NUMBERS_PER_STEP !== NUMBERS_PER_STEP - 1) continue;
    yield;
    if (!codes.isSyncedWith(column)) return null;
  }
  for (let key = 1; key < starts.length; key++) starts[key]! += starts[key - 1]!;
  // The groups with the first and the last row of the page.
  let low = 0;
  while (starts[low + 1]! <= from) low++;
  let high = low;
  while (starts[high + 1]! < end) high++;
  const first = starts[low]!;
  const page = new Uint32Array(starts[high + 1]! - first);
  for (let i = 0; i < rows.length; i++) {
    const key = toKey(rows[i]!);
    if (key >= low && key <= high) page[starts[key]!++ - first] = rows[i]!;
    if (i % NUMBERS_PER_STEP !== NUMBERS_PER_STEP - 1) continue;
    yield;
    if (!codes.isSyncedWith(column)) return null;
  }
  return { rows: page, first, isOne: low === high };
}
