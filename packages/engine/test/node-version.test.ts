import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

// Node 20 is the oldest version that package.json supports. The `lib` of tsconfig.build.json contains its library.
test('the engine uses only features of Node 20', () => {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  const args = [tsc, '-p', 'tsconfig.build.json', '--noEmit'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' });
  assert.equal(stdout, '');
  assert.equal(status, 0);
});
