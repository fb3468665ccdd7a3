import type { SqlColumnTypes } from '../database/dialect.ts';

/** The revision that a write with an idempotency key created. */
export function addIdempotentRevisionColumn(t: SqlColumnTypes): readonly string[] {
  return [`alter table idempotency add column revision ${t.long}`];
}
