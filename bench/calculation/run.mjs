// node bench/calculation/run.mjs [--documents 8] [--rows 20000] [--seconds 5] [--rounds 3]
//
// Heavy recalculations of several documents of one user at once, with one and with two `workers`, in turns. Each document
// has formulas that all depend on one cell, which every request writes. Prints finished writes per second, busy cores of
// the service, and the average number of its threads, without the serving thread, that run or wait for a core. Other load on
// the machine hardly changes that number. All figures are medians of the rounds. `BENCH_COMMAND=…/cellwire.mjs` measures another checkout.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Installation } from '../http/service.mjs';
import { readStat } from '../lib/processes.mjs';
import { computeMedian } from '../lib/stats.mjs';

const SAMPLE_MS = 10;
const WARM_UP = 4;

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '8' },
    rows: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
  },
});
const rows = Number(values.rows);
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'calculation-'));
try {
  const results = new Map([1, 2].map((workers) => [workers, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [workers, runs] of results) runs.push(await measureWithWorkers(workers));
  }
  const [one, two] = [...results.values()].map((runs) => computeMedian(runs.map(({ perSecond }) => perSecond)));
  for (const [workers, runs] of results) {
    const [perSecond, cores, ready] = ['perSecond', 'cores', 'ready'].map((name) =>
      computeMedian(runs.map((run) => run[name])),
    );
    console.log(
      `workers ${workers}: ${perSecond.toFixed(1)} writes per second, ${cores.toFixed(2)} cores busy, ${(perSecond / cores).toFixed(1)} writes per second of processor time, ${ready.toFixed(2)} threads ready`,
    );
  }
  console.log(`ratio ${(two / one).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Measures writes of a service that calculates in this number of threads. */
async function measureWithWorkers(workerCount) {
  const settings = { workers: workerCount, plans: { enterprise: { requestsPerSecond: null } } };
  const installation = await new Installation(folder, { settings }).setUp();
  const service = await installation.start();
  try {
    return await measureWrites(installation, service);
  } finally {
    await service.stop();
    installation.remove();
  }
}

/**
 * Writes to all documents concurrently for the measured time. Returns writes per second, busy cores, and the mean
 * number of ready threads.
 */
async function measureWrites(installation, service) {
  const { headers } = installation;
  const write = async (id, range, cells) => {
    const url = `${service.address}/api/v1/documents/${id}/values/${range}`;
    const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ values: cells }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${range}: ${response.status} ${text}`);
  };
  const ids = await installation.emptyDocuments(service, Number(values.documents));
  const formulas = Array.from({ length: rows }, (_, row) => [
    `=TEXT(A$1+${row};"0.00")&LEN(SUBSTITUTE(REPT("ab";5+MOD(A$1;3));"a";"x"))`,
  ]);
  for (const id of ids) await write(id, `B1:B${rows}`, formulas);
  // The documents spread over the threads before the measurement.
  await Promise.all(
    ids.map(async (id) => {
      for (let value = 1; value <= WARM_UP; value++) await write(id, 'A1', [[value]]);
    }),
  );
  const { pid } = service.child;
  const cpuBefore = readStat(pid).cpuMs;
  const samples = [];
  const sampling = setInterval(() => samples.push(countReadyThreads(pid)), SAMPLE_MS);
  const start = performance.now();
  let writes = 0;
  await Promise.all(
    ids.map(async (id) => {
      for (let value = 2; performance.now() - start < seconds * 1000; value++) {
        await write(id, 'A1', [[value]]);
        writes++;
      }
    }),
  );
  clearInterval(sampling);
  const elapsedMs = performance.now() - start;
  const cores = (readStat(pid).cpuMs - cpuBefore) / elapsedMs;
  const ready = samples.reduce((sum, count) => sum + count, 0) / samples.length;
  return { perSecond: (writes * 1000) / elapsedMs, cores, ready };
}

/** Number of threads of a process, other than the first, that run or wait for a core. */
function countReadyThreads(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
  return threads.filter((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1].startsWith('R');
    } catch {
      return false; // The thread has ended.
    }
  }).length;
}
