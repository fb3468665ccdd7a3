// node bench/calculation/run.mjs [--documents 8] [--rows 20000] [--seconds 5] [--rounds 3]
//
// Heavy recalculations of several documents of one user at once, with one and with two `workers`, in turns. Each document
// has formulas that all depend on one cell, which every request writes. Prints finished writes per second, busy cores of
// the service, and the average number of its threads, without the serving thread, that run or wait for a core. Other load on
// the machine hardly changes that number. All figures are medians of the rounds. `BENCH_COMMAND=…/cellwire.mjs` measures another checkout.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const NODE = at('../../node_modules/node/bin/node');
const COMMAND = process.env.BENCH_COMMAND ?? at('../../packages/server/bin/cellwire.mjs');
const TICKS_PER_SECOND = 100;
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
    for (const [workers, runs] of results) runs.push(await measure(workers, join(folder, `${round}-${workers}`)));
  }
  const [one, two] = [...results.values()].map((runs) => median(runs.map(({ perSecond }) => perSecond)));
  for (const [workers, runs] of results) {
    const [perSecond, cores, ready] = ['perSecond', 'cores', 'ready'].map((name) =>
      median(runs.map((run) => run[name])),
    );
    console.log(
      `workers ${workers}: ${perSecond.toFixed(1)} writes per second, ${cores.toFixed(2)} cores busy, ${(perSecond / cores).toFixed(1)} writes per second of processor time, ${ready.toFixed(2)} threads ready`,
    );
  }
  console.log(`ratio ${(two / one).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(workers, data) {
  const config = `${data}.json`;
  writeFileSync(config, JSON.stringify({ workers, plans: { enterprise: { requestsPerSecond: null } } }));
  const env = { ...process.env, CELLWIRE_DATA: data, CELLWIRE_CONFIG: config, CELLWIRE_PORT: '0' };
  const service = spawn(NODE, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  let text = '';
  for await (const line of createInterface({ input: service.stdout })) {
    text += `${line}\n`;
    if (line.startsWith('listening')) break;
  }
  const [, address] = /listening on (\S+)/.exec(text);
  const [token] = /\b[\w-]*\|?[\w-]{30,}/.exec(/token[^\n]*\n?[^\n]*/i.exec(text)?.[0] ?? '') ?? [];
  const ask = async (method, path, body) => {
    const response = await fetch(`${address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const ids = [];
  for (let i = 0; i < Number(values.documents); i++) {
    const created = await ask('POST', '/documents', { title: `Heavy ${i}` });
    const { id } = created.document ?? created;
    ids.push(id);
    const formulas = Array.from({ length: rows }, (_, row) => [
      `=TEXT(A$1+${row};"0.00")&LEN(SUBSTITUTE(REPT("ab";5+MOD(A$1;3));"a";"x"))`,
    ]);
    await ask('PUT', `/documents/${id}/values/B1:B${rows}`, { values: formulas });
  }
  // The documents spread over the threads before the measurement.
  await Promise.all(
    ids.map(async (id) => {
      for (let value = 1; value <= WARM_UP; value++)
        await ask('PUT', `/documents/${id}/values/A1`, { values: [[value]] });
    }),
  );
  const before = ticksOf(service.pid);
  const samples = [];
  const sampling = setInterval(() => samples.push(readyThreads(service.pid)), SAMPLE_MS);
  const start = performance.now();
  let writes = 0;
  await Promise.all(
    ids.map(async (id) => {
      for (let value = 2; performance.now() - start < seconds * 1000; value++) {
        await ask('PUT', `/documents/${id}/values/A1`, { values: [[value]] });
        writes++;
      }
    }),
  );
  clearInterval(sampling);
  const elapsed = (performance.now() - start) / 1000;
  const cores = (ticksOf(service.pid) - before) / TICKS_PER_SECOND / elapsed;
  service.kill('SIGTERM');
  await ended;
  const ready = samples.reduce((sum, count) => sum + count, 0) / samples.length;
  return { perSecond: writes / elapsed, cores, ready };
}

/** Number of threads of a process, without its first, that run or wait for a core. */
function readyThreads(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== String(pid));
  return threads.filter((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ')[1].startsWith('R');
    } catch {
      return false; // The thread has ended.
    }
  }).length;
}

/** Processor time of a process, in clock ticks of the kernel. */
function ticksOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
