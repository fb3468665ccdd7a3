import type { SqlColumnTypes } from '../database/dialect.ts';

/** Subscriptions to selected cells and records, and the changes of records in a window. */
export function addWatchedCellColumns(t: SqlColumnTypes): readonly string[] {
  return [`alter table webhooks add column watch ${t.text}`, `alter table notifications add column records ${t.text}`];
}
