// What a durable write of one cell costs through the store, beside a bare INSERT of the same bytes on the same PostgreSQL,
// in turns, so that what else the machine does is shared: docs/scale.md has the table. node bench/nodes/writes.mjs [writes]
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { openDocuments } from '../../packages/server/src/documents/documents.ts';
import { openPostgres } from '../../packages/server/src/store/postgres/database.ts';
import { addOwner, LIMITS, newDocument, openDocument, setting } from '../../packages/server/test/documents/support.ts';
import { startCluster } from '../../packages/server/test/postgres/cluster.ts';

const WRITES = Number(process.argv[2] ?? 400);
const ROUNDS = 5;
const TICK_MICROSECONDS = 10_000;
/** What the store writes for a cell: the commit with its delta and inverse, and the entry of the audit log. */
const COMMIT_BYTES = 450;

const cluster = await startCluster({ fsync: 'on' });
try {
  const look = new pg.Client({ connectionString: cluster.url });
  await look.connect();
  const main = statOf((await look.query('select pg_backend_pid() as pid')).rows[0].pid).parent;
  await look.query(
    'create table bare (document text, revision int, at bigint, data bytea, primary key (document, revision))',
  );
  const database = await openPostgres({ url: cluster.url, connections: 10 });
  await addOwner(database);
  const documents = openDocuments({
    database,
    clock: Date.now,
    limits: LIMITS,
    onError: (_, error) => console.error(error),
  });
  for (const callers of [1, 8]) await compare(callers, { documents, main, url: cluster.url });
  await documents.close();
  await database.close();
  await look.end();
} finally {
  await cluster.remove();
}

async function compare(callers, { documents, main, url }) {
  const clients = await Promise.all(Array.from({ length: callers }, () => connected(url)));
  const open = await Promise.all(
    Array.from({ length: callers }, async () => openDocument(documents, await newDocument(documents))),
  );
  let revision = 0;
  const bare = (i) => insert(clients[i], `${callers}-${i}`, revision++);
  let value = 0;
  const store = (i) => open[i].write(setting(value++ % 200, 0, value));
  const spent = { bare: nothing(), store: nothing() };
  await Promise.all([inTurns(callers, bare), inTurns(callers, store)]);
  for (let round = 0; round < ROUNDS; round++) {
    await measure(spent.bare, main, () => inTurns(callers, bare));
    await measure(spent.store, main, () => inTurns(callers, store));
  }
  const each = ({ wall, node, postgres }) => [wall, node, postgres].map((sum) => Math.round(sum / (ROUNDS * WRITES)));
  console.log(
    JSON.stringify({
      callers,
      'wall, node, postgres, µs a write': { bare: each(spent.bare), store: each(spent.store) },
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
}

function nothing() {
  return { wall: 0, node: 0, postgres: 0 };
}

/** Callers beside each other, each with what is its own. */
async function inTurns(callers, operation) {
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let i = caller; i < WRITES; i += callers) await operation(caller);
    }),
  );
}

async function measure(spent, main, run) {
  const [cpu, postgres, begun] = [process.cpuUsage(), processesOf(main), performance.now()];
  await run();
  const { user, system } = process.cpuUsage(cpu);
  spent.node += user + system;
  spent.postgres += processesOf(main) - postgres;
  spent.wall += (performance.now() - begun) * 1_000;
}

async function connected(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

function insert(client, document, revision) {
  const text = 'insert into bare (document, revision, at, data) values ($1, $2, $3, $4)';
  return client.query({ name: 'bare', text, values: [document, revision, Date.now(), randomBytes(COMMIT_BYTES)] });
}

function statOf(pid) {
  const [, after] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = after.split(' ').map(Number);
  return { parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] };
}

function processesOf(main) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(pid);
      if (Number(pid) === Number(main) || stat.parent === main) ticks += stat.ticks;
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * TICK_MICROSECONDS;
}
