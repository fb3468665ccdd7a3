import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Runs tests with `run.mjs` in a process of their own. */
function runTests(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.test.ts');
  writeFileSync(path, `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n${text}`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['test/run.mjs', relative(ROOT, path)], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  return { output: stdout + stderr, status };
}

/** Tests that fail, by the reason that the report must show. */
const FAILURES = {
  'reference-equal': 'assert.deepEqual({ compute: () => 1 }, { compute: () => 2 });',
  'deep-equal': 'assert.deepEqual({ cells: new SharedArrayBuffer(8) }, {});',
  'no error': "throw 'no error';",
  'in a promise': `Promise.resolve().then(async () => {
    await null;
    throw new Error('in a promise');
  });
  await new Promise(setImmediate);`,
  'in a timer': `await null;
  setTimeout(() => { throw new Error('in a timer'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 1));`,
};

test('a run prints why tests failed', (t) => {
  const tests = Object.values(FAILURES).map((code, i) => `test('number ${i}', async () => {\n  ${code}\n});\n`);
  const { output, status } = runTests(t, `${tests.join('')}test('last', () => {});\n`);
  assert.equal(status, 1);
  const failures = output.split('✖').slice(1);
  for (const [i, reason] of Object.keys(FAILURES).entries()) {
    assert.match(failures[i] ?? '', new RegExp(`number ${i}\n.*\n.*${reason}`), output);
  }
  assert.match(output, /1 passed, 5 failed, 0 skipped/);
});

test('a run that passes exits with 0', (t) => {
  const { output, status } = runTests(t, "test('adds', () => assert.equal(1 + 1, 2));\n");
  assert.match(output, /1 passed, 0 failed, 0 skipped/);
  assert.equal(status, 0);
});
