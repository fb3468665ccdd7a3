// Cost of operations with one node and with two on PostgreSQL with `fsync`, in processor time, which hardly depends on
// other load.
// docs/scale.md has the figures. node bench/nodes/run.mjs [operations]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster } from '../../packages/store/test/postgres/cluster.ts';
import { findMainProcess, readPostgresCpu } from './processes.mjs';

const OPERATIONS = Number(process.argv[2] ?? 2_000);
const CALLERS = 16;
const DOCUMENTS = 64;

const agent = new Agent({ keepAlive: true });
const folder = mkdtempSync(join(tmpdir(), 'cellwire-nodes-'));
const nodes = [];
const rows = [];
const cluster = await startCluster({ fsync: 'on' });
const client = new pg.Client({ connectionString: cluster.url });
await client.connect();
const main = await findMainProcess(client);
let token = '';
let documents = [];
try {
  await compareNodes();
} finally {
  for (const node of nodes) node.kill();
  await client.end();
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
  agent.destroy();
}

/** Measures each operation with one node and with two. */
async function compareNodes() {
  const settings = JSON.stringify({ url: cluster.url, secretsKey: randomBytes(32).toString('hex'), folder });
  for (let i = 0; i < 2; i++) nodes.push(await startNode(settings));
  const empty = await readSizes();
  ({ token, documents } = await nodes[0].ask({ task: 'prepare', documents: DOCUMENTS }));
  const sizesBefore = await readSizes();
  for (const count of [1, 2]) {
    for (const [name, operation] of [
      ['read a cell', readCell],
      ['write a cell', writeCell],
      ['append a row', appendRow],
    ]) {
      await measureOperation(`${name}, nodes: ${count}`, operation, (i) => nodes[(i % DOCUMENTS) % count]);
      if (count > 1)
        await measureOperation(`${name}, nodes: ${count}, in turns`, operation, (_i, turn) => nodes[turn % count]);
    }
  }
  console.log(
    JSON.stringify(
      { rows, bytes: { documents: DOCUMENTS, empty, created: sizesBefore, written: await readSizes() } },
      null,
      1,
    ),
  );
}

/** Adds a row with the processor time per operation, in microseconds. `nodeFor(i)`: the node of operation `i`. */
async function measureOperation(name, operation, nodeFor) {
  await runOperations(operation, nodeFor, OPERATIONS / 4);
  const cpuBefore = await readCpu();
  await runOperations(operation, nodeFor, OPERATIONS);
  const cpuAfter = await readCpu();
  const computePerOperation = (key) => Math.round((cpuAfter[key] - cpuBefore[key]) / OPERATIONS);
  rows.push({ name, node: computePerOperation('nodes'), postgres: computePerOperation('postgres') });
}

/** Runs an operation `count` times, with `CALLERS` concurrent clients. */
async function runOperations(operation, nodeFor, count) {
  let next = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      // The node of a document changes in every round.
      for (let i = next++; i < count; i = next++) {
        await operation(nodeFor(i, i + Math.floor(i / DOCUMENTS)), documents[i % DOCUMENTS], i);
      }
    }),
  );
}

/** Reads cell A1 of a document. */
function readCell(node, document) {
  return sendRequest(node, 'GET', `/documents/${document}/values/A1`);
}

/** Writes the number `i` into a document. */
function writeCell(node, document, i) {
  return sendRequest(node, 'PUT', `/documents/${document}/values/A1`, { values: [[i]], valueInputOption: 'RAW' });
}

/** Appends a row to a document. */
function appendRow(node, document, i) {
  return sendRequest(node, 'POST', `/documents/${document}/values/append`, {
    range: 'C1',
    values: [[i, 'text']],
    valueInputOption: 'RAW',
  });
}

/** Sends a request to a node; rejects unless it succeeds. */
async function sendRequest({ address }, method, path, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(text ? { 'content-length': Buffer.byteLength(text) } : {}),
  };
  const outgoing = request(`${address}/api/v1${path}`, { agent, method, headers });
  outgoing.end(text);
  const [response] = await once(outgoing, 'response');
  let responseText = '';
  for await (const part of response) responseText += part;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${responseText}`);
}

/** Starts a node in its own process. `settings`: as JSON. */
async function startNode(settings) {
  const child = fork(new URL('./node.mjs', import.meta.url), [settings], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waitForReply = async () => (await once(child, 'message'))[0].reply;
  const address = await waitForReply();
  return {
    address,
    kill: () => child.kill('SIGKILL'),
    ask: (message) => {
      child.send(message);
      return waitForReply();
    },
  };
}

/** Processor time of all nodes, and of all PostgreSQL processes, in microseconds. */
async function readCpu() {
  const nodeTimes = await Promise.all(nodes.map((node) => node.ask({ task: 'cpu' })));
  return {
    nodes: nodeTimes.reduce((sum, { user, system }) => sum + user + system, 0),
    postgres: readPostgresCpu(main),
  };
}

/** Bytes of each table with its indexes, and the number of commits. */
async function readSizes() {
  const { rows: tables } = await client.query(
    "select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
  );
  const {
    rows: [{ count }],
  } = await client.query('select count(*)::float8 as count from commits');
  return { rowsOfCommits: count, ...Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])) };
}
