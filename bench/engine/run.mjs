import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../lib/machine.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { writeDocument } from './document.mjs';
import { ENGINES } from './engines.mjs';
import { formatGrowthTable, formatWorkloadTable } from './report.mjs';
import { loadEngineResults, saveEngineResults } from './results.mjs';
import { WORKLOADS } from './workloads.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
/** Maximum time of another engine in seconds. The report says that an engine took longer. */
const CHILD_SECONDS = 120;
/** Limits in seconds above which an engine runs fewer times: three times above the first, once above the second. */
const SLOW_SECONDS = 20;
const VERY_SLOW_SECONDS = 60;
const SLOW_RUNS = 3;
const HEAP_MIB = 8_192;

/** Measures the chosen workloads, stores the figures in bench/results, and prints them. */
export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      runs: { type: 'string', default: '5' },
      ours: { type: 'boolean', default: false },
      peers: { type: 'string' },
      growth: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  });
  const runs = Number(options.runs);
  const chosen = WORKLOADS.filter(({ id }) => isWorkloadChosen(id, options.only));
  const results = loadEngineResults();
  for (const workload of chosen) {
    const engines = options.ours ? ['cellwire'] : selectEngines(workload, options.peers);
    if (options.growth) {
      await measureGrowth(workload, runs, results);
      continue;
    }
    const entry = { machine: describeMachine(), engines: await measureWorkload(workload, engines, runs) };
    console.log(`\n${formatWorkloadTable(workload, entry)}`);
    // Figures are comparable only with figures of other engines from the same run; without them they are not stored.
    if (options.ours) continue;
    results.workloads[workload.id] = entry;
    saveEngineResults(results);
  }
  if (options.growth) console.log(formatGrowthTable(results.growth));
  if (options.write) writeDocument(results);
}

/**
 * True if an id begins with one of the prefixes in `only`, or if `only` is absent. `only`: prefixes separated by
 * commas.
 */
function isWorkloadChosen(id, only) {
  return only === undefined || only.split(',').some((prefix) => id.startsWith(prefix));
}

/** Our engine and the requested other engines, by default all. */
function selectEngines(workload, peers) {
  const engines = workload.engines ?? ENGINES;
  return peers === undefined
    ? engines
    : engines.filter((name) => name === 'cellwire' || peers.split(',').includes(name));
}

/** Runs all engines in turns, so that a temporary load of the machine affects all of them. */
async function measureWorkload(workload, engines, runs) {
  const results = new Map(['limit', ...engines].map((engine) => [engine, { samples: [], seconds: 0 }]));
  for (let i = 0; i < runs; i++) {
    for (const [engine, result] of results) {
      if (i >= chooseRunCount(result, runs)) continue;
      const start = performance.now();
      const sample = await measureTimesAndMemory(workload, engine, workload.size);
      result.seconds = Math.max(result.seconds, (performance.now() - start) / 1000);
      result.samples.push(sample);
      process.stderr.write(`${workload.id} ${engine} ${i + 1}/${runs}: ${result.seconds.toFixed(1)} s\n`);
    }
  }
  return Object.fromEntries([...results].map(([engine, { samples }]) => [engine, summarizeSamples(samples)]));
}

/**
 * Returns how many runs an engine gets: none after a failure, fewer if its runs took long. `seconds`: the time of its
 * runs so far.
 */
function chooseRunCount({ samples, seconds }, runs) {
  if (samples.some(({ error }) => error !== undefined)) return 0;
  if (seconds > VERY_SLOW_SECONDS) return 1;
  return seconds > SLOW_SECONDS ? Math.min(runs, SLOW_RUNS) : runs;
}

/** Measures our engine at all sizes of a workload, and stores the medians. */
async function measureGrowth(workload, runs, results) {
  if (workload.growth === undefined) return;
  const sizes = {};
  for (const size of workload.growth) {
    const samples = [];
    for (let i = 0; i < runs; i++) samples.push(await measureInChild(workload, 'cellwire', size, 'time'));
    sizes[size] = summarizeSamples(samples);
    process.stderr.write(`${workload.id} ${size}\n`);
  }
  results.growth[workload.id] = { machine: describeMachine(), sizes };
  saveEngineResults(results);
}

/** Measures times and memory in two processes, because the first measurement would change the second. */
async function measureTimesAndMemory(workload, engine, size) {
  const time = workload.onlyMemory ? { ms: {}, bytes: {} } : await measureInChild(workload, engine, size, 'time');
  if (time.error !== undefined || workload.cells === undefined) return time;
  const memory = await measureInChild(workload, engine, size, 'memory');
  return memory.error === undefined ? { ms: time.ms, bytes: memory.bytes } : memory;
}

/** Runs one measurement in its own process. Returns its figures, or `{ error }` if it failed or took too long. */
function measureInChild(workload, engine, size, mode) {
  return new Promise((resolve) => {
    const child = fork(CHILD, {
      execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MIB}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-2_000);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), CHILD_SECONDS * 1000);
    let reply = null;
    child.on('message', (message) => {
      reply = message;
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(
        reply ?? { error: signal === 'SIGKILL' ? `over ${CHILD_SECONDS} s` : `died (${code}): ${getLastLine(errors)}` },
      );
    });
    child.send({ workload: workload.id, engine, size, mode });
  });
}

/** Returns the last line of a text that is not empty. */
function getLastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}

/** The medians of samples, with their number. An engine that failed once has no figures. */
function summarizeSamples(samples) {
  const failure = samples.find(({ error }) => error !== undefined);
  if (failure !== undefined) return { error: failure.error };
  return { runs: samples.length, ms: computeMedians(samples, 'ms'), bytes: computeMedians(samples, 'bytes') };
}

/** Returns the medians of samples by measure. `kind`: `ms` or `bytes`. */
function computeMedians(samples, kind) {
  const names = Object.keys(samples[0][kind]);
  return Object.fromEntries(names.map((name) => [name, computeMedian(samples.map((sample) => sample[kind][name]))]));
}
