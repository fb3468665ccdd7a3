import type { Snapshot } from '../sheet/snapshot.ts';
import type { RecordType } from './cell-values.ts';
import type { ColumnHashes, Sought } from './column-hashes.ts';
import { type ColumnContents, contentsSteps } from './column-type.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { columnOf, type Region } from './region.ts';

/** What cells of a column must be one of. */
export interface Equality {
  /** The column's place among the region's. */
  readonly at: number;
  readonly type: RecordType | null;
  readonly values: readonly Sought[];
}

/** Rows that are gone through sooner than an index is asked for. */
const MIN_INDEXED_ROWS = 512;
/** Of each column no more are looked at, as long as another may have fewer. */
const MAX_LOOKUPS = 1_024;
/** So few that no other column is asked. */
const MAX_FOUND = 32;
/** Where an index leaves more than this share of the rows, going through all of them takes no longer. */
const MAX_SHARE = 1 / 8;

/**
 * Rows, in order, among which are all that hold one of the values in each of some columns: those that the index which
 * tells them apart best leaves. Null where no index says anything. `requests`: how much the answer is worth. Pauses now
 * and then.
 */
export function* equalRows(
  snapshot: Snapshot,
  region: Region,
  equalities: readonly Equality[],
  { indexes, requests }: { readonly indexes: DocumentIndexes; readonly requests: number },
): Generator<void, readonly number[] | null> {
  const first = region.header + 1;
  if (region.end - first <= MIN_INDEXED_ROWS) return null;
  const most = (region.end - first) * MAX_SHARE;
  const asked: { readonly index: ColumnHashes | null; readonly values: readonly Sought[] }[] = [];
  let fewest = null as readonly number[] | null;
  for (const { at, type, values } of equalities) {
    const column = columnOf(snapshot, region, at);
    if (column === undefined) return [];
    if (type !== null && isConverted(type, yield* contentsSteps(snapshot, column, first, region.end))) continue;
    const index = yield* indexes.index(region.sheet, region.columns[at]?.column ?? -1, column, requests);
    const rows: readonly number[] | null = index?.rowsOf(values, fewest?.length ?? Math.min(MAX_LOOKUPS, most)) ?? null;
    asked.push({ index, values });
    if (rows === null) continue;
    fewest = rows;
    if (rows.length <= MAX_FOUND) break;
  }
  // Where each leaves many, they are gone through to their ends.
  for (const { index, values } of fewest === null ? asked : []) {
    fewest = index?.rowsOf(values, fewest?.length ?? most) ?? fewest;
  }
  return fewest?.filter((row) => row >= first && row < region.end).sort((a, b) => a - b) ?? null;
}

/** Whether the type reads some cells of the column as what they are not: an index has them as they are. */
function isConverted(type: RecordType, { text, number, date, time, boolean }: ColumnContents): boolean {
  return type === 'text' ? number + date + time + boolean > 0 : text > 0;
}
