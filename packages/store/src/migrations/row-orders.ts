import type { SqlColumnTypes } from '../database/dialect.ts';

/** Orders of rows after sorts of many rows; see `stored-forms/row-orders.ts`. */
export function addRowOrdersColumn(t: SqlColumnTypes): readonly string[] {
  return [`alter table commits add column row_orders ${t.text}`];
}
