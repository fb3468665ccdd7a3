// Reads and durable writes of one cell over HTTP, with one core and with two for everything: the service or its nodes,
// PostgreSQL with `fsync`, and the clients. The number of cores changes from run to run. Figures are medians of the rounds.
// docs/scale.md has the table. Needs `taskset` of Linux. node bench/nodes/cores.mjs [seconds of a run] [rounds]
import { execFile, fork } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startCluster } from '../../packages/store/test/postgres/cluster.ts';
import { runLoad } from '../http/children.mjs';
import { Installation } from '../http/service.mjs';
import { installPeers } from '../lib/install.mjs';
import { computeMedian } from '../lib/stats.mjs';

const DOCUMENTS = 64;
const CONNECTIONS = 64;
/** Each round of reads has its own addresses. */
const ROUNDS = 1_000_000;
/** Load before each measurement, in seconds. */
const WARM_UP = 4;
const CORES = { 1: '0', 2: '0,1' };
const LAYOUTS = {
  'one service, embedded database': startEmbedded,
  'one node, PostgreSQL': (folder) => startNodes(folder, 1),
  'two nodes, PostgreSQL': (folder) => startNodes(folder, 2),
};

const [seconds = '4', rounds = '5', layout] = process.argv.slice(2);
if (layout === undefined) await compareCores();
else console.log(JSON.stringify(await measureLayout(LAYOUTS[layout])));

/** Measures each layout with one core and with two, in turns. */
async function compareCores() {
  installPeers();
  for (const name of Object.keys(LAYOUTS)) {
    const samples = { 1: [], 2: [] };
    for (let round = 0; round < Number(rounds); round++) {
      for (const cores of [1, 2]) samples[cores].push(await measureOnCores(cores, name));
    }
    for (const kind of ['reads', 'writes']) {
      const [one, two] = [1, 2].map((cores) => computeMedian(samples[cores].map((sample) => sample[kind])));
      const ratio = (two / one).toFixed(2);
      console.log(`${name}: ${kind} per second ${Math.round(one)} and ${Math.round(two)}, ratio ${ratio}`);
    }
  }
}

/** Runs this file for one layout on the first cores. */
async function measureOnCores(cores, name) {
  const command = ['-c', CORES[cores], process.execPath, fileURLToPath(import.meta.url), seconds, rounds, name];
  const { stdout } = await promisify(execFile)('taskset', command);
  return JSON.parse(stdout);
}

/** Starts a layout. Returns its reads and writes per second. */
async function measureLayout(start) {
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-cores-'));
  const { headers, servers, stop } = await start(folder);
  try {
    const measure = async (traffic) => {
      await loadServers(servers, headers, traffic, WARM_UP);
      return loadServers(servers, headers, traffic, Number(seconds));
    };
    const writes = await measure('putMany');
    return { reads: await measure('ranges'), writes };
  } finally {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends load to each server for its own documents. Returns requests per second of all. */
async function loadServers(servers, headers, traffic, duration) {
  const loads = servers.map(({ address, documents }) => {
    const paths = documents.map((id) => `/api/v1/documents/${id}/values/`);
    const options = { documents, paths, rows: 1_000, columns: 1, height: 1, width: 1, round: randomInt(ROUNDS) };
    const connections = CONNECTIONS / servers.length;
    return runLoad({ url: address, headers, connections, seconds: duration, traffic, options });
  });
  const results = await Promise.all(loads);
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** The service with its embedded database. */
async function startEmbedded(folder) {
  const installation = await new Installation(folder).setUp();
  const service = await installation.start();
  const documents = await installation.emptyDocuments(service, DOCUMENTS);
  const { headers } = installation;
  return { headers, servers: [{ address: service.address, documents }], stop: () => service.stop() };
}

/** Nodes on a local PostgreSQL. Each has its share of the documents, as behind a balancer that routes by document. */
async function startNodes(folder, count) {
  const cluster = await startCluster({ fsync: 'on' });
  const settings = JSON.stringify({ url: cluster.url, secretsKey: randomBytes(32).toString('hex'), folder });
  const children = Array.from({ length: count }, () => fork(new URL('./node.mjs', import.meta.url), [settings]));
  const replies = await Promise.all(children.map(waitForReply));
  children[0].send({ task: 'prepare', documents: DOCUMENTS });
  const { token, documents } = await waitForReply(children[0]);
  return {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    servers: replies.map((address, i) => ({ address, documents: documents.filter((_id, at) => at % count === i) })),
    async stop() {
      for (const child of children) child.kill('SIGKILL');
      await cluster.remove();
    },
  };
}

async function waitForReply(child) {
  return (await once(child, 'message'))[0].reply;
}
