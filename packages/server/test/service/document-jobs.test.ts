import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DocumentJobs } from '../../src/service/document/document-jobs.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { createTemporaryFolder } from '../documents/support.ts';

const IDLE_MS = 5;

test('another thread reads a file that arrives while an idle thread ends', async (t) => {
  const documentJobs = new DocumentJobs(true, { idleMs: IDLE_MS });
  t.after(() => documentJobs.close());
  const folder = createTemporaryFolder(t);
  const path = join(folder, 'a.csv');
  writeFileSync(path, 'a,b\n1,2\n');
  const options = { locale: 'en-US', timeZone: 'UTC', csv: {} } as const;
  for (let time = 0; time < 5; time++) {
    const file = { path, format: 'csv', options, chunkFile: join(folder, 'chunks'), now: 0 } as const;
    const parsed = await documentJobs.runInThread('file', file, {
      user: 1,
      signal: new AbortController().signal,
      bytes: 8,
    });
    assert.ok(!isRefusal(parsed), JSON.stringify(parsed));
    // This timer starts after the thread's idle timer. When it fires, the thread is therefore about to end.
    await setTimeout(IDLE_MS);
  }
});
