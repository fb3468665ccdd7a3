import type { ColumnTypes } from '../database/dialect.ts';

/** Subscriptions to some cells and records alone, and what became of these in a window. */
export function followedColumns(t: ColumnTypes): readonly string[] {
  return [`alter table webhooks add column watch ${t.text}`, `alter table notifications add column records ${t.text}`];
}
