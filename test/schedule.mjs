// Which test files run, in which order, and in which processes.
import { dirname } from 'node:path';

/** All test files. */
export const ALL_TESTS = [
  'packages/server/test/**/*.test.ts',
  'packages/store/test/**/*.test.ts',
  'packages/files/test/**/*.test.ts',
  'packages/event-loop/test/**/*.test.ts',
  'packages/engine/test/**/*.test.ts',
  'packages/client/test/**/*.test.ts',
  'packages/console/test/**/*.test.ts',
  'test/**/*.test.ts',
];
/** The files that run again on PostgreSQL. */
export const SERVICE_TESTS = ['packages/server/test/**/*.test.ts'];

/** Parallel processes. Tests often wait (for the disk, timers, other processes): 4 left a quarter of 2 cores idle. */
export const PROCESSES = 6;

const matchTestNames = (...alternatives) => new RegExp(`/(?:${alternatives.join('|')})\\.test\\.ts$`);

/**
 * Tests of whole systems: browsers, processes, several nodes, other languages, and load. They take more than half of the
 * processor time, so `npm test` leaves them to `npm run test:system`. They start first: at the end of a run a long file
 * would leave cores idle.
 */
const SYSTEM = matchTestNames(
  '(?:browser|histories|main|nodes)/[\\w-]+',
  'documents/(?:calculation|in-threads|kill|small-heap)',
  'http/(?:fairness|large-download|large-operations|long-calculations|permission-changes|proposals-property)',
  'http/(?:random-input|request-trace|slow-readers|upload-download)',
  'notify/(?:events|kill|listen-command|load|messenger|notification-content|stopped-process)',
  'access/operator',
  'google/large-batches',
  'service/backup',
  'store/late-answers',
  'client/test/(?:docs|generators|python|scenarios|service)',
  'engine/test/package',
  'release',
);

/** The files that take longest. They start first, so that all processes end at about the same time. */
const LONGEST = matchTestNames(
  'release',
  'browser/(?:concurrent-structure|held-actions|late-edits|pages|rules)',
  'documents/(?:calculation|small-heap)',
  'client/test/docs',
  'http/(?:fairness|proposals-property)',
);

/** Files of the service that are not repeated on PostgreSQL. */
const NOT_REPEATED = matchTestNames(
  // These tests choose their databases themselves.
  '(?:store|nodes|histories)/.+',
  'service/(?:backup|health)',
  // These tests use no database.
  '(?:config|files)/.+',
  'access/(?:quota-window|secrets)',
  'compose/.+',
  'documents/(?:day|garbage-collection|packed-edits)',
  'http/(?:json-pieces|metrics|query-string|records-sqlite)',
  'notify/(?:defaults|delivery-state|grouping|outcome|slots|verifiers|window-cells)',
  'service/(?:document-jobs|iso-time|presence)',
  // They test threads, processes, connections or calculation: long, and independent of the database.
  'documents/(?:calculation|in-threads)',
  'http/(?:undo-properties|bad-input|hidden-values|random-input|long-calculations|slow-readers)',
  'main/(?:backup-examples|closed-folder|npm-start|sources-change)',
  'google/(?:batch|clients|drive|masks-and-paths|proxy|stored-objects|values)',
  'notify/(?:hostile-receivers|load|tls)',
);

/** Files that depend most on the database. They start first, because the last files may be omitted to save time. */
const DATABASE_FIRST = matchTestNames(
  'documents/(?:two-processes|documents|interleaving|lease|lifecycle)',
  'http/(?:append-clear|audit|idempotency|permission-changes|preconditions|revisions|structure|undo-tables|webhooks)',
  'notify/(?:changes|manage-subscriptions|restart)',
);

/** Files that change settings of their process. Each gets a process of its own. */
const ISOLATED = matchTestNames('store/late-answers', 'documents/in-threads');

export function isRepeatedOnPostgres(file) {
  return !NOT_REPEATED.test(file);
}

export function isSystemTest(file) {
  return SYSTEM.test(file);
}

/**
 * The list of files for each process. Processes with the same list share it: each process takes the next unstarted
 * file.
 */
export function assignFiles(files, isOnPostgres) {
  const longestFirst = moveToFront(LONGEST, moveToFront(SYSTEM, interleaveFolders(files)));
  const ordered = isOnPostgres ? moveToFront(DATABASE_FIRST, longestFirst) : longestFirst;
  const shared = ordered.filter((file) => !ISOLATED.test(file));
  const isolated = ordered.filter((file) => ISOLATED.test(file)).map((file) => [file]);
  return [...isolated, ...Array.from({ length: Math.min(PROCESSES, shared.length) }, () => shared)];
}

function moveToFront(pattern, files) {
  return files.toSorted((a, b) => Number(pattern.test(b)) - Number(pattern.test(a)));
}

/** Spreads each folder over the whole list: tests in some folders mostly wait, tests in others mostly compute. */
function interleaveFolders(files) {
  const placed = Object.values(Object.groupBy(files, dirname)).flatMap((group) =>
    group.map((file, i) => ({ file, place: (i + 0.5) / group.length })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ file }) => file);
}
