import { parseArgs } from 'node:util';
import { machine } from '../lib/machine.mjs';
import { median } from '../lib/stats.mjs';
import { floorsTable } from './bounds.mjs';
import { writeBounds } from './document.mjs';
import { loadEngine, saveFloors } from './results.mjs';

/**
 * What some workloads are up against where readers keep the state that they read: cells lie in chunks of 256 rows that
 * are never changed, so an edit makes new ones. Plain loops, without an engine around them; `bounds.mjs` says what each
 * stands for.
 */
const ROWS = 256;
const CHUNKS = Math.ceil(100_000 / ROWS);
/** Chunks whose numbers lie in one buffer, as the engine has it. */
const SLAB = 16;
const SAMPLES = 15;
const SAMPLE_MS = 60;

/** Each gives the call that is timed. */
const FLOORS = {
  copy() {
    const held = numbers();
    let copy;
    return () => {
      copy = new Float64Array(ROWS);
      copy.set(held);
      return copy[0];
    };
  },
  copies() {
    const held = Array.from({ length: 11 }, numbers);
    let slab;
    return () => {
      slab = new Float64Array(held.length * ROWS);
      held.forEach((chunk, i) => {
        slab.subarray(i * ROWS, (i + 1) * ROWS).set(chunk);
      });
      return slab[0];
    };
  },
  products() {
    const factors = Array.from({ length: CHUNKS }, numbers);
    let results = factors.map(() => new Float64Array(ROWS));
    let value = 1;
    return () => {
      value += 1;
      results = products(value, factors, results);
      return results[0][0];
    };
  },
};

function numbers() {
  return Float64Array.from({ length: ROWS }, (_, i) => i + 0.5);
}

function products(value, factors, before) {
  const results = [];
  let slab = null;
  for (let chunk = 0; chunk < factors.length; chunk++) {
    const at = (chunk % SLAB) * ROWS;
    if (at === 0) slab = new Float64Array(SLAB * ROWS);
    const out = slab.subarray(at, at + ROWS);
    if (product(value, factors[chunk], before[chunk], out) < 0) throw new Error('a result is no number');
    results.push(out);
  }
  return results;
}

/** The number of results that are as before; -1 where one is no finite number. */
function product(value, factors, before, out) {
  let same = 0;
  for (let i = 0; i < out.length; i++) {
    const result = value * factors[i];
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
}

export async function run(args) {
  const { values: options } = parseArgs({ args, options: { write: { type: 'boolean', default: false } } });
  // Before the loops: the load is that of others.
  const at = machine();
  const ms = Object.fromEntries(Object.entries(FLOORS).map(([id, work]) => [id, timeOf(work())]));
  const held = { machine: at, ms };
  saveFloors(held);
  console.log(floorsTable(held));
  if (options.write) writeBounds(held, loadEngine().workloads);
}

/** The median time of a call in milliseconds. */
function timeOf(call) {
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
  return median(times);
}
