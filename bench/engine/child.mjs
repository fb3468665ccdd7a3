// One measurement of one engine on one workload, in its own process. The parent sends the task; the process answers
// once with `{ ms: { measure: milliseconds }, bytes: { measure: bytes } }` or `{ error }`.
import { importEngine } from './engines.mjs';
import { findWorkload } from './workloads.mjs';

/** Minimum warm-up of every repeated measure, in calls and in milliseconds. */
const WARM_CALLS = 3;
const WARM_MS = 150;
/** Maximum number of samples. Sampling also ends after `SAMPLING_MS` if there is a sample. */
const MAX_SAMPLES = 200;
const SAMPLING_MS = 1_500;
/** A call that takes longer than this, in milliseconds, ends the warm-up. */
const SLOW_MS = 4_000;

process.once('message', async (task) => {
  try {
    process.send(await measureEngine(task), () => process.exit(0));
  } catch (error) {
    process.send({ error: String(error?.message ?? error).slice(0, 200) }, () => process.exit(0));
  }
});

/** Measures one workload with one engine. Returns times in milliseconds by measure, and bytes if `mode` is `memory`. */
async function measureEngine({ workload: id, engine: name, size, mode }) {
  const workload = await findWorkload(id);
  if (name === 'limit')
    return mode === 'memory' ? { ms: {}, bytes: {} } : { ms: measurePlainLoops(workload, size), bytes: {} };
  const engine = await importEngine(name);
  if (mode === 'memory') return { ms: {}, bytes: measureMemory(workload, engine, size) };
  return { ms: measureEngineRun(workload, engine, size), bytes: {} };
}

/** Runs the workload as plain loops over typed arrays and maps, and returns their results and times. */
function measurePlainLoops(workload, size) {
  const limit = workload.createPlainLoops(workload.createRows(size));
  const ms = {};
  if (limit.build) ms.build = measureRepeatedly(() => limit.build());
  for (const [name, run] of Object.entries(limit.edits ?? {}))
    ms[name] = measureRepeatedly((i) => run(workload.getWrittenValue(i, name)));
  for (const [name, run] of Object.entries(limit.steps ?? {})) ms[name] = measureRepeatedly(run);
  return ms;
}

/**
 * Builds the workload with an engine, performs its edits and steps, and checks each result. Returns times in
 * milliseconds by measure.
 */
function measureEngineRun(workload, engine, size) {
  const rows = workload.createRows(size);
  const input = engine.prepare(rows, workload.trait);
  const limit = workload.createPlainLoops(rows);
  const probe = workload.getProbeCell(size);
  const ms = {};
  let model;
  const build = () => {
    if (model !== undefined) engine.dispose?.(model);
    model = engine.build(input);
    return engine.read(model, probe.row, probe.column);
  };
  if (workload.measuresBuild) ms.build = measureRepeatedly(build);
  else build();
  if (limit.build) assertResult('build', limit.build(), engine.read(model, probe.row, probe.column));
  for (const [name, { row, column }] of Object.entries(workload.listEdits?.(size) ?? {})) {
    let last = 0;
    ms[name] = measureRepeatedly((i) => {
      last = i;
      engine.edit(model, row, column, workload.getWrittenValue(i, name));
      return engine.read(model, probe.row, probe.column);
    });
    assertResult(
      name,
      limit.edits[name](workload.getWrittenValue(last, name)),
      engine.read(model, probe.row, probe.column),
    );
  }
  for (const [name, run] of Object.entries(workload.createSteps?.(engine, model, size) ?? {}))
    ms[name] = measureRepeatedly(run);
  return ms;
}

/** Median time of a call after the warm-up. `run` gets the number of the call. */
function measureRepeatedly(run) {
  const measureCall = (i) => {
    const start = performance.now();
    run(i);
    return performance.now() - start;
  };
  const begin = performance.now();
  let calls = 0;
  let latest = 0;
  const runNext = () => {
    latest = measureCall(calls++);
    return latest;
  };
  while (calls < WARM_CALLS || performance.now() - begin < WARM_MS) {
    if (runNext() > SLOW_MS) return latest;
  }
  const samples = [];
  const deadline = performance.now() + SAMPLING_MS;
  while (samples.length < MAX_SAMPLES && (samples.length === 0 || performance.now() < deadline))
    samples.push(runNext());
  samples.sort((a, b) => a - b);
  return samples[samples.length >> 1];
}

/** A different result disqualifies an engine. Nine digits are compared, because one engine shows only nine. */
function assertResult(measure, expected, actual) {
  if (expected === undefined || expected === actual) return;
  const isClose = typeof expected === 'number' && Math.abs(Number(actual) - expected) <= 1e-8 * Math.abs(expected);
  if (!isClose) throw new Error(`wrong result after ${measure}: ${actual} instead of ${expected}`);
}

/** Bytes of a built model after its input was released. */
function measureMemory(workload, engine, size) {
  // Memory of loading, compiling and the engine's own caches does not belong to the model.
  const warm = engine.build(engine.prepare(workload.createRows(Math.min(size, 1_000))));
  const bytesBefore = measureUsedBytes(engine);
  const model = engine.build(engine.prepare(workload.createRows(size)));
  const probe = workload.getProbeCell(size);
  engine.read(model, probe.row, probe.column);
  const total = measureUsedBytes(engine) - bytesBefore;
  // Reads both models, so that the garbage collector cannot free them before this point.
  if (engine.read(warm, 0, 0) === engine.read(model, 0, 0) && total < 0) throw new Error('memory shrank');
  return { memory: total / workload.countCells(size) };
}

/** Returns the used memory in bytes after garbage collection. */
function measureUsedBytes(engine) {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external + (engine.measureForeignBytes?.() ?? 0);
}
