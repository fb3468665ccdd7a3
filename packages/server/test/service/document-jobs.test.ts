import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { LONG_JOB_MS } from '../../src/limits/jobs.ts';
import { DocumentJobs } from '../../src/service/document/document-jobs.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { createTemporaryFolder } from '../documents/support.ts';

const IDLE_MS = 5;

/** Returns a function that reads a small file in a thread. */
function createReader(t: TestContext, documentJobs: DocumentJobs): () => Promise<void> {
  t.after(() => documentJobs.close());
  const folder = createTemporaryFolder(t);
  const path = join(folder, 'a.csv');
  writeFileSync(path, 'a,b\n1,2\n');
  const options = { locale: 'en-US', timeZone: 'UTC', csv: {} } as const;
  return async () => {
    const file = { path, format: 'csv', options, chunkFile: join(folder, 'chunks'), now: 0 } as const;
    const owner = { user: 1, signal: new AbortController().signal, bytes: 8 };
    const parsed = await documentJobs.runInThread('file', file, owner);
    assert.ok(!isRefusal(parsed), JSON.stringify(parsed));
  };
}

test('another thread reads a file that arrives while an idle thread ends', async (t) => {
  const readFile = createReader(t, new DocumentJobs(true, { idleMs: IDLE_MS }));
  for (let time = 0; time < 5; time++) {
    await readFile();
    // This timer starts after the thread's idle timer. When it fires, the thread is therefore about to end.
    await setTimeout(IDLE_MS);
  }
});

test('the thread of a job that used little processor time in a long time reads the next file', async (t) => {
  let threads = 0;
  const countThread = () => threads++;
  subscribe('worker_threads', countThread);
  t.after(() => unsubscribe('worker_threads', countThread));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const readFile = createReader(t, new DocumentJobs(true));
  const first = readFile();
  await setImmediate();
  assert.equal(threads, 1, 'the thread starts');
  t.mock.timers.tick(LONG_JOB_MS);
  await first;
  await readFile();
  assert.equal(threads, 1);
});
