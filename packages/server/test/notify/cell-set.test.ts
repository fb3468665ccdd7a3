import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CellSet } from '../../src/notify/cell-set.ts';

const SIZE = 12;
const anyRectangle = fc
  .tuple(fc.nat(SIZE - 1), fc.nat(SIZE - 1), fc.nat(SIZE - 1), fc.nat(SIZE - 1))
  .map(([a, b, c, d]) => [Math.min(a, b), Math.min(c, d), Math.max(a, b), Math.max(c, d)] as const);
const anyRectangles = fc.array(anyRectangle, { maxLength: 12 });

function areCovered(rectangles: readonly (readonly number[])[], row: number, column: number): boolean {
  return rectangles.some(
    ([top = 0, left = 0, bottom = 0, right = 0]) => row >= top && row <= bottom && column >= left && column <= right,
  );
}

test('a cell set contains the cells of its rectangles once, row by row', () => {
  fc.assert(
    fc.property(anyRectangles, fc.nat(SIZE * SIZE), (rectangles, limit) => {
      const cellSet = new CellSet();
      for (const [top, left, bottom, right] of rectangles) cellSet.addArea(top, left, bottom, right);
      const cells: { row: number; column: number }[] = [];
      for (let row = 0; row < SIZE; row++) {
        for (let column = 0; column < SIZE; column++) {
          const inside = areCovered(rectangles, row, column);
          assert.equal(cellSet.has(row, column), inside);
          if (inside) cells.push({ row, column });
        }
      }
      assert.equal(cellSet.count, cells.length);
      assert.deepEqual(cellSet.listFirstCells(limit), cells.slice(0, limit));
    }),
    { numRuns: 500 },
  );
});

test('the first cells of a million are found without a full scan', () => {
  const cellSet = new CellSet();
  cellSet.addArea(0, 0, 999_999, 0);
  cellSet.addArea(5, 2, 5, 2);
  assert.equal(cellSet.count, 1_000_001);
  assert.deepEqual(cellSet.listFirstCells(8).slice(5), [
    { row: 5, column: 0 },
    { row: 5, column: 2 },
    { row: 6, column: 0 },
  ]);
});
