import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeMachine } from '../lib/machine.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { isolation } from './isolation.mjs';
import { neighbours } from './neighbours.mjs';
import { randomReads } from './random-reads.mjs';
import { reads } from './reads.mjs';
import { printReport, writeDocument } from './report.mjs';
import { Installation } from './service.mjs';
import { sizes } from './sizes.mjs';
import { writes } from './writes.mjs';

/**
 * Measures the service as an operator runs it (`cellwire serve`, set up by its commands, logs to a file) on a new data
 * folder, under load from a separate process (autocannon). The comparison is a bare node:http server that does the
 * minimum: for reads it sends the same bytes, for writes it inserts the same rows with the same group commits. Both run
 * all the time and are loaded in turns. One ratio compares requests per second; the other one compares processor times
 * per request, because the load and other work share the machine. Data is in bench/data, on the checkout's disk.
 */
export const SCENARIOS = [...reads, ...randomReads, ...writes, ...sizes, ...neighbours, ...isolation];

const RESULTS = new URL('../results/http.json', import.meta.url);
const DATA = fileURLToPath(new URL('../data/', import.meta.url));
const WARM_SECONDS = 2;

/** Runs the chosen scenarios, stores their results, and prints or writes the report. */
export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      runs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      write: { type: 'boolean', default: false },
    },
  });
  const only = options.only?.split(',');
  const results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
  for (const scenario of SCENARIOS.filter(({ id }) => only === undefined || only.includes(id))) {
    const figures = await withTemporaryFolder((world) =>
      measureScenario(scenario, world, Number(options.runs), Number(options.seconds)),
    );
    results[scenario.id] = { machine: describeMachine(), figures };
    mkdirSync(new URL('.', RESULTS), { recursive: true });
    writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
    printReport([scenario], results);
  }
  if (options.write) writeDocument(SCENARIOS, results);
}

/** Runs work with a new folder, and removes the folder afterwards. */
async function withTemporaryFolder(work) {
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(join(DATA, 'run-'));
  try {
    return await work({ folder, installation: await new Installation(folder).setUp() });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures a scenario as a comparison or as a size. */
function measureScenario(scenario, world, runs, seconds) {
  return scenario.start === undefined
    ? measureSizes(scenario, world, runs)
    : measureComparison(scenario, world, runs, seconds);
}

/** Loads the service and the bare server in turns, `runs` times. */
async function measureComparison(scenario, world, runs, seconds) {
  const { contestants, run: send } = await scenario.start(world);
  const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  const warmUp = runs;
  for (const contestant of Object.values(contestants)) await send(contestant, WARM_SECONDS, warmUp);
  for (let i = 0; i < runs; i++) {
    const inTurn = Object.entries(contestants);
    for (const [name, contestant] of i % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const before = await contestant.readUsage();
      const result = await send(contestant, seconds, i);
      const after = await contestant.readUsage();
      samples[name].push({ ...result, cpuMs: (after.cpuMs - before.cpuMs) / result.total });
      process.stderr.write(`${scenario.id} ${name} ${i + 1}/${runs}: ${Math.round(result.perSecond)}/s\n`);
    }
  }
  for (const contestant of Object.values(contestants)) await contestant.stop();
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, computeMedians(list)]));
}

/** Returns the medians of the samples of a scenario, by the names of their figures. */
function computeMedians(samples) {
  return Object.fromEntries(
    Object.keys(samples[0]).map((key) => [key, computeMedian(samples.map((sample) => sample[key]))]),
  );
}

/** Runs a measurement `runs` times. All runs use one data folder, because creating one takes long. */
async function measureSizes(scenario, world, runs) {
  const samples = [];
  for (let i = 0; i < runs; i++) {
    samples.push(await scenario.measure(world));
    process.stderr.write(`${scenario.id} ${i + 1}/${runs}\n`);
  }
  const names = Object.keys(samples[0]);
  return Object.fromEntries(names.map((name) => [name, computeMedians(samples.map((sample) => sample[name]))]));
}
