import type { KernelOperator } from './kernel.ts';
import { computePlainArithmetic, roundNoise } from './operators.ts';

// There is one loop per operator, unrolled four times, for vectors only. V8 does not compile a loop to plain machine
// code if the operation is a parameter or if an operand may be a single number, and a loop without unrolling spends
// much of its time on control flow. Each loop returns true if all results are finite. It tests the sum of the results,
// which is cheaper than testing each. `+ 0` converts -0 to 0.

/** Applies an operator to the first `count` numbers of two lists. Returns true if all results are finite. */
type VectorLoop = (a: Float64Array, b: Float64Array, out: Float64Array, count: number) => boolean;

const STEP = 4;

/** Adds element by element. Sums that are only rounding noise become 0. */
const addVectors: VectorLoop = (a, b, out, count) => {
  let i = 0;
  let t = 0;
  let u = 0;
  let v = 0;
  let w = 0;
  for (; i <= count - STEP; i += STEP) {
    const p = roundNoise(a[i]! + b[i]!, a[i]!);
    const q = roundNoise(a[i + 1]! + b[i + 1]!, a[i + 1]!);
    const r = roundNoise(a[i + 2]! + b[i + 2]!, a[i + 2]!);
    const s = roundNoise(a[i + 3]! + b[i + 3]!, a[i + 3]!);
    out[i] = p;
    out[i + 1] = q;
    out[i + 2] = r;
    out[i + 3] = s;
    t += p;
    u += q;
    v += r;
    w += s;
  }
  return applyRest('+', a, b, out, i, count) && areFinite(t + u + v + w, out, i);
};

/** Subtracts element by element. Differences that are only rounding noise become 0. */
const subtractVectors: VectorLoop = (a, b, out, count) => {
  let i = 0;
  let t = 0;
  let u = 0;
  let v = 0;
  let w = 0;
  for (; i <= count - STEP; i += STEP) {
    const p = roundNoise(a[i]! - b[i]!, a[i]!);
    const q = roundNoise(a[i + 1]! - b[i + 1]!, a[i + 1]!);
    const r = roundNoise(a[i + 2]! - b[i + 2]!, a[i + 2]!);
    const s = roundNoise(a[i + 3]! - b[i + 3]!, a[i + 3]!);
    out[i] = p;
    out[i + 1] = q;
    out[i + 2] = r;
    out[i + 3] = s;
    t += p;
    u += q;
    v += r;
    w += s;
  }
  return applyRest('-', a, b, out, i, count) && areFinite(t + u + v + w, out, i);
};

/** Multiplies element by element. */
const multiplyVectors: VectorLoop = (a, b, out, count) => {
  let i = 0;
  let t = 0;
  let u = 0;
  let v = 0;
  let w = 0;
  for (; i <= count - STEP; i += STEP) {
    const p = a[i]! * b[i]! + 0;
    const q = a[i + 1]! * b[i + 1]! + 0;
    const r = a[i + 2]! * b[i + 2]! + 0;
    const s = a[i + 3]! * b[i + 3]! + 0;
    out[i] = p;
    out[i + 1] = q;
    out[i + 2] = r;
    out[i + 3] = s;
    t += p;
    u += q;
    v += r;
    w += s;
  }
  return applyRest('*', a, b, out, i, count) && areFinite(t + u + v + w, out, i);
};

/** Divides element by element. */
const divideVectors: VectorLoop = (a, b, out, count) => {
  let i = 0;
  let t = 0;
  let u = 0;
  let v = 0;
  let w = 0;
  for (; i <= count - STEP; i += STEP) {
    const p = a[i]! / b[i]! + 0;
    const q = a[i + 1]! / b[i + 1]! + 0;
    const r = a[i + 2]! / b[i + 2]! + 0;
    const s = a[i + 3]! / b[i + 3]! + 0;
    out[i] = p;
    out[i + 1] = q;
    out[i + 2] = r;
    out[i + 3] = s;
    t += p;
    u += q;
    v += r;
    w += s;
  }
  return applyRest('/', a, b, out, i, count) && areFinite(t + u + v + w, out, i);
};

export const LOOPS: Readonly<Record<KernelOperator, VectorLoop>> = {
  '+': addVectors,
  '-': subtractVectors,
  '*': multiplyVectors,
  '/': divideVectors,
};

/** Calculates the last rows, which do not fill a group of four. */
function applyRest(
  op: KernelOperator,
  a: Float64Array,
  b: Float64Array,
  out: Float64Array,
  from: number,
  count: number,
) {
  for (let i = from; i < count; i++) {
    const result = computePlainArithmetic(op, a[i]!, b[i]!);
    if (Number.isNaN(result)) return false;
    out[i] = result;
  }
  return true;
}

/** True if all numbers are finite. The sum of large numbers may be infinite although all of them are finite. */
function areFinite(sum: number, numbers: Float64Array, count: number): boolean {
  if (Number.isFinite(sum)) return true;
  for (let i = 0; i < count; i++) if (!Number.isFinite(numbers[i])) return false;
  return true;
}

/** Copies numbers. Returns true if all are finite. */
export function copyNumbers(from: Float64Array, out: Float64Array, count: number): boolean {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const result = from[i]! + 0;
    out[i] = result;
    sum += result;
  }
  return areFinite(sum, out, count);
}

/** Running sums, each computed as the sum before it plus the addend. */
export function accumulate(start: number, addends: Float64Array, out: Float64Array, count: number): void {
  let value = start;
  for (let i = 0; i < count; i++) {
    value = roundNoise(value + addends[i]!, value);
    out[i] = value;
  }
}

/**
 * Running sums, each computed as the addend plus the sum before it. The order of the operands decides which results are
 * rounded to zero.
 */
export function accumulateBehind(start: number, added: Float64Array, out: Float64Array, count: number): void {
  let value = start;
  for (let i = 0; i < count; i++) {
    value = roundNoise(added[i]! + value, added[i]!);
    out[i] = value;
  }
}
