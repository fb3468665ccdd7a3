// Runs the test files, many of them in one process: loading the service and warming up its code takes longer than most
// files' tests. `node test/run.mjs "packages/server/test/**/*.test.ts"` runs some of them.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETUP = new URL('setup.mjs', import.meta.url).href;
const TOGETHER = new URL('together.ts', import.meta.url).href;
/** The server's take longest. */
const ALL = ['packages/server/test/**/*.test.ts', 'packages/engine/test/**/*.test.ts', 'test/**/*.test.ts'];

/** Processes at a time: tests wait for the disk, for timers and for processes that they start. */
const CONCURRENCY = 4;
/** With more of them, the last processes would leave cores idle at the end. */
const FILES_A_PROCESS = 10;
/** Those of more than a minute begin at once, each by itself: at the end they would leave cores idle. */
const LONG = /\/(?:documents\/(?:in-threads|calculation|kill)|main\/(?:commands|backup)|notify\/commands)\.test\.ts$/;
/** Decides at its start on what database the files that it loads run. */
const ALONE = /\/store\/late\.test\.ts$/;

/** The files of each process. Neighbours in a folder, which take about as long, come into different ones. */
function sharesOf(files) {
  // The places of a file's databases in PostgreSQL are given back when its process ends.
  const most = process.env['STORE'] === 'postgres' ? 1 : FILES_A_PROCESS;
  const isAlone = (file) => LONG.test(file) || ALONE.test(file);
  const together = files.filter((file) => !isAlone(file));
  const count = Math.ceil(together.length / most);
  const shares = Array.from({ length: count }, (_, share) => together.filter((_, i) => i % count === share));
  const alone = files.filter(isAlone).toSorted((a, b) => Number(LONG.test(b)) - Number(LONG.test(a)));
  return [...alone.map((file) => [file]), ...shares];
}

const [, , ...asked] = process.argv;
const patterns = asked.length > 0 ? [asked] : ALL.map((pattern) => [pattern]);
const shares = patterns.flatMap((some) => sharesOf(globSync(some, { cwd: ROOT }).toSorted()));
if (shares.length === 0) throw new Error(`No test file is called ${asked.join(' or ')}`);
const folder = mkdtempSync(join(tmpdir(), 'cellwire-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const entries = shares.map((files, i) => {
  const entry = join(folder, `${i + 1}.mjs`);
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)).href);
  writeFileSync(
    entry,
    `import { runFiles } from ${JSON.stringify(TOGETHER)};\nawait runFiles(${JSON.stringify(urls)});\n`,
  );
  return entry;
});
run({ files: entries, concurrency: CONCURRENCY, execArgv: ['--import', SETUP] })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(spec)
  .pipe(process.stdout);
