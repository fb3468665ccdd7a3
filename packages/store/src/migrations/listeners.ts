import type { SqlColumnTypes } from '../database/dialect.ts';

/** Subscriptions of `webhook listen`: the end of the process's lease. */
export function addListenerColumn(t: SqlColumnTypes): readonly string[] {
  return [`alter table webhooks add column listening_until ${t.long}`];
}
