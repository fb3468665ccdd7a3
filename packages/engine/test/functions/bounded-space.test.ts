import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type BoundOperator, isWithin, NumberBound } from '../../src/functions/criteria.ts';
import { BoundedSpace } from '../../src/functions/selection/bounded-space.ts';
import { CriteriaStatistics } from '../../src/functions/selection/criteria-statistics.ts';
import { createDraw, drawElement } from '../workbook/draw.ts';

const OPERATORS: readonly BoundOperator[] = ['<', '<=', '>', '>='];
const QUERIES = 12;

/** Keys with many equal ones, neighbours of zero, and both zeros. */
const SPECIAL_KEYS = [0, -0, Number.MIN_VALUE, -Number.MIN_VALUE, 1, 1 + Number.EPSILON, -1e300, 1e300];

describe('BoundedSpace', () => {
  it('counts and sums the points within bounds while points are added', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 2, max: 4 }), fc.nat(3_000), (seed, dimensions, points) => {
        const draw = createDraw(seed);
        const drawKey = (i: number) => (i === 0 ? drawElement(draw, SPECIAL_KEYS) : draw(10 ** (i + 1)));
        const space = new BoundedSpace(dimensions);
        const all: { readonly keys: readonly number[]; readonly value: number }[] = [];
        for (let query = 0; query < QUERIES; query++) {
          for (const end = (points * (query + 1)) / QUERIES; all.length < end; ) {
            const keys = Array.from({ length: dimensions }, (_, i) => drawKey(i));
            // Sums of these numbers are exact.
            const point = { keys, value: (draw(20_000) - 10_000) / 64 };
            space.add(keys, point.value);
            all.push(point);
          }
          const bounds = Array.from({ length: dimensions }, (_, i) =>
            Array.from({ length: draw(3) }, () => new NumberBound(drawElement(draw, OPERATORS), drawKey(i))),
          );
          const expected = all.filter(({ keys }) =>
            bounds.every((list, i) => list.every((bound) => isWithin(bound, keys[i]!))),
          );
          const values = expected.map(({ value }) => value);
          let work = 0;
          const reportWork = (more: number) => {
            work += more;
          };
          assert.equal(space.countWithin(bounds, reportWork), values.length);
          const figures = new CriteriaStatistics(true);
          space.addStatistics(figures, bounds, reportWork);
          assert.deepEqual(
            [figures.count, figures.total, figures.least, figures.greatest],
            [values.length, values.reduce((sum, value) => sum + value, 0), Math.min(...values), Math.max(...values)],
          );
          assert.ok(all.length < 8 || work > 0);
        }
      }),
      { numRuns: scaleRunCount(20) },
    );
  });

  it('adds exactly if numbers cancel out', () => {
    const space = new BoundedSpace(3);
    for (let i = 0; i < 2_000; i++) space.add([i, i % 7, i % 3], i % 2 === 0 ? 1e300 : -1e300);
    for (let i = 0; i < 8; i++) space.add([i, 0, 0], 1 / 8);
    const figures = new CriteriaStatistics(true);
    const bounds = [[new NumberBound('<', 2_000)], [new NumberBound('>=', 0)], [new NumberBound('<=', 2)]];
    space.addStatistics(figures, bounds, () => undefined);
    assert.equal(figures.total, 1);
  });
});
