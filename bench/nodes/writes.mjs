// Cost of a durable one-cell write through the store, compared with a bare INSERT of the same bytes on the same
// PostgreSQL. Both run in turns, so that other load affects both. docs/scale.md has the table.
// node bench/nodes/writes.mjs [writes] [rounds] [nodes, e.g. 1,2,3] [documents, e.g. 1,4,16,64] [callers]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { openPostgres } from '../../packages/store/src/postgres/database.ts';
import { startCluster } from '../../packages/store/test/postgres/cluster.ts';
import { findMainProcess, readPostgresCpu } from './processes.mjs';
import { SURROUNDINGS } from './rows.mjs';

const [writes = '480', rounds = '3', nodeCounts = '1,2,3', documentCounts = '1,4,16,64', callers = '16'] =
  process.argv.slice(2);

const cluster = await startCluster({ fsync: 'on' });
const admin = new pg.Client({ connectionString: cluster.url });
const nodes = [];
try {
  await (await openPostgres({ url: cluster.url, connections: 1 })).close();
  await admin.connect();
  for (const statement of SURROUNDINGS) await admin.query(statement);
  const postgres = await findMainProcess(admin);
  for (let i = 0; i < Math.max(...parseNumbers(nodeCounts)); i++) nodes.push(await startNode(cluster.url));
  console.log(
    'nodes documents: bare INSERTs per second; store writes per second; ratio; µs of processor time per write of',
  );
  console.log('node and PostgreSQL: bare; store; ratio of their sums');
  for (const count of parseNumbers(nodeCounts)) {
    for (const documents of parseNumbers(documentCounts)) console.log(await compareNodes(count, documents, postgres));
  }
} finally {
  for (const node of nodes) node.kill();
  await admin.end();
  await cluster.remove();
}

/**
 * Compares writes with several numbers of nodes. Each document belongs to one node; clients and writes are divided
 * between the nodes.
 */
async function compareNodes(count, documents, postgres) {
  const usedNodes = nodes.slice(0, Math.min(count, documents));
  const ids = await nodes[0].ask({ task: 'make', count: documents });
  const share = {
    callers: Math.max(1, Math.round(Number(callers) / usedNodes.length)),
    writes: Math.ceil(Number(writes) / usedNodes.length),
  };
  const run = (task) =>
    Promise.all(
      usedNodes.map((node, at) => node.ask({ task, ids: ids.filter((_, i) => i % usedNodes.length === at), ...share })),
    );
  const spent = { bare: createZeroTimes(), store: createZeroTimes() };
  for (const task of ['store', 'bare']) await run(task);
  for (let round = 0; round < Number(rounds); round++) {
    for (const task of ['bare', 'store']) await measureWrites(spent[task], usedNodes, postgres, () => run(task));
  }
  const total = share.writes * usedNodes.length * Number(rounds);
  const computePerWrite = ({ wall, node, database }) => [wall, node, database].map((sum) => Math.round(sum / total));
  const [bare, store] = [computePerWrite(spent.bare), computePerWrite(spent.store)];
  const formatRatio = (of) => (of(store) / of(bare)).toFixed(2);
  const figures = [
    Math.round(1e6 / bare[0]),
    Math.round(1e6 / store[0]),
    formatRatio(([wall]) => wall),
    `${bare[1]} + ${bare[2]}`,
    `${store[1]} + ${store[2]}`,
    formatRatio(([, node, database]) => node + database),
  ];
  return `${count} ${documents}: ${figures.join('; ')}`;
}

/** Creates the sums of the elapsed time and of the processor times of nodes and database, in microseconds. */
function createZeroTimes() {
  return { wall: 0, node: 0, database: 0 };
}

/** Runs writes and adds their times to `spent`. `postgres`: id of PostgreSQL's main process. */
async function measureWrites(spent, usedNodes, postgres, run) {
  const [cpu, database, startMs] = [await readNodeCpu(usedNodes), readPostgresCpu(postgres), performance.now()];
  await run();
  spent.wall += (performance.now() - startMs) * 1_000;
  spent.node += (await readNodeCpu(usedNodes)) - cpu;
  spent.database += readPostgresCpu(postgres) - database;
}

/** Returns the processor time of some nodes, in microseconds. */
async function readNodeCpu(usedNodes) {
  const nodeTimes = await Promise.all(usedNodes.map((node) => node.ask({ task: 'cpu' })));
  return nodeTimes.reduce((sum, { user, system }) => sum + user + system, 0);
}

/** Starts a process that writes to its documents without HTTP. */
async function startNode(url) {
  const child = fork(new URL('./writer.mjs', import.meta.url), [url], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waitForReply = async () => (await once(child, 'message'))[0].reply;
  await waitForReply();
  return {
    kill: () => child.kill('SIGKILL'),
    ask: (message) => {
      child.send(message);
      return waitForReply();
    },
  };
}

/** Parses numbers that are separated by commas. */
function parseNumbers(list) {
  return list.split(',').map(Number);
}
