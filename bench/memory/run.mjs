// npm run bench -- memory [--minutes 120] [--rate 40] [--write]
//
// Memory of the service under mixed load, sampled every 30 s: 80 documents of four users, 24 event streams that
// reconnect, 14 webhooks. The size of the documents stays the same, so that only caches, buffers and leaks can grow.
// The table shows medians of ten equal parts of the time, in MiB.

import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Installation } from '../http/service.mjs';
import { describeMachine, formatMachines } from '../lib/machine.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { formatMarkdownTable, writeSection } from '../lib/table.mjs';
import { ACTIONS, createFirstRows } from './actions.mjs';

const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const USERS = 4;
const DOCUMENTS = 80;
const DOCUMENTS_PER_WEBHOOK = 6;
const STREAMS = 24;
const MAX_STREAM_MS = 60_000;
/** Maximum requests in progress. At this limit, the load is less than `--rate`. */
const MAX_RUNNING = 16;
const SAMPLE_MS = 30_000;
const TICK_MS = 25;
const PARTS = 10;
const MIB = 1024 ** 2;
const SETTINGS = {
  plans: { enterprise: { requestsPerSecond: null } },
  notifications: { allowPrivateNetworks: true },
};

export async function run(options) {
  const readOption = (name, otherwise) =>
    Number(options.includes(name) ? options[options.indexOf(name) + 1] : otherwise);
  const [minutes, rate] = [readOption('--minutes', 120), readOption('--rate', 40)];
  const at = describeMachine();
  const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'));
  const installation = await new Installation(folder, { settings: SETTINGS, scopes: 'sheets.read' }).setUp();
  const users = await createUsers(installation);
  const service = await installation.start();
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end())).listen(0);
  await once(receiver, 'listening');
  const documents = await createDocuments(service, users, `http://127.0.0.1:${receiver.address().port}/`);
  const load = startLoad(service, documents, rate);
  const samples = [];
  for (const end = performance.now() + minutes * 60_000; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    samples.push(await sampleMemory(service));
    console.log(samples.at(-1));
  }
  const requests = await load.stop();
  await service.stop();
  receiver.close();
  receiver.closeAllConnections();
  installation.remove();
  rmSync(folder, { recursive: true, force: true });
  const table = formatTable(samples, minutes);
  console.log(`${table}\n\n${requests} requests`);
  if (options.includes('--write')) {
    writeSection(PAGE, 'memory', `${table}\n\n${requests.toLocaleString('en-US')} requests. ${formatMachines([at])}`);
  }
}

/** Creates users. Returns a token of each. */
async function createUsers(installation) {
  const scopes = 'sheets.read,sheets.write,documents.write,sheets.webhooks';
  const tokens = [];
  for (let i = 0; i < USERS; i++) {
    const email = `user${i}@example.org`;
    await installation.command('user', 'create', '--email', email, '--name', `User ${i}`);
    const words = ['token', 'create', '--user', email, '--name', 'load', '--scopes', scopes];
    tokens.push((await installation.command(...words)).json.token);
  }
  return tokens;
}

/** Creates the documents of all users, some with a webhook to `url`. Returns their ids and tokens. */
async function createDocuments(service, tokens, url) {
  const documents = [];
  for (let i = 0; i < DOCUMENTS; i++) {
    const token = tokens[i % USERS];
    const body = { title: `Document ${i}`, locale: 'en-US' };
    const { text } = await sendRequest(service, { token }, { method: 'POST', path: '//documents', body });
    const document = { token, id: JSON.parse(text).document.id };
    await sendRequest(service, document, { method: 'PUT', path: '/values/A1', body: { values: createFirstRows() } });
    if (i % DOCUMENTS_PER_WEBHOOK === 0)
      await sendRequest(service, document, { method: 'POST', path: '/webhooks', body: { url } });
    documents.push(document);
  }
  return documents;
}

/** Sends a request to a document; `//` begins a path below the API. Returns status and text. */
async function sendRequest(
  { address },
  { token, id },
  { method = 'GET', path, body, raw, type = 'application/json', headers },
) {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(
    `${address}/api/v1${path.startsWith('//') ? path.slice(1) : `/documents/${id}${path}`}`,
    {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(content === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      body: content,
    },
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status >= 500 && response.status !== 503) throw new Error(`${method} ${path}: ${response.status}`);
  return { bytes, text: bytes.toString() };
}

/** Sends actions at a rate, and follows documents by event streams. */
function startLoad(service, documents, rate) {
  const bag = ACTIONS.flatMap(([weight, action]) => Array(weight).fill(action));
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  const file = sendRequest(service, documents[0], { path: '/export?format=xlsx' }).then(({ bytes }) => bytes);
  const state = { isStopped: false, sent: 0, running: new Set() };
  const begin = performance.now();
  let due = 0;
  const timer = setInterval(() => {
    for (; due < ((performance.now() - begin) / 1000) * rate; due++) {
      if (state.running.size >= MAX_RUNNING) continue;
      const document = pick(documents);
      const send = (wanted) => {
        state.sent += 1;
        return sendRequest(service, document, wanted);
      };
      const work = file.then((bytes) => pick(bag)(send, bytes)).finally(() => state.running.delete(work));
      state.running.add(work);
    }
  }, TICK_MS);
  const streams = Array.from({ length: STREAMS }, () => followDocuments(service, () => pick(documents), state));
  return {
    stop: async () => {
      clearInterval(timer);
      state.isStopped = true;
      await Promise.all([...state.running, ...streams]);
      return state.sent;
    },
  };
}

/** Reads event streams, one after another. */
async function followDocuments({ address }, nextDocument, state) {
  while (!state.isStopped) {
    const { id, token } = nextDocument();
    const signal = AbortSignal.timeout(Math.ceil(Math.random() * MAX_STREAM_MS));
    const headers = { authorization: `Bearer ${token}` };
    try {
      const response = await fetch(`${address}/api/v1/documents/${id}/events?values=true`, { headers, signal });
      for await (const _ of response.body) if (state.isStopped) break;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

/** Memory of the process and of its parts, in MiB. */
async function sampleMemory({ address, child }) {
  const text = await (await fetch(`${address}/metrics`)).text();
  const readMetric = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
  const [, kilobytes] = /Anonymous:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8'));
  return {
    resident: readMetric('process_resident_memory_bytes') / MIB,
    anonymous: Number(kilobytes) / 1024,
    heap: readMetric('nodejs_heap_size_used_bytes') / MIB,
    external: readMetric('nodejs_external_memory_bytes') / MIB,
    documents: readMetric('cellwire_documents_open_bytes') / MIB,
  };
}

/** Formats memory samples of the last `minutes` minutes as a Markdown table. */
function formatTable(samples, minutes) {
  const names = {
    resident: 'resident memory',
    anonymous: 'of it: not backed by files',
    heap: 'heap of the serving thread',
    external: 'its buffers (open chunks, kept pages and answers)',
    documents: 'cells and formulas of open documents',
  };
  const parts = Array.from({ length: PARTS }, (_, i) =>
    samples.slice(Math.floor((i * samples.length) / PARTS), Math.floor(((i + 1) * samples.length) / PARTS)),
  ).filter((part) => part.length > 0);
  const head = ['MiB, median until minute', ...parts.map((_, i) => Math.round(((i + 1) * minutes) / parts.length))];
  const rows = Object.entries(names).map(([key, name]) => [
    name,
    ...parts.map((part) => Math.round(computeMedian(part.map((one) => one[key])))),
  ]);
  return formatMarkdownTable(head, rows);
}
