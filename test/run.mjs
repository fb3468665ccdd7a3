// Runs test files. Many files share a process, because loading the service takes longer than the tests of most files.
//
//   node test/run.mjs                                          all tests
//   node test/run.mjs --fast                                   the tests of `npm test`
//   node test/run.mjs --system                                 all others: browsers, processes, nodes, load
//   node test/run.mjs "packages/server/test/http/*.test.ts"    the tests of these files
//   STORE=postgres node test/run.mjs                           the service's tests on PostgreSQL
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
  options: { fast: { type: 'boolean' }, system: { type: 'boolean' } },
  allowPositionals: true,
});
const lists = assignFiles(selectFiles(), isOnPostgres);
if (lists.length === 0) throw new Error(`No test file matches ${patterns.join(' or ')}`);

// `node:test` starts a process for each of its files. Each of these scripts runs the files of one list.
const folder = mkdtempSync(join(tmpdir(), 'cellwire-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const scripts = lists.map((files, i) => {
  const path = join(folder, `${i + 1}.mjs`);
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)).href);
  const call = `runFiles(${JSON.stringify(urls)}, ${JSON.stringify(folder)})`;
  writeFileSync(path, `import { runFiles } from ${JSON.stringify(RUN_FILES)};\nawait ${call};\n`);
  return path;
});
run({ files: scripts, concurrency: PROCESSES, execArgv: ['--import', SETUP] })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(report)
  .pipe(process.stdout);

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
