import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const OTHERS = fileURLToPath(new URL('./others.mjs', import.meta.url));
const QUIET_MS = 10_000;

/** Returns the letters of a zero-based column. */
const formatColumnLetters = (column) => String.fromCharCode(65 + column);

/** Long calculations of one user in one document, while others read and write other documents. */
const NEIGHBOURS = {
  async 'REDUCE over 1M cells, repeatedly'({ put }) {
    await put('C1', [['=REDUCE(0;SEQUENCE(1000000);LAMBDA(a;b;a+b+A1))']]);
    for (let i = 0; i < 5; i++) await put('A1', [[i]]);
  },
  async '400 SUMPRODUCTs of 5,000 rows'({ put }) {
    await put(
      'A1',
      Array.from({ length: 5_000 }, (_, row) => [row, row % 7]),
    );
    const createFormulaRow = (row) => [`=SUMPRODUCT((A$1:A$5000>${row})*(B$1:B$5000=${row % 7})*A$1:A$5000)`];
    await put(
      'D1',
      Array.from({ length: 400 }, (_, row) => createFormulaRow(row)),
    );
    for (let i = 0; i < 5; i++) await put('A1', [[i]]);
  },
  async '30,000 different formulas in one write'({ put }) {
    for (let i = 0; i < 3; i++) await put('A1', createDistinctRows(30_000, i));
  },
  async 'a document of 100,000 different formulas opened and written to'({ put, get }, { large }) {
    await get('A1:A10', large);
    for (let i = 0; i < 5; i++) await put('Z1', [[i]], large);
  },
};

/** Creates rows with one formula each, whose templates all differ. */
function createDistinctRows(rows, seed) {
  return Array.from({ length: rows }, (_, row) => [`=${row + seed}+Z${row + 1}*SUM(Y$1:Y${(row % 50) + 1})`]);
}

/** Other users’ reads and writes, and /healthz, during one user’s long calculations. */
export const neighbours = [
  {
    id: 'neighbours',
    title: 'others next to a neighbour with long calculations',
    async measure({ installation }) {
      const ids = {};
      for (const name of ['read', 'written', 'heavy', 'large']) ids[name] = (await installation.document(name)).id;
      let service = await installation.start();
      const page = Array.from({ length: 1_000 }, (_, row) => Array.from({ length: 10 }, (_, column) => row + column));
      await createDocumentCalls(service, installation, ids.read).put('A1', page);
      for (let i = 0; i < 20; i++) {
        await createDocumentCalls(service, installation, ids.large).put(
          `${formatColumnLetters(i)}1`,
          createDistinctRows(5_000, i * 5_000),
        );
      }
      await service.stop();
      service = await installation.start();
      const quiet = await measureDuringWork(
        service,
        installation,
        ids,
        () => new Promise((done) => setTimeout(done, QUIET_MS)),
      );
      const figures = Object.fromEntries(formatTableRows('no neighbour', quiet, quiet));
      for (const [name, act] of Object.entries(NEIGHBOURS)) {
        const measurement = await measureDuringWork(service, installation, ids, () =>
          act(createDocumentCalls(service, installation, ids.heavy), ids),
        );
        for (const [label, figure] of formatTableRows(name, measurement, quiet)) figures[label] = figure;
      }
      figures['resident memory at the end'] = { bytes: (await service.readUsage(true)).rss };
      await service.stop();
      return figures;
    },
  },
];

/**
 * Targets, compared with the latencies without other work: reads 5 times as long or 60 ms, at most 250 ms; writes 5
 * times as long or 150 ms; health checks 1 s.
 */
function formatTableRows(name, { reads, writes, health, ms, stretch }, quiet) {
  return [
    [`${name}: reads, p99`, { ms: reads.p99, msAtMost: Math.max(5 * quiet.reads.p99, 60) }],
    [`${name}: reads, longest`, { ms: reads.max, msAtMost: 250 }],
    [`${name}: writes, p99`, { ms: writes.p99, msAtMost: Math.max(5 * quiet.writes.p99, 150) }],
    [`${name}: /healthz, longest`, { ms: health.max, msAtMost: 1_000 }],
    [`${name}: longest stretch of the serving thread, worked`, { ms: stretch }],
    [`${name}: took`, { ms }],
  ];
}

/**
 * Sends other users' traffic from a separate process during some work. Returns its latencies and the time of the work.
 */
async function measureDuringWork(service, { headers }, { read, written }, work) {
  const child = fork(OTHERS, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  child.send({ url: service.address, headers, read, written });
  await once(child, 'message');
  await service.readLongestStretch();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const stretch = await service.readLongestStretch();
  child.send('end');
  const [latencies] = await once(child, 'message');
  return { ...latencies, ms, stretch };
}

/** Reads and writes of one document. A refused request ends the measurement. */
function createDocumentCalls({ address }, { headers }, document) {
  const send = async (method, range, id, body) => {
    const url = `${address}/api/v1/documents/${id}/values/${range}`;
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${range}: ${response.status} ${text.slice(0, 200)}`);
  };
  return {
    put: (range, values, id = document) => send('PUT', range, id, JSON.stringify({ values })),
    get: (range, id = document) => send('GET', range, id),
  };
}
