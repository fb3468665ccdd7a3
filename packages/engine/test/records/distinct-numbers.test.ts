import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DistinctNumbers } from '../../src/records/distinct-numbers.ts';

function countDistinct(values: Iterable<number>): number {
  const numbers = new DistinctNumbers();
  for (const value of values) {
    numbers.add(value);
    if (numbers.isFull) runToEnd(numbers.countInSteps());
  }
  return runToEnd(numbers.countInSteps());
}

function runToEnd(steps: Generator<void, number>): number {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('distinct numbers', () => {
  it('have the same count as in a Set', () => {
    const value = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -5, max: 5 }), fc.constantFrom(0, -0));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), (values) => {
        assert.equal(countDistinct(values), new Set(values).size);
      }),
    );
  });

  it('are counted once in lists of several batches', () => {
    const numbersOf = (count: number, distinct: number) =>
      Array.from({ length: count }, (_, i) => ((i * 7_919) % distinct) / 3 - 1_000);
    assert.equal(countDistinct(numbersOf(100_000, 30_011)), 30_011);
    assert.equal(countDistinct([...numbersOf(20_000, 19_997), ...numbersOf(20_000, 19_997)]), 19_997);
  });
});
