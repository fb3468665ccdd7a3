import type { ColumnTypes } from './dialect.ts';

/** The orders of rows after sorts of many rows; see `row-orders.ts`. */
export function rowOrdersColumn(t: ColumnTypes): readonly string[] {
  return [`alter table commits add column row_orders ${t.text}`];
}
