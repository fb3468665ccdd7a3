import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { isWithin, NumberBound } from '../../src/functions/criteria.ts';
import {
  countRowsInSet,
  createRowSet,
  findWordRange,
  forEachRowInSet,
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
            const rows: number[] = [];
            forEachRowInSet(set, (row) => {
              rows.push(row);
              return true;
            });
            const expected = [...keys.keys()].filter(
              (row) =>
                row >= first &&
                row < end &&
                !Number.isNaN(keys[row]) &&
                request.every((bound) => isWithin(bound, keys[row] as number)),
            );
            assert.deepEqual(rows, expected);
            assert.equal(countRowsInSet(set), expected.length);
          }
        },
      ),
      { numRuns: scaleRunCount(200) },
    );
  });
});
