import { CHUNK_ROWS } from '../sheet/chunk.ts';
import type { Arithmetic } from './kernel.ts';
import { nearZero } from './operators.ts';

/** Equal to no result. */
export const NO_NUMBERS = new Float64Array(CHUNK_ROWS).fill(Number.NaN);

// The loops are written out for each operator, and for vectors only: one with the operation as a parameter, or with an
// operand that may be one number, is no longer turned into plain machine code. Each also looks whether a result is
// finite and whether it is the one from before: a pass of its own for that takes as long as the arithmetic. They give
// the number of rows that are as before, or -1 where a result is no finite number. `+ 0` keeps -0 out of cells.

type Loop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number, before: Float64Array) => number;

const add: Loop = (a, b, out, count, before) => {
  let same = 0;
  for (let i = 0; i < count; i++) {
    const x = a[i] as number;
    const result = nearZero(x + (b[i] as number), x);
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
};

const subtract: Loop = (a, b, out, count, before) => {
  let same = 0;
  for (let i = 0; i < count; i++) {
    const x = a[i] as number;
    const result = nearZero(x - (b[i] as number), x);
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
};

const multiply: Loop = (a, b, out, count, before) => {
  let same = 0;
  for (let i = 0; i < count; i++) {
    const result = (a[i] as number) * (b[i] as number) + 0;
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
};

const divide: Loop = (a, b, out, count, before) => {
  let same = 0;
  for (let i = 0; i < count; i++) {
    const result = (a[i] as number) / (b[i] as number) + 0;
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
};

export const LOOPS: Readonly<Record<Arithmetic, Loop>> = { '+': add, '-': subtract, '*': multiply, '/': divide };

export function copy(from: Float64Array, out: Float64Array, count: number, before: Float64Array): number {
  let same = 0;
  for (let i = 0; i < count; i++) {
    const result = (from[i] as number) + 0;
    if (result - result !== 0) return -1;
    if (result === before[i]) same++;
    out[i] = result;
  }
  return same;
}

/** Running sums. */
export function accumulate(start: number, added: Float64Array, out: Float64Array, count: number): void {
  let value = start;
  for (let i = 0; i < count; i++) {
    value = nearZero(value + (added[i] as number), value);
    out[i] = value;
  }
}
