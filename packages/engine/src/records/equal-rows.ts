import type { Snapshot } from '../sheet/snapshot.ts';
import type { RecordType } from './cell-values.ts';
import type { ColumnHashes, SearchValue } from './column-hashes.ts';
import { type ColumnContents, countContentsInSteps } from './column-type.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** Values of which a column's cells must have one. */
export interface ColumnEquality {
  /** The column's index in the region. */
  readonly at: number;
  readonly type: RecordType | null;
  readonly values: readonly SearchValue[];
}

/** Minimum rows of a region whose index is used. Fewer rows are scanned. */
const MIN_INDEXED_ROWS = 512;
/** Maximum rows of a column's index that are read while another column's index may have fewer matching rows. */
const MAX_LOOKUPS = 1_024;
/** Number of matching rows that is small enough: no other column's index is tried. */
const MAX_FOUND = 32;
/** Maximum share of the rows that an index may leave. If it leaves more, a full scan is as fast. */
const MAX_SHARE = 1 / 8;

/** What an answer of an index is worth. */
interface IndexRequest {
  readonly indexes: DocumentIndexes;
  /** The value of an answer, in requests. */
  readonly requests: number;
  /** Maximum entries of an index that are read, as a share of all rows. */
  readonly maxShare?: number;
}

/**
 * Returns the rows, in order, that the most selective index lists. They include every row that has one of the values in
 * each column. Null if no index helps.  Pauses regularly.
 */
export function* findEqualRows(
  snapshot: Snapshot,
  region: Region,
  equalities: readonly ColumnEquality[],
  { indexes, requests, maxShare = MAX_SHARE }: IndexRequest,
): Generator<void, readonly number[] | null> {
  const first = region.header + 1;
  if (region.end - first <= MIN_INDEXED_ROWS) return null;
  const most = (region.end - first) * maxShare;
  const isOnly = equalities.length === 1;
  const lookups: { readonly index: ColumnHashes | null; readonly values: readonly SearchValue[] }[] = [];
  let fewest = null as readonly number[] | null;
  for (const { at, type, values } of equalities) {
    const column = findColumn(snapshot, region, at);
    if (column === undefined) return [];
    if (type !== null && isConverted(type, yield* countContentsInSteps(snapshot, column, first, region.end))) continue;
    const index = yield* indexes.columnHashes(region.sheet, region.columns[at]?.column ?? -1, column, requests);
    const limit: number = fewest?.length ?? (isOnly ? most : Math.min(MAX_LOOKUPS, most));
    const rows: readonly number[] | null = index?.findRows(values, limit) ?? null;
    lookups.push({ index, values });
    if (rows === null) continue;
    fewest = rows;
    if (rows.length <= MAX_FOUND) break;
  }
  // If every index leaves many rows, reads the lists to their ends.
  for (const { index, values } of fewest === null && !isOnly ? lookups : []) {
    fewest = index?.findRows(values, fewest?.length ?? most) ?? fewest;
  }
  return fewest?.filter((row) => row >= first && row < region.end).sort((a, b) => a - b) ?? null;
}

/** True if the type converts some cells of the column. An index contains unconverted values. */
export function isConverted(type: RecordType, { text, number, date, time, boolean }: ColumnContents): boolean {
  return type === 'text' ? number + date + time + boolean > 0 : text > 0;
}
