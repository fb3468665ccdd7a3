// node bench/stretches/run.mjs [--cells 1000000] [--shape tall,wide,texts] [--only TEXT]
//
// Runs every operation of the API on large documents. Measures the longest time that the serving thread works without a
// pause, in processor time, and the longest wait of another client for /healthz.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  computeSize,
  formatColumn,
  generateRows,
  LARGE_OPERATIONS,
  LARGE_SHAPES,
  listPreparations,
} from '../../packages/server/test/http/large-operations.ts';
import { ServerProcess } from '../http/children.mjs';
import { Installation } from '../http/service.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url));
const WARMING_CELLS = 40_000;
const SENT = 25_000;
const GOAL_MS = 25;
const HEALTH_PAUSE_MS = 5;

/** Returns the text after an option of the command line; `defaultValue` without the option. */
const readOption = (name, defaultValue) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? defaultValue : process.argv[at + 1];
};
const CELLS = Number(readOption('cells', 1_000_000));
const SHAPES = readOption('shape', LARGE_SHAPES.join(',')).split(',');
const ONLY = readOption('only', '');

/** The longest time of `/healthz` until the work ends, in milliseconds. */
async function watchHealth({ address }, work) {
  let isDone = false;
  let longest = 0;
  const healthChecks = (async () => {
    while (!isDone) {
      const start = performance.now();
      await (await fetch(`${address}/healthz`)).text();
      longest = Math.max(longest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, HEALTH_PAUSE_MS));
    }
  })();
  const result = await work();
  isDone = true;
  await healthChecks;
  return { result, longest };
}

class Client {
  constructor(service, installation, document) {
    this.service = service;
    this.installation = installation;
    this.document = document;
  }

  /** Sends a request to the document. Returns status and text. */
  async send({ method, path, body, raw, headers = {} }, { dryRun = false } = {}) {
    const base = `${this.service.address}/api/v1`;
    const url = path.startsWith('//') ? base + path.slice(1) : `${base}/documents/${this.document}${path}`;
    const address = url.replace('%7Bdocument%7D', this.document);
    const { 'content-type': type, ...otherHeaders } = this.installation.headers;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(dryRun ? `${address}${address.includes('?') ? '&' : '?'}dryRun=true` : address, {
      method,
      headers: { ...otherHeaders, ...(payload === undefined ? {} : { 'content-type': type }), ...headers },
      body: payload,
    });
    const bytes = await response.arrayBuffer();
    return { status: response.status, text: Buffer.from(bytes.slice(0, 300)).toString() };
  }

  /** Makes the service release the document's writer state, so that the next write starts like the first one. */
  async releaseWriterState() {
    const { child } = this.service;
    child.send({ rest: this.document });
    await once(child, 'message');
  }

  /** Returns the newest revision of the document. */
  async readRevision() {
    const { text } = await this.send({ method: 'GET', path: '' });
    return Number(/"revisionId":"(\d+)"/.exec(text)[1]);
  }
}

let figures = [];

/** Performs one operation, and records its time, its longest stretch without a pause, and the longest health check. */
async function measureOperation(client, label, expected, perform) {
  const { service } = client;
  await client.releaseWriterState();
  await service.readLongestStretch();
  const start = performance.now();
  const { result, longest } = await watchHealth(service, perform);
  const elapsedMs = performance.now() - start;
  // Includes work that the operation causes later, such as checkpoints.
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stretch = await service.readLongestStretch();
  const note = result.status === expected ? '' : `${result.status} ${result.text.slice(0, 120)}`;
  figures.push({ label, stretch, longest, took: elapsedMs, note });
  const mark = stretch > GOAL_MS ? '  <<<' : '';
  console.log(
    `${label.padEnd(70)} ${stretch.toFixed(1).padStart(8)} ${longest.toFixed(1).padStart(8)} ${elapsedMs.toFixed(0).padStart(7)} ${note}${mark}`,
  );
}

/** Measures an operation, its dry run and its undo. */
async function tryOperation(client, book, shape, operation) {
  const { route, name, writes, hasDryRun, status = 200 } = operation;
  const label = `${shape}: ${route.replace('/api/v1/documents/{document}', '')} ${name}`;
  const first = await client.readRevision();
  for (const request of operation.before?.(book) ?? []) await client.send(request);
  const request = operation.request(book);
  if (hasDryRun)
    await measureOperation(client, `${label}, dry run`, status, () => client.send(request, { dryRun: true }));
  const revisionBefore = await client.readRevision();
  await measureOperation(client, label, status, () => client.send(request));
  if (!writes) return;
  for (let revision = await client.readRevision(); revision > first; revision--) {
    const undo = { method: 'POST', path: `/revisions/${revision}/undo`, body: {} };
    if (revision > revisionBefore) await measureOperation(client, `${label}, undo`, 200, () => client.send(undo));
    else await client.send(undo);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-stretches-'));
const scopes = 'sheets.read,sheets.write,sheets.crossbook.read,documents.write,sheets.webhooks';
const installation = await new Installation(folder, { scopes }).setUp();

/** Measures all operations on a document of one shape with about this number of cells. */
async function measureShape(shape, cells) {
  const file = join(folder, `${shape}.csv`);
  writeFileSync(file, [...generateRows(shape, cells)].join('\n'));
  const { id } = await installation.document(shape, file);
  const client = new Client(service, installation, id);
  const { rows, columns } = computeSize(shape, cells);
  await measureOperation(client, `${shape}: opened`, 200, () => client.send({ method: 'GET', path: '/values/A1' }));
  const { text } = await client.send({ method: 'GET', path: '/sheets' });
  const book = {
    sheet: /"name":"([^"]+)"/.exec(text)[1],
    rows,
    lastColumn: formatColumn(columns - 1),
    requestItems: SENT,
  };
  for (const request of listPreparations(book)) {
    const { status, text: responseText } = await client.send(request);
    if (status !== 200) throw new Error(`${request.path}: ${status} ${responseText}`);
  }
  for (const operation of LARGE_OPERATIONS) {
    if (`${shape} ${operation.route} ${operation.name}`.includes(ONLY))
      await tryOperation(client, book, shape, operation);
  }
}

const service = await ServerProcess.start(SERVE, { env: installation.env, folder: installation.folder });
if (!process.argv.includes('--cold')) await measureShape('tall', WARMING_CELLS);
figures = [];
for (const shape of SHAPES) await measureShape(shape, CELLS);
await service.stop();
installation.remove();
rmSync(folder, { recursive: true, force: true });
/** Formats a time in milliseconds. */
const formatMs = (value) => value.toFixed(1);
console.log(
  formatMarkdownTable(
    ['operation', 'longest time without a pause, ms of processor time', 'longest /healthz, ms', 'time, ms'],
    figures
      .toSorted((a, b) => b.stretch - a.stretch)
      .slice(0, 40)
      .map(({ label, stretch, longest, took }) => [label, formatMs(stretch), formatMs(longest), formatMs(took)]),
  ),
);
