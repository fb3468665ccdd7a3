import { RATE_CONNECTIONS } from '../../limits/limits.ts';
import type { RateTable } from '../cluster.ts';
import { RATES } from '../migration-rates.ts';
import { Links } from './links.ts';

/** On connections of its own, so that counting a request never waits for the work of others. */
export function openPostgresRates(url: string): RateTable {
  const links = new Links(url, RATE_CONNECTIONS);
  return {
    name: RATES,
    client: { query: ({ text, values }) => links.use((link) => link.send(text, values)) },
    close: () => links.close(),
  };
}
