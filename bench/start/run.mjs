// node bench/start/run.mjs [--documents 5000] [--runs 5]
//
// The start of the service until it listens, with an empty installation and with many documents in turns: processor time
// of the process, elapsed time, and resident memory at the end of the start. Medians; a first run, which fills the cache
// of compiled code, does not count. `BENCH_COMMAND=…/cellwire.mjs` measures another checkout.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { readResidentBytes, readStat } from '../lib/processes.mjs';
import { computeMedian } from '../lib/stats.mjs';

const execute = promisify(execFile);
/** Returns the path of a file relative to this module. */
const resolvePath = (path) => fileURLToPath(new URL(path, import.meta.url));
const NODE = resolvePath('../../node_modules/node/bin/node');
const COMMAND = process.env.BENCH_COMMAND ?? resolvePath('../../packages/server/bin/cellwire.mjs');
const MAKE = resolvePath('../http/make-documents.mjs');
/** Rows and columns of each document. */
const SIZE = ['20', '5'];
/** The user whom the first start creates. */
const OWNER = '1';
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const { values } = parseArgs({
  options: { documents: { type: 'string', default: '5000' }, runs: { type: 'string', default: '5' } },
});
const folder = mkdtempSync(join(tmpdir(), 'start-'));
try {
  const cases = ['0', values.documents].map((documents) => ({ documents, data: join(folder, documents), runs: [] }));
  for (const { documents, data } of cases) {
    await measureStart(data);
    if (documents !== '0')
      await execute(NODE, [MAKE, data, OWNER, documents, ...SIZE], { maxBuffer: MAX_OUTPUT_BYTES });
  }
  for (let run = 0; run < Number(values.runs); run++) {
    for (const { data, runs } of cases) runs.push(await measureStart(data));
  }
  for (const { documents, runs } of cases) {
    const [cpu, clock, memory] = ['cpu', 'clock', 'memory'].map((name) =>
      Math.round(computeMedian(runs.map((run) => run[name]))),
    );
    console.log(`${documents} documents: ${cpu} ms of processor time, ${clock} ms by the clock, ${memory} MB`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Starts the service on a data folder. Returns the time until it answers, in milliseconds. */
async function measureStart(data) {
  const env = { ...process.env, CELLWIRE_DATA: data, CELLWIRE_PORT: '0' };
  const before = performance.now();
  const service = spawn(NODE, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  for await (const line of createInterface({ input: service.stdout })) if (line.startsWith('listening')) break;
  const clock = performance.now() - before;
  const figures = { clock, cpu: readStat(service.pid).cpuMs, memory: readResidentBytes(service.pid) / 2 ** 20 };
  service.kill('SIGTERM');
  await ended;
  return figures;
}
