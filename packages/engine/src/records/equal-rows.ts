import type { Snapshot } from '../sheet/snapshot.ts';
import type { RecordType } from './cell-values.ts';
import type { ColumnHashes, SearchValue } from './column-hashes.ts';
import { type ColumnContents, countContentsInSteps } from './column-type.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** A column, and a list of values: a cell matches if it equals one of them. */
export interface ColumnEquality {
  /** Index of the column in the region. */
  readonly at: number;
  readonly type: RecordType | null;
  readonly values: readonly SearchValue[];
}

/** Minimum number of rows of a region for which an index is used. Smaller regions are scanned. */
export const MIN_INDEXED_ROWS = 512;
/**
 * Maximum number of rows that are read from the index of a column while the index of another column may have fewer
 * matching rows.
 */
const MAX_LOOKUPS = 1_024;
/** If an index has at most this number of matching rows, no other index is tried. */
const MAX_FOUND = 32;
/** Maximum share of the rows that an index may return. If it returns more, a full scan is as fast. */
const MAX_SHARE = 1 / 8;

/** The indexes of a document, and the limits for their use. */
interface IndexRequest {
  readonly indexes: DocumentIndexes;
  /** How many requests this request counts as, for the decision whether to build an index. */
  readonly requests: number;
  /** Maximum number of index entries that are read, as a share of all rows. */
  readonly maxShare?: number;
}

/**
 * Returns the rows, in order, that the most selective index contains. They include every row that has one of the values
 * in each column. Null if no index is selective enough. Pauses regularly.
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
    const index = yield* indexes.requestColumnHashes(region.sheet, region.columns[at]?.column ?? -1, column, requests);
    const limit: number = fewest?.length ?? (isOnly ? most : Math.min(MAX_LOOKUPS, most));
    const rows: readonly number[] | null = index?.findRows(values, limit) ?? null;
    lookups.push({ index, values });
    if (rows === null) continue;
    fewest = rows;
    if (rows.length <= MAX_FOUND) break;
  }
  // If every index contains many rows, reads all of them completely.
  for (const { index, values } of fewest === null && !isOnly ? lookups : []) {
    fewest = index?.findRows(values, fewest?.length ?? most) ?? fewest;
  }
  return fewest?.filter((row) => row >= first && row < region.end).sort((a, b) => a - b) ?? null;
}

/** True if a record type converts some cells of the column. An index contains unconverted values. */
export function isConverted(type: RecordType, { text, number, date, time, boolean }: ColumnContents): boolean {
  return type === 'text' ? number + date + time + boolean > 0 : text > 0;
}
