import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { loadAtFirstUse } from '@cellwire/event-loop';

const SOURCES = new URL('../src/sources.ts', import.meta.url).href;
const IN_CHANGED_PROGRAM = `
  const { parentPort } = require('node:worker_threads');
  import('${SOURCES}')
    .then(({ loadAtFirstUse }) => loadAtFirstUse(async () => 'the module')())
    .catch((error) => error.code)
    .then((outcome) => parentPort.postMessage(outcome));`;

suite('modules that are loaded at their first use', () => {
  test('a failed load is repeated, a successful one is not', async () => {
    const failure = new Error('the disk is broken');
    let loads = 0;
    const use = loadAtFirstUse(async () => {
      loads++;
      if (loads === 1) throw failure;
      return 'the module';
    });
    await assert.rejects(use(), failure);
    assert.deepEqual(await Promise.all([use(), use()]), ['the module', 'the module']);
    assert.equal(await use(), 'the module');
    assert.equal(loads, 2);
  });

  test('no module is loaded after the program files have changed', async () => {
    const sources = [{ path: fileURLToPath(SOURCES), state: 'of an earlier version' }];
    const thread = new Worker(IN_CHANGED_PROGRAM, { eval: true, workerData: { sources } });
    const [outcome] = await once(thread, 'message');
    await thread.terminate();
    assert.equal(outcome, 'SOURCES_CHANGED');
  });
});
