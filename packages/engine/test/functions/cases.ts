import assert from 'node:assert/strict';
import type { Value } from '../../src/functions/value.ts';
import type { Scalar } from '../../src/value/scalar.ts';
import { result, type Setting } from './harness.ts';

/** A call and its expected scalar; errors as their codes. */
export type Case = readonly [name: string, args: readonly (Value | undefined)[], expected: Scalar];

/** Compares numbers to 13 digits by default, and everything else exactly. */
export function near(actual: unknown, expected: Scalar, what: string, tolerance = 1e-13): void {
  if (typeof expected !== 'number' || typeof actual !== 'number') {
    assert.equal(actual, expected, what);
    return;
  }
  const apart = Math.abs(actual - expected);
  assert.ok(apart <= tolerance * Math.max(Math.abs(expected), 1e-3), `${what}: ${actual} ≠ ${expected}`);
}

/** Checks calls by table. */
export function check(cases: readonly Case[], setting: Setting = {}, tolerance = 1e-13): void {
  for (const [name, args, expected] of cases) {
    near(result(name, args, setting), expected, `${name}(${args.map(String).join('; ')})`, tolerance);
  }
}
