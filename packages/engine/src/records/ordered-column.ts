import { CHUNK_SHIFT } from '../sheet/chunk.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { ColumnTypes } from './cell-values.ts';
import type { ColumnOrder, NumberBounds } from './column-order.ts';
import { contentsSteps } from './column-type.ts';
import type { NumberOrder } from './conditions.ts';
import { isConverted } from './equal-rows.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { columnOf, type Region } from './region.ts';

/** Minimum rows of a region whose index is used. Fewer rows are read without one. */
const MIN_INDEXED_ROWS = 512;

interface IndexUse {
  readonly types: ColumnTypes;
  readonly indexes: DocumentIndexes;
}

/** The index of a column's order, for all rows below the header; null if there is none for this request. */
export function* orderOf(
  snapshot: Snapshot,
  region: Region,
  at: number,
  { types, indexes }: IndexUse,
): Generator<void, ColumnOrder | null> {
  const column = columnOf(snapshot, region, at);
  const first = region.header + 1;
  if (column === undefined || region.end - first < MIN_INDEXED_ROWS) return null;
  const type = types.get(at) ?? null;
  if (type !== null && isConverted(type, yield* contentsSteps(snapshot, column, first, region.end))) return null;
  const { sheet } = region;
  const { locale } = snapshot.settings;
  return yield* indexes.order({ sheet, at: region.columns[at]?.column ?? -1, first, locale }, column);
}

/** Bounds of the numbers in a column. */
export interface ColumnBound {
  /** The column's index in the region. */
  readonly at: number;
  readonly order: NumberOrder;
}

/** Rows whose numbers in one column are within all bounds of this column. */
interface BoundedRows {
  readonly at: number;
  /** Rows grouped by block, in the order of the blocks. */
  readonly rows: Uint32Array;
}

/**
 * The rows within the bounds of the column that leaves the fewest; null if each column leaves more than `limit`, or has
 * no index. Pauses regularly.
 */
export function* boundedRows(
  snapshot: Snapshot,
  region: Region,
  bounds: readonly ColumnBound[],
  use: IndexUse,
  limit: number,
): Generator<void, BoundedRows | null> {
  let fewest = null as BoundedRows | null;
  for (const at of new Set(bounds.map((bound) => bound.at))) {
    const index = yield* orderOf(snapshot, region, at, use);
    const own = combineBounds(bounds.filter((bound) => bound.at === at));
    const rows: Uint32Array | null = index?.rowsWithin(own, fewest?.rows.length ?? limit) ?? null;
    if (rows !== null) fewest = { at, rows };
  }
  return fewest && { ...fewest, rows: groupByBlock(fewest.rows, region) };
}

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

/** The rows of a region, grouped by block. */
function groupByBlock(rows: Uint32Array, { header, end }: Region): Uint32Array {
  const blocks = blockOf(end) + 2;
  const starts = new Uint32Array(blocks);
  let count = 0;
  for (const row of rows) {
    if (row <= header || row >= end) continue;
    starts[blockOf(row) + 1]!++;
    count++;
  }
  for (let block = 1; block < blocks; block++) starts[block]! += starts[block - 1]!;
  const grouped = new Uint32Array(count);
  for (const row of rows) if (row > header && row < end) grouped[starts[blockOf(row)]!++] = row;
  return grouped;
}

function blockOf(row: number): number {
  return row >> CHUNK_SHIFT;
}
