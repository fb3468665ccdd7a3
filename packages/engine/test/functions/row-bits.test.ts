import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { isWithin, NumberBound } from '../../src/functions/criteria.ts';
import { CriteriaStatistics } from '../../src/functions/selection/criteria-statistics.ts';
import {
  addNumbersInSet,
  countRowsInSet,
  createRowSet,
  findFirstCommonRow,
  findWordRange,
  KeyedRows,
  setRowsBetween,
} from '../../src/functions/selection/row-bits.ts';

/** More keys than there are between two kept sets. */
const MAX_ROWS = 400;

const numbers = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constant(Number.NaN));
const bounds = fc.array(
  fc
    .tuple(fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const), fc.integer({ min: -7, max: 7 }))
    .map(([operator, number]) => new NumberBound(operator, number)),
  { maxLength: 3 },
);

/** Compares the figures of numbers in a set with the figures of the numbers one by one. */
function assertSameFigures(set: Int32Array, rows: readonly number[]): void {
  const numbers = Float64Array.from({ length: MAX_ROWS }, (_, row) => (row % 7 === 3 ? -1e20 : row / 7));
  const [actual, expected] = [new CriteriaStatistics(true), new CriteriaStatistics(true)];
  addNumbersInSet(actual, numbers, set);
  for (const row of rows) expected.add(numbers[row]!, 0);
  assert.deepEqual(actual, expected);
}

describe('sets of rows by key', () => {
  it('contain the rows of an interval whose keys lie within bounds', () => {
    fc.assert(
      fc.property(
        fc.array(numbers, { minLength: 1, maxLength: MAX_ROWS }),
        fc.array(bounds, { minLength: 1, maxLength: 4 }),
        fc.nat(MAX_ROWS),
        fc.nat(MAX_ROWS),
        (keys, requests, from, length) => {
          const keyed = new KeyedRows(Float64Array.from(keys));
          const first = Math.min(from, keys.length);
          const end = Math.min(first + length, keys.length);
          for (const request of requests) {
            const set = createRowSet(keys.length);
            setRowsBetween(set, first, end);
            keyed.intersect(set, request, findWordRange(first, end));
            const rows = [...keys.keys()].filter((row) => ((set[row >> 5]! >>> (row & 31)) & 1) === 1);
            const expected = [...keys.keys()].filter(
              (row) =>
                row >= first &&
                row < end &&
                !Number.isNaN(keys[row]) &&
                request.every((bound) => isWithin(bound, keys[row] as number)),
            );
            assert.deepEqual(rows, expected);
            assert.equal(countRowsInSet(set), expected.length);
            const all = createRowSet(keys.length);
            setRowsBetween(all, 0, keys.length);
            assert.equal(findFirstCommonRow(all, set), expected[0] ?? -1);
            assertSameFigures(set, expected);
          }
        },
      ),
      { numRuns: scaleRunCount(200) },
    );
  });
});
