import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Installation, OWNER } from '../http/service.mjs';
import { computePercentile, formatDuration, formatSignificant } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

/**
 * One subscription on each of many documents, which are written in turns, so that every write has its own window.
 * Measures the delay of notifications after the end of their window (the quiet time), and the processor time of a write
 * and its delivery.
 * Target: 4 s at 640 writes per second over 10,000 documents.
 */
const QUIET_MS = 2_000;
const SETTINGS = {
  plans: { enterprise: { requestsPerSecond: null } },
  notifications: { quietMs: QUIET_MS, allowPrivateNetworks: true },
};
const SCOPES = 'sheets.read,sheets.write,sheets.webhooks';
const SUBSCRIBED_AT_ONCE = 20;
const TICK_MS = 5;
const PATIENCE_MS = 60_000;
const DATA = fileURLToPath(new URL('../data/', import.meta.url));
const MAKE = fileURLToPath(new URL('../http/make-documents.mjs', import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** Runs the benchmark with command line arguments, and prints the results. */
export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      documents: { type: 'string', default: '10000' },
      rate: { type: 'string', default: '640' },
      seconds: { type: 'string', default: '10' },
    },
  });
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(join(DATA, 'run-'));
  try {
    printResults(
      await measureWindows(folder, Number(options.documents), Number(options.rate), Number(options.seconds)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures one run and prints its results. `count`: documents. `rate`: writes per second. */
async function measureWindows(folder, count, rate, seconds) {
  const installation = await new Installation(folder, { settings: SETTINGS, scopes: SCOPES }).setUp();
  const argumentList = [MAKE, installation.env.CELLWIRE_DATA, OWNER, count, 5, 3].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, argumentList, { maxBuffer: MAX_OUTPUT_BYTES });
  const documents = JSON.parse(stdout);
  const late = [];
  const server = await startReceiver(late);
  const service = await installation.start();
  const url = `http://127.0.0.1:${server.address().port}/`;
  const call = createCaller(service, installation);
  for (let i = 0; i < count; i += SUBSCRIBED_AT_ONCE) {
    const batch = documents.slice(i, i + SUBSCRIBED_AT_ONCE);
    await Promise.all(batch.map((document) => call('POST', `${document}/webhooks`, { url })));
  }
  const usageBefore = await service.readUsage();
  const writes = await writeSteadily(call, documents, rate, seconds);
  for (let waitedMs = 0; late.length < writes.length && waitedMs < PATIENCE_MS; waitedMs += 100) await pause(100);
  const usageAfter = await service.readUsage();
  await service.stop();
  server.close().closeAllConnections();
  return { writes, late, cpuMs: (usageAfter.cpuMs - usageBefore.cpuMs) / writes.length };
}

/** Starts a receiver that adds the delay of each notification to `late`, in milliseconds. */
async function startReceiver(late) {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      late.push(Date.now() - Date.parse(JSON.parse(text).changedAt) - QUIET_MS);
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Returns a function that sends a request to the API and returns the parsed answer. */
function createCaller({ address }, { headers }) {
  return async (method, path, body) => {
    const response = await fetch(`${address}/api/v1/documents/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
}

/** The time of each write, in milliseconds. */
async function writeSteadily(call, documents, rate, seconds) {
  const startMs = performance.now();
  const under = [];
  const writeOne = async (n) => {
    const start = performance.now();
    // The value must be new in each document, because a write that changes nothing is not notified.
    await call('PUT', `${documents[n % documents.length]}/values/A1`, { values: [[n + 0.13]] });
    return performance.now() - start;
  };
  while (under.length < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - startMs) / 1000) * rate);
    while (under.length < due) under.push(writeOne(under.length));
    await pause(TICK_MS);
  }
  return Promise.all(under);
}

/** Prints the delays and the processor time of a write. */
function printResults({ writes, late, cpuMs }) {
  const rows = [
    ['writes', formatSignificant(writes.length)],
    ['a write, 99 %', formatDuration(computePercentile(writes, 0.99))],
    ['receipts', formatSignificant(late.length)],
    ['after the window’s end, median', formatDuration(computePercentile(late, 0.5))],
    ['after the window’s end, 99 %', formatDuration(computePercentile(late, 0.99))],
    ['after the window’s end, latest', formatDuration(computePercentile(late, 1))],
    ['processor time of a write with its delivery', formatDuration(cpuMs)],
  ];
  console.log(`\n${formatMarkdownTable(['measure', 'figure'], rows)}`);
}
