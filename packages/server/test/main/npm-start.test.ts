import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createInstallation, type Installation } from './support.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

let cellwire: Installation;
before(async () => {
  cellwire = await createInstallation({ CELLWIRE_LOG_LEVEL: 'silent' });
});
after(() => cellwire.remove());

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`npm start forwards ${signal} and ends with the exit code of the service`, {
    skip: process.platform === 'win32' && 'Windows has no signals that one process could pass on',
  }, async () => {
    const npm = spawn('npm', ['start'], { cwd: ROOT, env: cellwire.env, stdio: ['ignore', 'pipe', 'ignore'] });
    const exit = once(npm, 'exit');
    for await (const line of createInterface({ input: npm.stdout })) {
      // The service holds the other end of the pipe, so the loop ends when the service ends.
      if (line.startsWith('listening on ')) npm.kill(signal);
    }
    assert.deepEqual(await exit, [0, null]);
  });
}
