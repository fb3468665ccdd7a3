// The traffic of one user during the heavy work of another, in its own process: one request of each kind in flight at
// any time, with pauses between them. Takes `{ url, token, ids }`, reports when it has begun, and returns its latencies
// in milliseconds on request.
import { performance } from 'node:perf_hooks';
import { computePercentile } from '../lib/stats.mjs';
import { createSmallWorkbook } from './slow-workbook.mjs';

const PAUSE_MS = 40;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

process.once('message', async ({ url, token, ids }) => {
  let isEnded = false;
  let n = 0;
  const file = createSmallWorkbook();
  const call = async (method, path, body, type = 'application/json') => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) };
    const payload = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers,
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
  };
  const putValue = (id) => call('PUT', `/documents/${id}/values/A1`, { values: [[n++]] });
  const kinds = {
    'one-cell read': () => call('GET', `/documents/${ids.light}/values/A1`),
    'light write': () => putValue(ids.light),
    'light write to the document that the neighbour queries': () => putValue(ids.shared),
    'write that 20,000 formulas read': () => putValue(ids.formulas),
    'query with a formula': () =>
      call('POST', `/documents/${ids.records}/records/query`, {
        range: 'Sheet1',
        formula: `=A2>${n++ % 900}`,
        limit: 10,
      }),
    'structure dry run': () =>
      call('POST', `/documents/${ids.structure}/structure?dryRun=true`, {
        operations: [{ insertRows: { sheet: 'Sheet1', before: 5, count: 1 } }],
      }),
    'small import': () => call('POST', '/documents?title=small', file, XLSX),
    'small export': () => call('GET', `/documents/${ids.records}/export?format=xlsx`),
  };
  const latencies = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  const sendOne = async (kind) => {
    const start = performance.now();
    await kinds[kind]();
    latencies[kind].push(performance.now() - start);
  };
  for (const kind of Object.keys(kinds)) for (let i = 0; i < 3; i++) await sendOne(kind);
  for (const list of Object.values(latencies)) list.length = 0;
  process.once('message', () => {
    isEnded = true;
  });
  process.send('begun');
  const sendRepeatedly = async (kind) => {
    while (!isEnded) {
      await sendOne(kind);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  };
  await Promise.all(Object.keys(kinds).map(sendRepeatedly));
  const figures = Object.entries(latencies).map(([kind, list]) => {
    return [
      kind,
      {
        count: list.length,
        p50: computePercentile(list, 0.5),
        p99: computePercentile(list, 0.99),
        max: Math.max(...list),
      },
    ];
  });
  process.send(Object.fromEntries(figures), () => process.exit(0));
});
