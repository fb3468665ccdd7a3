import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../bin/cellwire.mjs', import.meta.url));
/** Prints at the end whether Node loaded the compiler that strips types from TypeScript. */
const REPORT = `process.on('exit', () => console.log(process.moduleLoadList.some((name) => /amaro/.test(name))))`;

test('a command starts without the compiler of TypeScript if its code is in the cache', (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'cellwire-cache-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const run = () => {
    const words = ['--import', `data:text/javascript,${REPORT}`, COMMAND, '--version'];
    const { status, stdout } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      env: { ...process.env, NODE_COMPILE_CACHE: cache, NODE_OPTIONS: '' },
    });
    assert.equal(status, 0);
    return stdout.trim().split('\n').at(-1);
  };
  assert.deepEqual([run(), run()], ['true', 'false']);
});
