// Runs the test files, many of them in one process: loading the service and warming up its code takes longer than most
// files' tests. `node test/run.mjs "packages/server/test/**/*.test.ts"` runs some of them, `STORE=postgres` those of the
// service on PostgreSQL.
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { report } from './reporter.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETUP = new URL('setup.mjs', import.meta.url).href;
const TOGETHER = new URL('together.ts', import.meta.url).href;
const ALL = [
  'packages/server/test/**/*.test.ts',
  'packages/store/test/**/*.test.ts',
  'packages/files/test/**/*.test.ts',
  'packages/event-loop/test/**/*.test.ts',
  'packages/engine/test/**/*.test.ts',
  'packages/client/test/**/*.test.ts',
  'packages/console/test/**/*.test.ts',
  'test/**/*.test.ts',
];

/**
 * Processes at a time. Tests wait for the disk, for timers and for processes that they start: of two cores four processes
 * left a quarter idle.
 */
const PROCESSES = 6;
/** Those that take longest begin at once: at the end they would leave cores idle. */
const LONG = new RegExp(
  `/(?:${[
    'histories',
    'browser/\\w+',
    'documents/(?:calculation|kill)',
    'main/(?:backup|commands|npm-start|serve)',
    'http/(?:any-history|hostile|neighbours|slow-readers|upload-download)',
    'notify/(?:content|events|kill|load|messenger|stopped)',
    'access/operator',
    'service/backup',
    'client/test/(?:docs|service|scenarios)',
    'engine/test/package',
    'workbook/(?:properties|rebuilding)',
    'readme',
    'release',
  ].join('|')})\\.test\\.ts$`,
);
const SERVICE = ['packages/server/test/**/*.test.ts'];
/** What `STORE=postgres` leaves out unless it is asked for, as it would show nothing else there. */
const NOT_OF_THE_DATABASE = new RegExp(
  `/test/(?:${[
    // Each says itself which databases it is about.
    '(?:store|nodes|histories)/.+',
    'service/(?:backup|health)',
    // No database.
    '(?:config|files)/.+',
    'access/(?:quota-window|secrets)',
    'compose/.+',
    'documents/(?:day|garbage|packed-edits)',
    'http/(?:json-pieces|metrics|query|records-sqlite)',
    'notify/(?:defaults|delivery-state|grouping|outcome|region|slots|verifiers|window-cells)',
    'service/(?:document-jobs|iso-time|presence)',
    // Threads, processes, connections and what is calculated: long, and the same whatever the database.
    'documents/(?:calculation|in-threads)',
    'http/(?:any-history|bad-input|hidden-values|hostile|neighbours|slow-readers)',
    'main/(?:backup-examples|closed-folder|npm-start|sources-change)',
    'google/(?:batch|clients|drive|masks-and-paths|proxy|values)',
    'notify/(?:hostile-receivers|load|tls)',
  ].join('|')})\\.test\\.ts$`,
);
/** Those that lean on the database most: they begin at once there, as the others may be left out for want of time. */
const OF_THE_DATABASE = new RegExp(
  `/(?:${[
    'documents/(?:by-turns|documents|interleaving|lease|lifecycle)',
    'http/(?:append-clear|audit|idempotency|late-rights|preconditions|revisions|structure|undo-tables|webhooks)',
    'notify/(?:changes|manage|restart)',
  ].join('|')})\\.test\\.ts$`,
);
const IS_ON_POSTGRES = process.env['STORE'] === 'postgres';

/** Each decides at its start on what the files run that it loads, which others run differently. */
const ALONE = /\/(?:store\/late|documents\/in-threads)\.test\.ts$/;

/** The files of each process: the processes that are given the same ones take turns, each the next that none has begun. */
function sharesOf(files) {
  const ordered = firstOf(LONG, spread(files));
  // The places of a file's databases in PostgreSQL are given back when its process ends.
  if (IS_ON_POSTGRES) return firstOf(OF_THE_DATABASE, ordered).map((file) => [file]);
  const together = ordered.filter((file) => !ALONE.test(file));
  const alone = ordered.filter((file) => ALONE.test(file)).map((file) => [file]);
  return [...alone, ...Array.from({ length: Math.min(PROCESSES, together.length) }, () => together)];
}

/** Those that match come first. */
function firstOf(pattern, files) {
  return files.toSorted((a, b) => Number(pattern.test(b)) - Number(pattern.test(a)));
}

/** Evenly from each folder: some folders' tests mostly wait, for receivers or the disk, others' mostly compute. */
function spread(files) {
  const placed = Object.values(Object.groupBy(files, dirname)).flatMap((some) =>
    some.map((file, i) => ({ file, place: (i + 0.5) / some.length })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ file }) => file);
}

function found(patterns) {
  return globSync(patterns, { cwd: ROOT }).toSorted();
}

function serviceFiles() {
  return found(SERVICE).filter((file) => !NOT_OF_THE_DATABASE.test(file));
}

const [, , ...asked] = process.argv;
const shares = sharesOf(asked.length > 0 ? found(asked) : IS_ON_POSTGRES ? serviceFiles() : ALL.flatMap(found));
if (shares.length === 0) throw new Error(`No test file is called ${asked.join(' or ')}`);
const folder = mkdtempSync(join(tmpdir(), 'cellwire-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const entries = shares.map((files, i) => {
  const entry = join(folder, `${i + 1}.mjs`);
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)).href);
  const call = `runFiles(${JSON.stringify(urls)}, ${JSON.stringify(folder)})`;
  writeFileSync(entry, `import { runFiles } from ${JSON.stringify(TOGETHER)};\nawait ${call};\n`);
  return entry;
});
run({ files: entries, concurrency: PROCESSES, execArgv: ['--import', SETUP] })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(report)
  .pipe(process.stdout);
