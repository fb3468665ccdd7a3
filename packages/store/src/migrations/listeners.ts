import type { ColumnTypes } from '../database/dialect.ts';

/** Subscriptions of `webhook listen`: until when their process counts as running. */
export function listenerColumn(t: ColumnTypes): readonly string[] {
  return [`alter table webhooks add column listening_until ${t.long}`];
}
