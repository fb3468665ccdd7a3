// by-row-child.mjs KIND ENGINE ROWS: prints `{ build, edit }` in milliseconds of processor time, once warm.
import { computeMedian } from '../lib/stats.mjs';
import { createWorkload } from './by-row-kinds.mjs';
import { importEngine } from './engines.mjs';

const EDITS = 5;
/** A workload that takes longer is measured once, without warm-up. */
const SLOW_MS = 2_000;

const [id, name, rows] = process.argv.slice(2);
const size = Number(rows);
const workload = createWorkload(id);
const engine = await importEngine(name);
const data = workload.createRows(size);
const input = engine.prepare(data);
const probe = workload.getProbeCell(size);
const expected = workload.createPlainLoops(data);

let model = null;
const build = () => {
  if (model !== null) engine.dispose?.(model);
  model = engine.build(input);
};
const first = timeRun(build);
const built = first > SLOW_MS ? first : timeRun(build);
assertResult(expected.build());

const [{ row, column }] = Object.values(workload.listEdits(size));
const [compute] = Object.values(expected.edits);
const edits = [];
for (let i = 0; i <= EDITS && (i === 0 || edits[0] < SLOW_MS); i++) {
  const value = workload.getWrittenValue(i);
  edits.push(timeRun(() => engine.edit(model, row, column, value)));
  const expectedSum = compute(value);
  if (expectedSum !== undefined) assertResult(expectedSum);
}
const warm = edits.length > 1 ? edits.slice(1) : edits;
console.log(JSON.stringify({ build: built, edit: computeMedian(warm) }));

/** Returns the processor time of a call in milliseconds. */
function timeRun(run) {
  const start = readProcessorTime();
  run();
  return readProcessorTime() - start;
}

/** Returns the processor time of this process in milliseconds. */
function readProcessorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Throws if the probe cell has another value, apart from rounding. */
function assertResult(expectedValue) {
  const actual = engine.read(model, probe.row, probe.column);
  const isClose =
    typeof expectedValue === 'number' && Math.abs(Number(actual) - expectedValue) <= 1e-8 * Math.abs(expectedValue);
  if (actual !== expectedValue && !isClose) throw new Error(`wrong result: ${actual} instead of ${expectedValue}`);
}
