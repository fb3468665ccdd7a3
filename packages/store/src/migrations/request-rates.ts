import type { SqlColumnTypes } from '../database/dialect.ts';

export const RATES = 'request_rates';

/** Number of a user's requests in the current second. `rate-limiter-flexible` defines the columns. */
export function createRateTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create ${t.unlogged}table ${RATES} (
      key ${t.text} not null primary key,
      points integer not null default 0,
      expire ${t.long}
    )`,
  ];
}
