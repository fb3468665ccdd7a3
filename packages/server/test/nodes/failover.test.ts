import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../http/send.ts';
import { startWorld, type World } from '../http/support.ts';
import { startCluster } from '../postgres/cluster.ts';
import { Wire } from '../postgres/wire.ts';

/** Between two looks whether the service is back, in milliseconds. */
const LOOK_MS = 100;

async function untilReady({ server }: World): Promise<void> {
  while ((await send(`${server.address}/readyz`)).status !== 200) await delay(LOOK_MS);
}

/** A primary, the server that has taken over from it, and a node at whose address is now the one, now the other. */
async function failedOver(t: TestContext) {
  const primary = await startCluster();
  const wire = await Wire.to(primary.url);
  const world = await startWorld({ databaseUrl: wire.url });
  const book = await world.book();
  assert.equal((await book.put('A1', [[1]])).status, 200);
  const successor = await primary.succeed();
  t.after(async () => {
    await world.close();
    await wire.close();
    await successor.remove();
    await primary.remove();
  });
  wire.leadTo(successor.url);
  await untilReady(world);
  return { primary, successor, wire, world, book };
}

test('a node goes on with the server that took over, and not again with the one before it', {
  timeout: 300_000,
}, async (t) => {
  const { primary, successor, wire, world, book } = await failedOver(t);
  assert.equal((await book.put('A1', [[2]])).status, 200);
  wire.leadTo(primary.url);
  for (const answer of [await book.get('A1'), await book.put('A1', [[3]]), await book.append('A1', [[4]])]) {
    assert.equal(answer.status, 503);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  wire.leadTo(successor.url);
  await untilReady(world);
  assert.equal((await book.cell('A1')).v, 2);
  assert.equal((await book.put('A1', [[5]])).status, 200);
  assert.equal((await book.cell('A1')).v, 5);
});
