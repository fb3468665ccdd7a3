import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Installation } from '../http/service.mjs';
import { describeMachine } from '../lib/machine.mjs';
import { printFollowers, writeFollowers } from './followers-report.mjs';

/**
 * Followers of one document with a steady rate of writes, while another user reads and writes other documents. The cost
 * of an event is the service's processor time, minus the time for the same requests without followers. Followers and
 * load share the machine.
 */
const FOLLOWERS_PER_USER = 20;
const WRITES_PER_SECOND = 20;
const WARM_UP_MS = 3_000;
const RESULTS = new URL('../results/followers.json', import.meta.url);
const DATA = fileURLToPath(new URL('../data/', import.meta.url));
const execute = promisify(execFile);
/** Returns the path of a file relative to this module. */
const resolveFile = (name) => fileURLToPath(new URL(name, import.meta.url));

const KINDS = {
  'all changes': '',
  'with values': '?values=true',
  'a range each': '?range=A1:B{i}',
};

export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      followers: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '15' },
      write: { type: 'boolean', default: false },
    },
  });
  const [followers, seconds] = [Number(options.followers), Number(options.seconds)];
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(join(DATA, 'run-'));
  try {
    const results = {
      machine: describeMachine(),
      followers,
      seconds,
      figures: await measureFollowers(folder, followers, seconds),
    };
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
    printFollowers(results);
    if (options.write) writeFollowers(results);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures one number of followers. Returns events, processor time per event, and delays. */
async function measureFollowers(folder, followers, seconds) {
  const installation = await new Installation(folder).setUp();
  const ids = {};
  for (const name of ['followed', 'read', 'written']) ids[name] = (await installation.document(name)).id;
  const users = Math.ceil(followers / FOLLOWERS_PER_USER);
  const argumentList = [
    resolveFile('./make-followers.mjs'),
    installation.env.CELLWIRE_DATA,
    ids.followed,
    String(users),
  ];
  const tokens = JSON.parse((await execute(process.execPath, argumentList)).stdout);
  const figures = {};
  for (const [kind, query] of [['none', null], ...Object.entries(KINDS)]) {
    const service = await installation.start();
    const child = query === null ? null : fork(resolveFile('./follow-child.mjs'));
    if (child !== null)
      await connectFollowers(child, { url: service.address, document: ids.followed, tokens, count: followers, query });
    figures[kind] = await measureDuringTraffic(service, installation, ids, child, seconds);
    child?.disconnect();
    await service.stop();
  }
  return figures;
}

/** Makes the child process open its event streams, and waits until all are open. */
async function connectFollowers(child, message) {
  child.send(message);
  await once(child, 'message');
}

async function measureDuringTraffic(service, installation, ids, child, seconds) {
  const writer = writeSteadily(service, installation, ids.followed);
  await pause(WARM_UP_MS);
  const load = fork(resolveFile('../http/others.mjs'));
  load.send({ url: service.address, headers: installation.headers, read: ids.read, written: ids.written });
  await once(load, 'message');
  if (child !== null) await readFigures(child);
  const usageBefore = await service.readUsage();
  const startMs = performance.now();
  await pause(seconds * 1000);
  const usageAfter = await service.readUsage();
  const ms = performance.now() - startMs;
  const delivered = child === null ? { events: 0, delays: [] } : await readFigures(child);
  load.send('end');
  const [latencies] = await once(load, 'message');
  await writer.end();
  const findDelayQuantile = (share) => delivered.delays[Math.floor((delivered.delays.length - 1) * share)] ?? null;
  return {
    ms,
    cpuMs: usageAfter.cpuMs - usageBefore.cpuMs,
    rss: usageAfter.rss,
    requests: latencies.reads.count + latencies.writes.count + latencies.health.count,
    events: delivered.events,
    delay: { p50: findDelayQuantile(0.5), p99: findDelayQuantile(0.99) },
    reads: latencies.reads,
    writes: latencies.writes,
  };
}

/** Asks the child process for the number of events and their delays since the last question. */
async function readFigures(child) {
  child.send({ ask: 'figures' });
  const [figures] = await once(child, 'message');
  return figures;
}

/** Writes to a document at a steady rate. Returns a function that stops the writes. */
function writeSteadily(service, { headers }, document) {
  let count = 0;
  const running = new Set();
  const timer = setInterval(() => {
    const body = JSON.stringify({ values: [[count++, 'x']] });
    const range = `A${(count % 50) + 1}`;
    const url = `${service.address}/api/v1/documents/${document}/values/${range}`;
    const write = fetch(url, { method: 'PUT', headers, body }).then((response) => response.arrayBuffer());
    running.add(write);
    void write.finally(() => running.delete(write));
  }, 1000 / WRITES_PER_SECOND);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
