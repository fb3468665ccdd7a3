import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { RateTable } from '@cellwire/store';
import { openPostgres } from '../../../../store/src/postgres/database.ts';
import { openPostgresRates } from '../../../../store/src/postgres/rates.ts';
import { createSchema } from '../../../../store/test/postgres/server.ts';
import { createRateLimiter } from '../../../src/access/rate-limiter.ts';

const HOUR_MS = 60 * 60 * 1000;
const LIMIT = 100_000;

/** Simulates a node whose clock is an hour ahead by shifting all times that it sends, which are its largest numbers. */
function simulateFastClock({ client, ...table }: RateTable): RateTable {
  const addHour = (value: unknown) => (typeof value === 'number' && value > HOUR_MS ? value + HOUR_MS : value);
  return {
    ...table,
    client: { query: ({ text, values }) => client.query({ text, values: values.map(addHour) as typeof values }) },
  };
}

test('requests are counted per second although the clock of one node is an hour ahead', {
  timeout: 60_000,
}, async (t) => {
  const schema = await createSchema();
  const database = await openPostgres({ url: schema.url, connections: 1 });
  await database.close();
  const table = openPostgresRates(schema.url);
  t.after(async () => {
    await table.close();
    await schema.remove();
  });
  const [ahead, accurate] = [createRateLimiter(simulateFastClock(table)), createRateLimiter(table)];
  const countRequest = async (node: typeof accurate) => {
    t.signal.throwIfAborted();
    const state = await node.countRequest(1, LIMIT);
    return state.limit === null ? null : state.remaining;
  };
  for (const [first, second] of [[ahead, accurate] as const, [accurate, ahead] as const]) {
    // A window that one node began ends one second later for the other node, too.
    await countRequest(first);
    while ((await countRequest(second)) !== LIMIT - 1) await delay(20, undefined, { signal: t.signal });
    // Both nodes share one window. It may end between two requests; then the loop repeats.
    let before = await countRequest(second);
    while ((await countRequest(first)) !== Number(before) - 1) before = await countRequest(second);
  }
});
