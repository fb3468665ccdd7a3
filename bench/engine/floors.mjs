import { parseArgs } from 'node:util';
import { describeMachine } from '../lib/machine.mjs';
import { computeMedian } from '../lib/stats.mjs';
import { formatFloorsTable } from './bounds.mjs';
import { writeBounds } from './document.mjs';
import { loadEngineResults, saveFloorResults } from './results.mjs';

/**
 * Lower bounds of some edits with immutable states: readers keep their state, so an edit must copy every object that
 * contains a changed value. These are plain objects without an engine; `bounds.mjs` says which edit each represents.
 */
const ROWS = 256;
const SAMPLES = 15;
const SAMPLE_MS = 60;

/** The edits whose lower bounds are measured. Each function returns the call to time. */
const FLOORS = {
  lone: () => createEdit({ rows: 100_000, columns: 10, changed: 1 }),
  pair: () => createEdit({ rows: 100_000, columns: 6, changed: 2 }),
  eleven: () => createEdit({ rows: 10_000, columns: 20, changed: 11 }),
};

/** Sets one cell of each changed column to another value in a new state of the document. */
function createEdit({ rows, columns, changed }) {
  const chunks = Math.ceil(rows / ROWS);
  let state = {
    revision: 0,
    sheets: [{ id: 1, name: 'Sheet1', columns: Array.from({ length: columns }, () => createColumn(chunks)) }],
  };
  let value = 0;
  return () => {
    state = editColumns(state, changed, ++value);
    return state.revision;
  };
}

/** Creates a column with this number of chunks of zeros. */
function createColumn(chunks) {
  return {
    revision: 0,
    chunks: Array.from({ length: chunks }, () => createChunk(0, new Float64Array(ROWS), null)),
    runs: [],
  };
}

/** Creates a chunk as a plain object. `patch`: the changed row and its number; null for none. */
function createChunk(revision, numbers, patch) {
  return { revision, numbers, patch, kinds: null, formats: 0, texts: null };
}

/**
 * Returns a new state of the document with `value` in one cell of each changed column. Copies only objects that contain
 * a changed value.
 */
function editColumns(state, changed, value) {
  const revision = state.revision + 1;
  const [sheet] = state.sheets;
  const columns = sheet.columns.slice();
  for (let i = 0; i < changed; i++) {
    const column = columns[i];
    const chunks = column.chunks.slice();
    chunks[0] = createChunk(revision, chunks[0].numbers, { row: 7, number: value, next: null });
    columns[i] = { revision, chunks, runs: column.runs };
  }
  return { revision, sheets: [{ id: sheet.id, name: sheet.name, columns }] };
}

/** Measures the lower bounds, stores and prints them. */
export async function run(args) {
  const { values: options } = parseArgs({ args, options: { write: { type: 'boolean', default: false } } });
  // The load is measured before the loops, so that it is the load of other processes.
  const at = describeMachine();
  const ms = Object.fromEntries(Object.entries(FLOORS).map(([id, work]) => [id, measureMedianTime(work())]));
  const results = { machine: at, ms };
  saveFloorResults(results);
  console.log(formatFloorsTable(results));
  if (options.write) writeBounds(results, loadEngineResults().workloads);
}

/** Median time of a call, in milliseconds. */
function measureMedianTime(call) {
  const times = [];
  for (let i = 0; i < SAMPLES; i++) {
    let calls = 0;
    const start = performance.now();
    while (performance.now() - start < SAMPLE_MS) {
      for (let k = 0; k < 16; k++) call();
      calls += 16;
    }
    times.push((performance.now() - start) / calls);
  }
  return computeMedian(times);
}
