import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { PYTHON, PYTHON_FOLDER } from './clients.ts';

const run = promisify(execFile);
const env = { ...process.env, PYTHONPATH: `${PYTHON_FOLDER}/src`, PYTHONDONTWRITEBYTECODE: '1' };
const options = { cwd: PYTHON_FOLDER, env };

function hasModule(name: string): boolean {
  return PYTHON !== null && spawnSync(PYTHON, ['-m', name, '--version'], options).status === 0;
}

suite('the Python client', { skip: PYTHON === null && 'Python 3.9 or newer is not installed' }, () => {
  test('passes its own tests', async () => {
    const { stderr } = await run(PYTHON ?? '', ['-W', 'ignore', '-m', 'unittest', 'tests.test_client'], options);
    assert.match(stderr, /\nOK/);
  });

  test('has asyncio classes generated from its methods', async () => {
    await run(PYTHON ?? '', ['scripts/make_aio.py', '--check'], options);
  });

  for (const checker of ['mypy', 'pyright']) {
    const skip = !hasModule(checker) && `${checker} is not installed`;
    test(`passes the strict type check of ${checker}`, { skip }, async () => {
      await run(PYTHON ?? '', ['-m', checker], options);
    });
  }
});
