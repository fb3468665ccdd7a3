// Cost of each statement of a one-cell write in PostgreSQL, compared with a bare INSERT of the same bytes: processor
// time of the process that serves the connection in µs, each with its own round trip and commit, and bytes in
// PostgreSQL's log. docs/scale.md has the figures. node bench/nodes/statements.mjs [writes] [rounds]
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { insertNumberedAudits } from '@cellwire/store/audit';
import { advanceDocument, insertCommit } from '@cellwire/store/documents';
import { combineCommit } from '../../packages/store/src/postgres/combined-commit.ts';
import { PostgresConnection } from '../../packages/store/src/postgres/connection.ts';
import { openPostgres } from '../../packages/store/src/postgres/database.ts';
import { encodeGuard } from '../../packages/store/src/postgres/guards.ts';
import { lockStatements } from '../../packages/store/src/postgres/locks.ts';
import { startCluster } from '../../packages/store/test/postgres/cluster.ts';
import { COMMIT_BYTES, createAuditRow, SURROUNDINGS } from './rows.mjs';

const [writes = '2000', rounds = '3'] = process.argv.slice(2);
const DOCUMENTS = 64;
const AT = 1_700_000_000_000;
const HEAD = 'h'.repeat(22);
/** A delta and an inverse of the size that a one-cell write has. */
const [DELTA, INVERSE] = [randomBytes(110), randomBytes(60)];
const MAKE = [
  ...SURROUNDINGS,
  `insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone, revision, head, calculated_at, created_at, updated_at)
    select lpad(i::text, 36, '0'), 1, 'T', 'table', 'collaborative', 'en-US', 'google', 'UTC', 0, '${HEAD}', 0, 0, 0 from generate_series(0, ${DOCUMENTS - 1}) i`,
  'analyze documents',
];

/** Returns the id of the document of write `i`. */
const formatDocumentId = (i) => String(i % DOCUMENTS).padStart(36, '0');
/** Returns the document's revision before write `i`. */
const computeRevision = (i) => Math.floor(i / DOCUMENTS);
const author = { author_id: 1, origin: 'api', token_id: null, token_name: null, request_id: null };
const commitValues = {
  delta: DELTA,
  areas: '{"written":[[1,0,0,0,0]],"derived":[]}',
  structure: null,
  inverse: INVERSE,
};
/** Returns the statements that take the shared lock of a write. */
const createSharedLockStatements = () => lockStatements(null, 'shared');
/** Creates the statement that sets the revision of a document after write `i`. */
const createRevisionUpdate = (i) => {
  const revision = computeRevision(i);
  const next = { nextRevision: revision + 1, nextHead: HEAD, calculatedAt: AT, committedAt: AT };
  return advanceDocument({
    id: formatDocumentId(i),
    revision,
    head: HEAD,
    ...next,
    epoch: 1,
    audited: 1,
    apiAudited: 1,
  });
};
/** Creates the guarded update of write `i`. */
const createUpdateGuard = (i) => [encodeGuard(createRevisionUpdate(i))];
/** Creates the insertion of the commit of write `i`. */
const createCommitInserts = (i) => [
  insertCommit({
    document_id: formatDocumentId(i),
    revision: computeRevision(i),
    head: HEAD,
    parent: HEAD,
    at: AT,
    ...author,
    ...commitValues,
  }),
];
/** Creates the insertion of the audit entry of write `i`. */
const createAuditInserts = (i) => insertNumberedAudits([createAuditRow(formatDocumentId(i), AT)]);

/** Statements to measure. Each measurement begins with empty tables. */
const MEASURED = {
  'bare insert': (i) => [
    {
      sql: 'insert into bare (document, revision, at, data) values (?, ?, ?, ?)',
      parameters: [formatDocumentId(i), computeRevision(i), AT, randomBytes(COMMIT_BYTES)],
    },
  ],
  'the round trip alone': () => [{ sql: 'select 1', parameters: [] }],
  'lock of rights': createSharedLockStatements,
  "the document's row": createUpdateGuard,
  'the commit': createCommitInserts,
  // An audit entry takes its number from the document's row, which the same unit updates.
  "the document's row and the entry": (i) => [...createUpdateGuard(i), ...createAuditInserts(i)],
  'a complete write, statement by statement': (i) => [
    ...createSharedLockStatements(),
    ...createUpdateGuard(i),
    ...createCommitInserts(i),
    ...createAuditInserts(i),
  ],
  'a complete write, as the store sends it': (i) => [
    ...createSharedLockStatements(),
    combineCommit([createRevisionUpdate(i), ...createCommitInserts(i), ...createAuditInserts(i)]),
  ],
};
const EMPTY = [
  'truncate bare, commits, audit',
  `update documents set revision = 0, head = '${HEAD}', audited = 0`,
  'vacuum documents',
];

const cluster = await startCluster({ autovacuum: 'off' });
const spent = new Map(Object.keys(MEASURED).map((name) => [name, { cpu: 0, log: 0 }]));
try {
  await (await openPostgres({ url: cluster.url, connections: 1 })).close();
  const link = await PostgresConnection.open(cluster.url);
  for (const statement of MAKE) await link.sendStatement(statement);
  const { rows } = await link.sendStatement('select pg_backend_pid() as pid');
  const readCpuMicroseconds = () =>
    Number(readFileSync(`/proc/${rows[0].pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [name, statements] of Object.entries(MEASURED)) {
      for (const statement of EMPTY) await link.sendStatement(statement);
      const [log, cpuBefore] = [await readLogPosition(link), readCpuMicroseconds()];
      for (let i = 0; i < Number(writes); i++) {
        const outcome = await link.commitStatements(statements(i));
        if (outcome.kind !== 'committed') throw outcome.error;
      }
      // The first round only prepares the statements.
      if (round === 0) continue;
      const sum = spent.get(name);
      sum.cpu += readCpuMicroseconds() - cpuBefore;
      sum.log += (await readLogPosition(link)) - log;
    }
  }
  await link.close();
} finally {
  await cluster.remove();
}
const count = Number(writes) * Number(rounds);
for (const [name, { cpu, log }] of spent)
  console.log(`${name}: ${Math.round(cpu / count)} µs, ${Math.round(log / count)} bytes`);

/** Returns the position in PostgreSQL's write-ahead log, in bytes. */
async function readLogPosition(link) {
  const { rows } = await link.sendStatement(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint as bytes",
  );
  return rows[0].bytes;
}
