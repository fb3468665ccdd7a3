// Durable PUTs of one cell over HTTP on PostgreSQL with `fsync`, compared with a node:http server that inserts one row
// for each request into the same PostgreSQL. Both run all the time and are loaded in turns. docs/scale.md has the table.
// node bench/nodes/puts.mjs [seconds of a run] [runs] [connections, e.g. 16,64]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startCluster } from '../../packages/store/test/postgres/cluster.ts';
import { runLoad } from '../http/children.mjs';
import { installPeers } from '../lib/install.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { findMainProcess, readPostgresCpu } from './processes.mjs';
import { SURROUNDINGS } from './rows.mjs';

const [seconds = '3', runs = '5', connectionCounts = '16,64'] = process.argv.slice(2);
const DOCUMENTS = 64;
const [BARE_TABLE] = SURROUNDINGS;

installPeers();
const folder = mkdtempSync(join(tmpdir(), 'cellwire-puts-'));
const cluster = await startCluster({ fsync: 'on' });
const client = new pg.Client({ connectionString: cluster.url });
const servers = {};
try {
  await client.connect();
  await client.query(BARE_TABLE);
  const main = await findMainProcess(client);
  const given = JSON.stringify({ url: cluster.url, secretsKey: randomBytes(32).toString('hex'), folder });
  servers.service = await startProcess('./node.mjs', given);
  servers.bare = await startProcess('./bare-http.mjs', cluster.url);
  const { token, documents } = await servers.service.ask({ task: 'prepare', documents: DOCUMENTS });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const connections of connectionCounts.split(',').map(Number)) {
    const task = { headers, connections, traffic: 'putMany', options: { documents } };
    const samples = { service: [], bare: [] };
    for (let round = 0; round <= Number(runs); round++) {
      const inTurn = Object.entries(servers);
      for (const [name, server] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const sample = await measurePuts(server, main, { ...task, seconds: Number(seconds) });
        // The first round warms up.
        if (round > 0) samples[name].push(sample);
      }
    }
    console.log(`${connections} connections: ${formatRow(samples)}`);
  }
} finally {
  for (const server of Object.values(servers)) server.kill();
  await client.end();
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Sends load to one server. Returns writes per second, and processor time of the server and the database per write in
 * microseconds.
 */
async function measurePuts(server, main, task) {
  const [own, database] = [await server.ask({ task: 'cpu' }), readPostgresCpu(main)];
  const { perSecond, total } = await runLoad({ ...task, url: server.address });
  const after = await server.ask({ task: 'cpu' });
  const node = (after.user + after.system - own.user - own.system) / total;
  return { perSecond, node, database: (readPostgresCpu(main) - database) / total };
}

/** Formats the medians of the samples as a row of the table. */
function formatRow(samples) {
  const [service, bare] = ['service', 'bare'].map(
    (name) => (key) => computeMedian(samples[name].map((one) => one[key])),
  );
  const ratio = bare('perSecond') / service('perSecond');
  const [ours, theirs] = [service, bare].map((of) => `${Math.round(of('node'))} + ${Math.round(of('database'))} µs`);
  const cpu = (service('node') + service('database')) / (bare('node') + bare('database'));
  return `${Math.round(service('perSecond'))} and ${Math.round(bare('perSecond'))} per second, ratio of times ${ratio.toFixed(2)}; processor time of the process and PostgreSQL ${ours} and ${theirs}, ratio ${cpu.toFixed(2)}`;
}

/** Starts a server in its own process and resolves when it listens. */
async function startProcess(file, argument) {
  const child = fork(new URL(file, import.meta.url), [argument], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
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
