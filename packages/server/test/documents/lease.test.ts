import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lease } from '../../src/documents/lease.ts';
import { createInstallation } from './support.ts';

const LEASE_TIMEOUT_MS = 1_000;

/** Simulates a process with its own steady clock. */
function createProcess(database: ConstructorParameters<typeof Lease>[0], time: number) {
  const clock = { time };
  return { clock, lease: new Lease(database, 'work', LEASE_TIMEOUT_MS, () => clock.time) };
}

test('one of several processes holds the lease until it releases it or is silent for too long', async (t) => {
  const { database } = await createInstallation(t);
  const [one, other] = [createProcess(database, 5_000_000), createProcess(database, 0)];
  const acquired = await Promise.all([one.lease.acquire(), other.lease.acquire()]);
  assert.equal(acquired.filter(Boolean).length, 1);
  const [holder, next] = acquired[0] ? [one, other] : [other, one];
  assert.equal(await next.lease.acquire(), false);
  next.clock.time += LEASE_TIMEOUT_MS - 1;
  assert.equal(await holder.lease.acquire(), true);
  next.clock.time += LEASE_TIMEOUT_MS - 1;
  assert.equal(await next.lease.acquire(), false, 'the holder has beaten meanwhile');
  next.clock.time += LEASE_TIMEOUT_MS;
  assert.equal(await next.lease.acquire(), true, 'the holder has not');
  assert.equal(await holder.lease.acquire(), false, 'it comes back too late');
  await holder.lease.release();
  assert.equal(await holder.lease.acquire(), false, 'what it gives back is not its own any more');
  await next.lease.release();
  assert.equal(await holder.lease.acquire(), true);
});

test('one of several processes takes over the lease of a dead one', async (t) => {
  const { database } = await createInstallation(t);
  await createProcess(database, 0).lease.acquire();
  const candidates = [1, 2, 3].map(() => createProcess(database, 0));
  for (const { lease } of candidates) assert.equal(await lease.acquire(), false);
  for (const { clock } of candidates) clock.time += LEASE_TIMEOUT_MS;
  const acquired = await Promise.all(candidates.map(({ lease }) => lease.acquire()));
  assert.equal(acquired.filter(Boolean).length, 1);
});
