import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateTable } from '@cellwire/store';
import { openPostgres } from '../../../../store/src/postgres/database.ts';
import { openPostgresRates } from '../../../../store/src/postgres/rates.ts';
import { createSchema } from '../../../../store/test/postgres/server.ts';
import { createRateLimiter } from '../../../src/access/rate-limit.ts';

const HOUR_MS = 60 * 60 * 1000;
const LIMIT = 100_000;

/** The table as a node has it whose clock is an hour ahead: moments are the greatest numbers that it sends. */
function anHourAhead({ client, ...table }: RateTable): RateTable {
  const later = (value: unknown) => (typeof value === 'number' && value > HOUR_MS ? value + HOUR_MS : value);
  return {
    ...table,
    client: { query: ({ text, values }) => client.query({ text, values: values.map(later) as typeof values }) },
  };
}

test('requests are counted by the second although the clock of a node is an hour ahead', {
  timeout: 60_000,
}, async (t) => {
  const place = await createSchema();
  const database = await openPostgres({ url: place.url, connections: 1 });
  await database.close();
  const table = openPostgresRates(place.url);
  t.after(async () => {
    await table.close();
    await place.remove();
  });
  const [ahead, right] = [createRateLimiter(anHourAhead(table)), createRateLimiter(table)];
  const left = async (node: typeof right) => {
    t.signal.throwIfAborted();
    const state = await node.count(1, LIMIT);
    return state.limit === null ? null : state.remaining;
  };
  for (const [first, second] of [[ahead, right] as const, [right, ahead] as const]) {
    // A window that one has begun is over a second later for the other, too.
    await left(first);
    while ((await left(second)) !== LIMIT - 1) await delay(20, undefined, { signal: t.signal });
    // And is one for both: it may end between two requests, then once more.
    let before = await left(second);
    while ((await left(first)) !== Number(before) - 1) before = await left(second);
  }
});
