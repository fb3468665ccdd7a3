import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';
import type { ThreadClaim } from '../../src/documents/calculation/thread-set.ts';
import type { CalculationWorker } from '../../src/documents/calculation/worker.ts';

/**
 * Creates a pool of four threads, one of which holds four documents of user 1 and is busy until `release` is called.
 */
async function occupyThread() {
  const pool = new CalculationPool(4);
  const runInThread = (claim: ThreadClaim) =>
    pool.calculate(claim, async (worker) => worker) as Promise<CalculationWorker>;
  const home = await runInThread({ user: 1, expectedMs: 0 });
  for (const document of [1, 2, 3, 4]) home.documents.set(document, 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  const busy = pool.calculate({ user: 1, home, expectedMs: 100 }, () => promise);
  const release = async () => {
    resolve();
    await busy;
  };
  return { threadOf: runInThread, home, release };
}

test('a long task leaves a busy thread for one with at least two documents fewer', async () => {
  const { threadOf, home, release } = await occupyThread();
  const other = await threadOf({ user: 1, home, expectedMs: 100 });
  assert.notEqual(other, home);
  for (const document of [5, 6, 7]) other.documents.set(document, 1);
  const next = threadOf({ user: 1, home, expectedMs: 100 });
  await release();
  assert.equal(await next, home);
});

test('a short task waits for the thread of its document', async () => {
  const { threadOf, home, release } = await occupyThread();
  const next = threadOf({ user: 1, home, expectedMs: 1 });
  await release();
  assert.equal(await next, home);
});

test('documents of one user do not spread over the threads that are left for other users', async () => {
  const { threadOf, home, release } = await occupyThread();
  const second = await threadOf({ user: 1, home, expectedMs: 100 });
  for (const document of [5, 6, 7]) second.documents.set(document, 1);
  for (const document of [8, 9, 10]) home.documents.set(document, 1);
  assert.equal(await threadOf({ user: 1, home, expectedMs: 100 }), second);
  await release();
});
