// Runs test files. Many files share a process, because loading the service takes longer than the tests of most files.
//
//   node test/run.mjs                                          all tests
//   node test/run.mjs --fast                                   the tests of `npm test`
//   node test/run.mjs --system                                 all others: browsers, processes, nodes, load
//   node test/run.mjs "packages/server/test/http/*.test.ts"    the tests of these files
//   STORE=postgres node test/run.mjs                           the service's tests on PostgreSQL
//   node test/run.mjs --system --repeat-failed                 failed files run once more, one after another
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { report } from './reporter.mjs';
import { ALL_TESTS, assignFiles, isRepeatedOnPostgres, isSystemTest, PROCESSES, SERVICE_TESTS } from './schedule.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETUP = new URL('setup.mjs', import.meta.url).href;
const RUN_FILES = new URL('run-files.ts', import.meta.url).href;

const isOnPostgres = process.env['STORE'] === 'postgres';
const { values: options, positionals: patterns } = parseArgs({
  options: { fast: { type: 'boolean' }, system: { type: 'boolean' }, 'repeat-failed': { type: 'boolean' } },
  allowPositionals: true,
});
/** Maximum number of files that run again. More failures do not happen by chance. */
const MAX_REPEATED = 3;

const files = selectFiles();
if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' or ')}`);
try {
  process.exitCode = (await runSelected()) ? 0 : 1;
} catch (error) {
  // `node:test` discards errors that nothing catches.
  console.error(error);
  process.exitCode = 1;
}

/** Returns whether all selected files passed. */
async function runSelected() {
  const { failedFiles, isCompleted } = await runTests(assignFiles(files, isOnPostgres));
  const isRepeated =
    options['repeat-failed'] && isCompleted && failedFiles.length > 0 && failedFiles.length <= MAX_REPEATED;
  if (!isRepeated) return isCompleted && failedFiles.length === 0;
  console.log(`\nRepeated, one after another (a file that passes now is unreliable): ${failedFiles.join(', ')}`);
  // Failed files are repeated after this time, too: a failure must not become a skipped file.
  delete process.env['BEGIN_UNTIL'];
  const repeated = await runTests([failedFiles]);
  return repeated.isCompleted && repeated.failedFiles.length === 0;
}

/**
 * Runs each list of files in a process. Returns the files with failed tests, and whether all processes ended as expected.
 */
async function runTests(lists) {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-tests-'));
  const failedFiles = [];
  let isCompleted = true;
  // `node:test` starts a process for each of its files. Each of these scripts runs the files of one list.
  const scripts = lists.map((list, i) => {
    const path = join(folder, `${i + 1}.mjs`);
    const urls = list.map((file) => pathToFileURL(join(ROOT, file)).href);
    const call = `runFiles(${JSON.stringify(urls)}, ${JSON.stringify(folder)})`;
    writeFileSync(path, `import { runFiles } from ${JSON.stringify(RUN_FILES)};\nawait ${call};\n`);
    return path;
  });
  const output = run({ files: scripts, concurrency: PROCESSES, execArgv: ['--import', SETUP] })
    .on('test:fail', ({ name, todo, details }) => {
      if (todo !== undefined && todo !== false) return;
      if (files.includes(name)) failedFiles.push(name);
      else if (scripts.includes(name) && details.error?.failureType !== 'subtestsFailed') isCompleted = false;
    })
    .compose(report);
  for await (const text of output) process.stdout.write(text);
  rmSync(folder, { recursive: true, force: true });
  return { failedFiles, isCompleted };
}

function selectFiles() {
  if (patterns.length > 0) return findFiles(patterns);
  if (isOnPostgres) return findFiles(SERVICE_TESTS).filter(isRepeatedOnPostgres);
  const files = ALL_TESTS.flatMap(findFiles);
  if (options.fast) return files.filter((file) => !isSystemTest(file));
  return options.system ? files.filter(isSystemTest) : files;
}

function findFiles(globs) {
  return globSync(globs, { cwd: ROOT }).toSorted();
}
