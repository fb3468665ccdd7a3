import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lease } from '../../src/documents/lease.ts';
import { newInstallation } from './support.ts';

const LOST_MS = 1_000;

/** Processes with steady clocks of their own, which show different times. */
function processOf(database: ConstructorParameters<typeof Lease>[0], time: number) {
  const clock = { time };
  return { clock, lease: new Lease(database, 'work', LOST_MS, () => clock.time) };
}

test('one of several processes holds the lease until it releases it or is silent for too long', async (t) => {
  const { database } = await newInstallation(t);
  const [one, other] = [processOf(database, 5_000_000), processOf(database, 0)];
  const taken = await Promise.all([one.lease.acquire(), other.lease.acquire()]);
  assert.equal(taken.filter(Boolean).length, 1);
  const [holder, next] = taken[0] ? [one, other] : [other, one];
  assert.equal(await next.lease.acquire(), false);
  next.clock.time += LOST_MS - 1;
  assert.equal(await holder.lease.acquire(), true);
  next.clock.time += LOST_MS - 1;
  assert.equal(await next.lease.acquire(), false, 'the holder has beaten meanwhile');
  next.clock.time += LOST_MS;
  assert.equal(await next.lease.acquire(), true, 'the holder has not');
  assert.equal(await holder.lease.acquire(), false, 'it comes back too late');
  await holder.lease.release();
  assert.equal(await holder.lease.acquire(), false, 'what it gives back is not its own any more');
  await next.lease.release();
  assert.equal(await holder.lease.acquire(), true);
});

test('one of several processes takes over the lease of a dead one', async (t) => {
  const { database } = await newInstallation(t);
  await processOf(database, 0).lease.acquire();
  const heirs = [1, 2, 3].map(() => processOf(database, 0));
  for (const { lease } of heirs) assert.equal(await lease.acquire(), false);
  for (const { clock } of heirs) clock.time += LOST_MS;
  const taken = await Promise.all(heirs.map(({ lease }) => lease.acquire()));
  assert.equal(taken.filter(Boolean).length, 1);
});
