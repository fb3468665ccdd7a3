// The command `npm test`:
//
//   npm test                     types and style, then the fast tests; `npm run test:system` runs the others
//   npm test -- values undo      the tests with one of the words in their paths (patterns may contain *)
//   npm test -- --watch values   the same, repeated when a source is saved
import { spawn } from 'node:child_process';
import { globSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TESTS = ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'];
/** Time without a change after which tests run again, in milliseconds. Editors save several files at once. */
const QUIET_MS = 300;

const options = process.argv.slice(2);
const isWatching = options.includes('--watch');
const words = options.filter((word) => word !== '--watch');

if (isWatching) watchSources();
else process.exitCode = await runOnce();

async function runOnce() {
  if (words.length > 0) return runTests();
  return (await runScript('scripts/check.mjs')) || (await runScript('test/run.mjs', '--fast'));
}

function runTests() {
  const files = words.length === 0 ? [] : findFiles(words);
  if (words.length > 0 && files.length === 0) {
    console.error(`No test file has ${words.join(' or ')} in its path`);
    return Promise.resolve(1);
  }
  return runScript('test/run.mjs', ...files);
}

/** Test files whose paths contain a word, or match a pattern. */
function findFiles(patterns) {
  const all = globSync(TESTS, { cwd: ROOT });
  const matching = new Set(
    patterns.filter((word) => word.includes('*')).flatMap((word) => globSync(word, { cwd: ROOT })),
  );
  return all.filter((file) => matching.has(file) || patterns.some((word) => file.includes(word)));
}

function watchSources() {
  let timer = null;
  let running = Promise.resolve();
  const scheduleRun = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(runTests);
    }, QUIET_MS);
  };
  for (const folder of ['packages', 'test']) {
    watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
      if (/\.tsx?$/.test(name ?? '') && !/node_modules|dist/.test(name)) scheduleRun();
    });
  }
  scheduleRun();
}

/** Runs a script with this version of Node and returns its exit code. */
function runScript(script, ...args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, stdio: 'inherit' });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
