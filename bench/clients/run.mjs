// node bench/clients/run.mjs [--records 1000000] [--commits 1000] [--only cost,resume]
//
// Compares the cost of the clients with that of plain requests, in turns. Then checks that records arrive exactly once
// over broken connections, and changes while the service is killed.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Cellwire } from '../../packages/client/src/index.ts';
import { CuttingProxy } from '../../packages/client/test/cutting-proxy.ts';
import { Installation } from '../http/service.mjs';
import { describeMachine } from '../lib/machine.mjs';
import { computeMedian, computePercentile, createRandom, formatDuration } from '../lib/stats.mjs';

const { values: options } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    commits: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'cost,resume' },
  },
});
const RECORDS = Number(options.records);
const COMMITS = Number(options.commits);
const CUTS = 30;
const ROUNDS = 400;
const PYTHON = ['-B', fileURLToPath(new URL('clients.py', import.meta.url))];
const PYTHON_SOURCES = fileURLToPath(new URL('../../clients/python/src', import.meta.url));
const RANGE = 'A1:Z1000';

const folder = mkdtempSync(join(tmpdir(), 'cellwire-bench-clients-'));
const installation = await new Installation(folder).setUp();
let service = await installation.start();
const { cpu, node, load } = describeMachine();
console.log(`${cpu}, Node ${node}, load ${load}`);
try {
  if (options.only.includes('cost')) await measureCallCost();
  if (options.only.includes('resume')) await measureInterruptedStreams();
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Creates an empty document. Returns its id and a client of it. */
async function createDocumentClient() {
  const { id } = await installation.document('Bench');
  return { id, book: createClient(service.address).document(id) };
}

/** Creates a TypeScript client with the installation's token. */
function createClient(url, options = {}) {
  return new Cellwire({ url, token: installation.token, ...options });
}

/** Reads a page of 26,000 cells and writes one cell, with the client and with bare requests, in turns. */
async function measureCallCost() {
  const { id, book } = await createDocumentClient();
  const rows = Array.from({ length: 1_000 }, (_, i) => Array.from({ length: 26 }, (_, j) => (j % 2 ? `t${i}` : i * j)));
  await book.write('A1', rows);
  const url = `${service.address}/api/v1/documents/${id}/values`;
  const page = `${url}/${encodeURIComponent(RANGE)}?render=plain`;
  let count = 0;
  const write = (key) =>
    fetch(`${url}/AA1`, {
      method: 'PUT',
      headers: { ...installation.headers, 'idempotency-key': key },
      body: JSON.stringify({ values: [[count++]] }),
    }).then((response) => response.json());
  await compareWithBareRequests('TypeScript, a page', {
    bare: async () => (await (await fetch(page, { headers: installation.headers })).json()).values.cells,
    client: () => book.read(RANGE),
  });
  await compareWithBareRequests('TypeScript, one cell', {
    bare: () => write(`bench-${count}`),
    client: () => book.write('AA1', [[count++]]),
  });
  console.log(await runPython('cost', service.address, id));
}

/**
 * Runs both variants in turns and prints their median times. `variants`: `{ bare, client }`, functions that send one
 * call.
 */
async function compareWithBareRequests(name, variants) {
  const times = { bare: [], client: [] };
  for (let i = 0; i < ROUNDS + 50; i++) {
    for (const variant of i % 2 ? ['bare', 'client'] : ['client', 'bare']) {
      const start = performance.now();
      await variants[variant]();
      if (i >= 50) times[variant].push(performance.now() - start);
    }
  }
  const [bare, client] = [computeMedian(times.bare), computeMedian(times.client)];
  console.log(
    `${name}: bare ${formatDuration(bare)}, client ${formatDuration(client)}, ${(client / bare).toFixed(2)} times`,
  );
}

/** Uploads and downloads all records with both clients, through a proxy that cuts connections at random places. */
async function measureInterruptedStreams() {
  const proxy = await CuttingProxy.start(service.address);
  const random = createRandom(25);
  // Approximate bytes of the records as NDJSON, in the upload and in the download.
  const pickRandomCuts = (bytes) => Array.from({ length: CUTS }, () => Math.floor((random() * 2 * bytes) / (CUTS + 2)));
  for (const language of ['TypeScript', 'Python']) {
    const { id } = await createDocumentClient();
    await createClient(service.address)
      .document(id)
      .write('A1', [['Number', 'Sum']]);
    await measureTransfer(
      `${language}: ${RECORDS} records in`,
      proxy,
      { direction: 'requests', afterBytes: pickRandomCuts(RECORDS * 32) },
      async () => {
        if (language === 'Python') return runPython('in', proxy.url, id, RECORDS);
        const { appended } = await createClient(proxy.url).document(id).table('A:B').append(generateNumberedRecords());
        return `${appended.created} written by the client's count`;
      },
    );
    const rows = new Set();
    let count = 0;
    for await (const [number] of createClient(service.address).document(id).rows('A2:B')) {
      rows.add(number);
      count++;
    }
    console.log(`  in the document: ${count} rows, ${rows.size} different ones`);
    await measureTransfer(
      `${language}: ${RECORDS} records out`,
      proxy,
      { direction: 'answers', afterBytes: pickRandomCuts(RECORDS * 55) },
      async () => {
        if (language === 'Python') return runPython('out', proxy.url, id, RECORDS);
        let next = 0;
        for await (const { Sum } of createClient(proxy.url).document(id).table('A:B'))
          if (Sum !== next++) throw new Error(`${Sum} is not ${next - 1}`);
        return `${next} read, each once and in order`;
      },
    );
  }
  await measureFollowing(proxy);
  await proxy.close();
}

/** Generates `RECORDS` records with consecutive numbers. */
function* generateNumberedRecords() {
  for (let i = 0; i < RECORDS; i++) yield { Number: `R-${i}`, Sum: i };
}

/**
 * Runs one transfer with scheduled cuts of the proxy, and prints its time, cuts and peak memory. `work` returns a text
 * to print.
 */
async function measureTransfer(name, proxy, cuts, work) {
  proxy.scheduleCuts(cuts);
  const start = performance.now();
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 100);
  const output = await work();
  clearInterval(sampling);
  const elapsed = formatDuration(performance.now() - start);
  console.log(`${name}: ${elapsed}, cut ${proxy.cutCount} times, ${Math.round(peak / 2 ** 20)} MB peak; ${output}`);
}

/** Follows the changes of one document with both clients while the service is killed and restarted. */
async function measureFollowing(proxy) {
  proxy.scheduleCuts({ direction: 'requests', afterBytes: [] });
  const { id, book } = await createDocumentClient();
  await book.write('A1', [[0]]);
  const writer = createClient(proxy.url, { attempts: 50 }).document(id);
  const follower = runPython('follow', proxy.url, id, COMMITS);
  const delays = [];
  const writeTimes = new Map();
  const own = (async () => {
    let next = 2;
    for await (const change of createClient(proxy.url).document(id).follow(1)) {
      if (change.gap || change.revision !== next) throw new Error(`${change.revision} is not ${next}`);
      delays.push(performance.now() - (writeTimes.get(next) ?? performance.now()));
      if (++next > COMMITS + 1) return next - 2;
    }
  })();
  for (let i = 1; i <= COMMITS; i++) {
    await writer.write('A1', [[i]]);
    writeTimes.set(i + 1, performance.now());
    if (i % Math.ceil(COMMITS / 4) !== 0) continue;
    await service.stop('SIGKILL');
    service = await installation.start();
    proxy.target = service.address;
  }
  console.log(
    `TypeScript: ${await own} changes followed, each once and in order; late by ${formatDuration(computePercentile(delays, 0.5))} (median)`,
  );
  console.log(`Python: ${await follower}`);
}

/** Runs one measurement of the Python client and returns its output. */
async function runPython(...scriptArguments) {
  const env = { ...process.env, CELLWIRE_TOKEN: installation.token, PYTHONPATH: PYTHON_SOURCES };
  const { stdout } = await promisify(execFile)('python3', [...PYTHON, ...scriptArguments.map(String)], { env });
  return stdout.trim();
}
