import { Session } from 'node:inspector/promises';
import { parseArgs } from 'node:util';
import { formatDuration } from '../lib/stats.mjs';
import { importEngine } from './engines.mjs';
import { WORKLOADS } from './workloads.mjs';

const SAMPLING_INTERVAL_US = 100;
const TOP = 14;
const PHASE_MS = 1_500;
const WARM_MS = 300;

/** Profiles our engine by workload and step: the self time of each function, the largest first. */
export async function run(args) {
  const { values: options } = parseArgs({ args, options: { only: { type: 'string', default: 'a' } } });
  const engine = await importEngine('cellwire');
  for (const workload of WORKLOADS.filter(({ id }) =>
    options.only.split(',').some((prefix) => id.startsWith(prefix)),
  )) {
    const input = engine.prepare(workload.createRows(workload.size));
    const { row, column } = workload.getProbeCell(workload.size);
    let model = engine.build(input);
    if (workload.measuresBuild) {
      await profilePhase(`${workload.id} build`, () => {
        model = engine.build(input);
      });
    }
    for (const [name, cell] of Object.entries(workload.listEdits?.(workload.size) ?? {})) {
      await profilePhase(`${workload.id} ${name}`, (i) => {
        engine.edit(model, cell.row, cell.column, workload.getWrittenValue(i, name));
        engine.read(model, row, column);
      });
    }
    for (const [name, step] of Object.entries(workload.createSteps?.(engine, model, workload.size) ?? {})) {
      await profilePhase(`${workload.id} ${name}`, step);
    }
  }
}

/** Profiles repeated calls of `work` and prints the functions with the most self time. */
async function profilePhase(title, work) {
  let calls = 0;
  const runForMs = (ms) => {
    const start = performance.now();
    do work(calls++);
    while (performance.now() - start < ms);
    return performance.now() - start;
  };
  runForMs(WARM_MS);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
  await session.post('Profiler.start');
  const callsBefore = calls;
  const elapsed = runForMs(PHASE_MS);
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  console.log(`\n${title}: ${formatDuration(elapsed / (calls - callsBefore))} a call`);
  for (const [location, share] of computeOwnShares(profile).slice(0, TOP))
    console.log(`${share.toFixed(1).padStart(6)} %  ${location}`);
}

/** Returns the self time of each function in percent of the profile, as pairs, the largest first. */
function computeOwnShares({ nodes, samples, timeDeltas }) {
  const locations = new Map(nodes.map(({ id, callFrame }) => [id, formatLocation(callFrame)]));
  const times = new Map();
  let total = 0;
  samples.forEach((id, i) => {
    const at = locations.get(id);
    times.set(at, (times.get(at) ?? 0) + timeDeltas[i]);
    total += timeDeltas[i];
  });
  return [...times].map(([at, time]) => [at, (100 * time) / total]).sort((a, b) => b[1] - a[1]);
}

/** Formats a function of a profile: its name, file and line. */
function formatLocation({ functionName, url, lineNumber }) {
  const file = url.split('/').slice(-2).join('/');
  return file === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
