import assert from 'node:assert/strict';
import type { Value } from '../../src/functions/value.ts';
import type { Scalar } from '../../src/value/scalar.ts';
import { type CallEnvironment, callAndReadScalar } from './call.ts';

/** A call and its expected scalar. Errors are given by their codes. */
export type CallCase = readonly [name: string, args: readonly (Value | undefined)[], expected: Scalar];

/** Compares numbers to 13 digits by default, and everything else exactly. */
export function assertNear(actual: unknown, expected: Scalar, call: string, tolerance = 1e-13): void {
  if (typeof expected !== 'number' || typeof actual !== 'number') {
    assert.equal(actual, expected, call);
    return;
  }
  const difference = Math.abs(actual - expected);
  assert.ok(difference <= tolerance * Math.max(Math.abs(expected), 1e-3), `${call}: ${actual} ≠ ${expected}`);
}

/** Asserts the results of a table of calls. */
export function checkCalls(cases: readonly CallCase[], environment: CallEnvironment = {}, tolerance = 1e-13): void {
  for (const [name, args, expected] of cases) {
    assertNear(
      callAndReadScalar(name, args, environment),
      expected,
      `${name}(${args.map(String).join('; ')})`,
      tolerance,
    );
  }
}
