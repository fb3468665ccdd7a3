import type { ColumnTypes } from '../database/dialect.ts';

export const RATES = 'request_rates';

/** How many requests each user made in the running second; its columns are those that `rate-limiter-flexible` uses. */
export function rateTable(t: ColumnTypes): readonly string[] {
  return [
    `create ${t.unlogged}table ${RATES} (
      key ${t.text} not null primary key,
      points integer not null default 0,
      expire ${t.long}
    )`,
  ];
}
