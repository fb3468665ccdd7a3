import type { RateTable } from '../database/cluster.ts';
import { RATE_CONNECTIONS } from '../database/limits.ts';
import { RATES } from '../migrations/request-rates.ts';
import { ConnectionPool } from './connection-pool.ts';

/** SQL of the current time in milliseconds since 1970-01-01 UTC, by the clock that all nodes share. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * Replaces the node's clock by the database's. In the library's statements `$3` is the end of a window and `$4` the
 * current time, both by the node's clock. Without this, a window of a node whose clock is one hour fast would last an
 * hour for other nodes.
 */
function useDatabaseClock(text: string): string {
  return text.replaceAll('$4', NOW).replaceAll('$3', `(${NOW} + $3::bigint - $4::bigint)`);
}

/** Opens the table on separate connections, so that counting a request never waits for other work. */
export function openPostgresRates(url: string): RateTable {
  const pool = new ConnectionPool(url, RATE_CONNECTIONS);
  return {
    name: RATES,
    client: {
      query: ({ text, values }) =>
        pool.runWithConnection((connection) => connection.sendStatement(useDatabaseClock(text), values)),
    },
    close: () => pool.close(),
  };
}
