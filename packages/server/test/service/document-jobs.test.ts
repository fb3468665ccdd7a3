import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DocumentJobs } from '../../src/service/document/document-jobs.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { temporaryFolder } from '../documents/support.ts';

const IDLE_MS = 5;

test('a file that comes just when a thread ends for having had nothing to do is made by another one', async (t) => {
  const documentJobs = new DocumentJobs(true, { idleMs: IDLE_MS });
  t.after(() => documentJobs.close());
  const folder = temporaryFolder(t);
  const path = join(folder, 'a.csv');
  writeFileSync(path, 'a,b\n1,2\n');
  const options = { locale: 'en-US', timeZone: 'UTC', csv: {} } as const;
  for (let time = 0; time < 5; time++) {
    const file = { path, format: 'csv', options, chunkFile: join(folder, 'chunks'), now: 0 } as const;
    const made = await documentJobs.runInThread('file', file, {
      user: 1,
      signal: new AbortController().signal,
      bytes: 8,
    });
    assert.ok(!isRefusal(made), JSON.stringify(made));
    // Begun after the thread's own wait: it is over when this one is, and the thread is just ending.
    await setTimeout(IDLE_MS);
  }
});
