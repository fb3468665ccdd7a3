import type { RateTable } from '../database/cluster.ts';
import { RATE_CONNECTIONS } from '../database/limits.ts';
import { RATES } from '../migrations/rates.ts';
import { ConnectionPool } from './connection-pool.ts';

/** Now in milliseconds since 1970-01-01 UTC, by the clock that all nodes share. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * In the library's statements `$3` is when a window ends and `$4` is now, by the clock of the node: a window that one
 * with a clock an hour ahead had begun would last an hour for the others. So both are taken by the database's clock.
 */
function useDatabaseClock(text: string): string {
  return text.replaceAll('$4', NOW).replaceAll('$3', `(${NOW} + $3::bigint - $4::bigint)`);
}

/** On connections of its own, so that counting a request never waits for the work of others. */
export function openPostgresRates(url: string): RateTable {
  const pool = new ConnectionPool(url, RATE_CONNECTIONS);
  return {
    name: RATES,
    client: { query: ({ text, values }) => pool.use((connection) => connection.send(useDatabaseClock(text), values)) },
    close: () => pool.close(),
  };
}
