// node bench/google/run.mjs [--rounds 7] [--requests 300]
//
// Compares Google's methods with the API's own routes, on one service, interleaved: requests per second of values.get
// of 26,000 cells (repeated, and after a write) and of values.update of one cell, and the memory that spreadsheets.get
// with 100,000 cells needs while it is sent.

import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Installation } from '../http/service.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { formatMarkdownTable } from '../lib/table.mjs';

/** Returns the number after an option of the command line; `defaultValue` without the option. */
const readOption = (name, defaultValue) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? defaultValue : Number(process.argv[at + 1]);
};
const ROUNDS = readOption('rounds', 7);
const REQUESTS = readOption('requests', 300);
const ROWS = 1_000;
const COLUMNS = 26;
const CONNECTIONS = 4;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Sends a request and reads its whole answer; rejects unless it succeeds. */
function sendRequest(address, token, method, path, body) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  const outgoing = request(`${address}${path}`, { method, agent, headers }, (response) => {
    let bytes = 0;
    response.on('data', (piece) => {
      bytes += piece.length;
    });
    response.once('end', () => {
      if (response.statusCode === 200) resolve(bytes);
      else reject(new Error(`${method} ${path}: ${response.statusCode}`));
    });
  });
  outgoing.once('error', reject);
  outgoing.end(text);
  return promise;
}

/** Requests per second, on a few connections at once. */
async function measureRate(count, sendOne) {
  const start = performance.now();
  let next = 0;
  const sendInTurn = async () => {
    while (next < count) await sendOne(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendInTurn));
  return (count * 1_000) / (performance.now() - start);
}

const folder = mkdtempSync(join(tmpdir(), 'cellwire-bench-google-'));
try {
  const installation = await new Installation(folder).setUp();
  const { id: document } = await installation.document('Numbers');
  const { id: large } = await installation.document('Large');
  const service = await installation.start();
  try {
    const { address } = service;
    const { token } = installation;
    const api = `/api/v1/documents/${document}/values`;
    const google = `/google/v4/spreadsheets/${document}/values`;
    const createRow = (r) => Array.from({ length: COLUMNS }, (_, c) => (c % 3 === 0 ? `text ${r}` : r * c + 0.5));
    const values = Array.from({ length: ROWS }, (_, r) => createRow(r));
    await sendRequest(address, token, 'PUT', `${api}/A1`, { values });
    await sendRequest(address, token, 'PUT', `/api/v1/documents/${large}/values/A1`, {
      values: Array.from({ length: 10_000 }, (_, r) => createRow(r).slice(0, 10)),
    });
    const get = (path) => () => sendRequest(address, token, 'GET', path);
    const putCell = (path) => (i) => sendRequest(address, token, 'PUT', path, { values: [[i]] });
    const readAfterWrite = (path, write) => async (i) => {
      await write(i);
      await sendRequest(address, token, 'GET', path);
    };
    const write = putCell(`${api}/A1`);
    const pairs = {
      'values.get of 26,000 cells': [get(`${api}/A1:Z1000`), get(`${google}/A1:Z1000`), REQUESTS],
      'values.get of 26,000 cells after a write': [
        readAfterWrite(`${api}/A1:Z1000`, write),
        readAfterWrite(`${google}/A1:Z1000`, write),
        40,
      ],
      'values.update of one cell': [putCell(`${api}/A1`), putCell(`${google}/A1?valueInputOption=RAW`), REQUESTS],
    };
    const rows = [];
    for (const [name, [own, theirs, count]] of Object.entries(pairs)) {
      const rates = { own: [], theirs: [] };
      await measureRate(20, own);
      await measureRate(20, theirs);
      for (let round = 0; round < ROUNDS; round++) {
        rates.own.push(await measureRate(count, own));
        rates.theirs.push(await measureRate(count, theirs));
      }
      const [a, b] = [computeMedian(rates.own), computeMedian(rates.theirs)];
      rows.push([name, a.toFixed(0), b.toFixed(0), (b / a).toFixed(2)]);
    }
    console.log(formatMarkdownTable(['requests per second', 'API', 'Google', 'ratio'], rows));
    const memoryBefore = (await service.readUsage(true)).rss;
    let most = memoryBefore;
    const sampling = setInterval(async () => {
      most = Math.max(most, (await service.readUsage()).rss);
    }, 20);
    const bytes = await sendRequest(address, token, 'GET', `/google/v4/spreadsheets/${large}?includeGridData=true`);
    clearInterval(sampling);
    const formatMegabytes = (value) => (value / 1024 / 1024).toFixed(1);
    console.log(
      `spreadsheets.get of 100,000 cells: ${formatMegabytes(bytes)} MB sent, ${formatMegabytes(most - memoryBefore)} MB more memory during that time`,
    );
  } finally {
    await service.stop();
  }
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
