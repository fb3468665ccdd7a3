import type { Snapshot } from '../sheet/snapshot.ts';
import type { ColumnTypes } from './cell-values.ts';
import type { ColumnOrder, NumberBounds } from './column-order.ts';
import { countContentsInSteps } from './column-type.ts';
import type { NumberOrder } from './conditions.ts';
import { isConverted, MIN_INDEXED_ROWS } from './equal-rows.ts';
import type { DocumentIndexes } from './record-indexes.ts';
import { findColumn, type Region } from './region.ts';

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
  if (column === undefined || region.end - first <= MIN_INDEXED_ROWS) return null;
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

/** Rows of a region whose numbers in one column are within all bounds of that column. */
interface BoundedRows {
  readonly at: number;
  /** In the order of the numbers. */
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
  if (fewest === null) return null;
  const { at, rows } = fewest;
  // The index contains all rows below the header, also rows after the end of the region.
  const isWhole = (findColumn(snapshot, region, at)?.filledRows() ?? 0) <= region.end;
  return isWhole ? fewest : { at, rows: rows.filter((row) => row < region.end) };
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
