import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ColumnTypes } from './cell-values.ts';
import type { ColumnOrder, NumberBounds } from './column-order.ts';
import { countContentsInSteps } from './column-type.ts';
import type { NumberOrder } from './conditions.ts';
import { isConverted } from './equal-rows.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

/** Minimum number of rows of a region for which an index is used. Smaller regions are read directly. */
const MIN_INDEXED_ROWS = 512;

interface IndexAccess {
  readonly types: ColumnTypes;
  readonly indexes: DocumentIndexes;
}

/** Returns the index of a column's order, for all rows below the header; null if this request cannot use one. */
export function* findColumnOrder(
  snapshot: Snapshot,
  region: Region,
  columnIndex: number,
  { types, indexes }: IndexAccess,
): Generator<void, ColumnOrder | null> {
  const column = findColumn(snapshot, region, columnIndex);
  const first = region.header + 1;
  if (column === undefined || region.end - first < MIN_INDEXED_ROWS) return null;
  const type = types.get(columnIndex) ?? null;
  if (type !== null && isConverted(type, yield* countContentsInSteps(snapshot, column, first, region.end))) return null;
  const { sheet } = region;
  const { locale } = snapshot.settings;
  return yield* indexes.requestColumnOrder(
    { sheet, at: region.columns[columnIndex]?.column ?? -1, first, locale },
    column,
  );
}

/** Bounds of the numbers in a column. */
export interface ColumnBound {
  /** Index of the column in the region. */
  readonly at: number;
  readonly order: NumberOrder;
}

/** Rows whose numbers in one column are within all bounds of that column. */
interface BoundedRows {
  readonly at: number;
  /** Rows grouped by block, in the order of the blocks. */
  readonly rows: Uint32Array;
}

/**
 * Returns the rows within the bounds of one column: the column with the fewest such rows. Null if each column has more
 * than `limit`, or has no index. Pauses regularly.
 */
export function* findBoundedRows(
  snapshot: Snapshot,
  region: Region,
  bounds: readonly ColumnBound[],
  indexAccess: IndexAccess,
  limit: number,
): Generator<void, BoundedRows | null> {
  let fewest = null as BoundedRows | null;
  for (const at of new Set(bounds.map((bound) => bound.at))) {
    const index = yield* findColumnOrder(snapshot, region, at, indexAccess);
    const columnBounds = combineBounds(bounds.filter((bound) => bound.at === at));
    const rows: Uint32Array | null = index?.findRowsWithin(columnBounds, fewest?.rows.length ?? limit) ?? null;
    if (rows !== null) fewest = { at, rows };
  }
  return fewest && { ...fewest, rows: groupByBlock(fewest.rows, region) };
}

/** The bounds that satisfy all given bounds of a column. */
function combineBounds(bounds: readonly ColumnBound[]): NumberBounds {
  let low = { bound: Number.NEGATIVE_INFINITY, isIn: true };
  let high = { bound: Number.POSITIVE_INFINITY, isIn: true };
  for (const { order } of bounds) {
    const { bound, sign, orEqual } = order;
    const one = { bound, isIn: orEqual };
    if (sign > 0) low = bound > low.bound || (bound === low.bound && !orEqual) ? one : low;
    else high = bound < high.bound || (bound === high.bound && !orEqual) ? one : high;
  }
  return { low, high };
}

/** Groups rows of a region by block. */
function groupByBlock(rows: Uint32Array, { header, end }: Region): Uint32Array {
  const blocks = toBlock(end) + 2;
  const starts = new Uint32Array(blocks);
  let count = 0;
  for (const row of rows) {
    if (row <= header || row >= end) continue;
    starts[toBlock(row) + 1]!++;
    count++;
  }
  for (let block = 1; block < blocks; block++) starts[block]! += starts[block - 1]!;
  const grouped = new Uint32Array(count);
  for (const row of rows) if (row > header && row < end) grouped[starts[toBlock(row)]!++] = row;
  return grouped;
}

/** The number of the block of 256 rows that contains a row. */
function toBlock(row: number): number {
  return row >> CHUNK_SHIFT;
}
