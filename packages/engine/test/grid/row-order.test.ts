import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  createRowOrder,
  findCellBefore,
  rearrangeArea,
  rearrangeCell,
  reverseRearrangement,
} from '../../src/grid/row-order.ts';

const TOP = 3;
const MANY = 20_001;

/** An order of rows in which only the first rows are rearranged. */
function createOrder(first: readonly number[], rows: number): readonly number[] {
  return Array.from({ length: rows }, (_, i) => first[i] ?? i);
}

function createArea(rows: number) {
  return { sheet: 1, area: { top: TOP, left: 0, bottom: TOP + rows - 1, right: 2 } };
}

describe('rows in another order', () => {
  it('give the same positions for few and for very many rows', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6, maxLength: 6 }), (first) => {
        const few = createRowOrder(createArea(6), first);
        const many = createRowOrder(createArea(MANY), createOrder(first, MANY));
        assert.equal(typeof many.targets, 'string');
        for (let row = 0; row < TOP + 6; row++) {
          const cell = { sheet: 1, row, column: 1 };
          assert.deepEqual(rearrangeCell(many, cell), rearrangeCell(few, cell));
          assert.deepEqual(findCellBefore(many, cell), findCellBefore(few, cell));
        }
        const last = { sheet: 1, row: TOP + MANY - 1, column: 0 };
        assert.deepEqual(rearrangeCell(many, last), last);
        const back = reverseRearrangement(many);
        const movedCell = rearrangeCell(many, { sheet: 1, row: TOP + 2, column: 0 });
        assert.deepEqual(movedCell && rearrangeCell(back, movedCell), { sheet: 1, row: TOP + 2, column: 0 });
      }),
      { numRuns: 20 },
    );
  });

  it('have no position if they were removed, and no inverse', () => {
    const order = Array.from({ length: MANY }, (_, i) => i + 1);
    const step = createRowOrder(createArea(MANY + 1), order);
    assert.equal(rearrangeCell(step, { sheet: 1, row: TOP, column: 0 }), null);
    assert.deepEqual(rearrangeCell(step, { sheet: 1, row: TOP + 1, column: 0 }), { sheet: 1, row: TOP, column: 0 });
    assert.equal(findCellBefore(step, { sheet: 1, row: TOP + MANY, column: 0 }), null);
    const back = reverseRearrangement(step);
    assert.ok('order' in back);
    assert.deepEqual([back.order, back.targets], [null, undefined]);
  });

  it('keep areas whose rows stay adjacent', () => {
    const step = createRowOrder(createArea(MANY), [MANY - 1, ...Array.from({ length: MANY - 1 }, (_, i) => i)]);
    const area = { top: TOP, left: 0, bottom: TOP + 9, right: 1 };
    assert.deepEqual(rearrangeArea(step, { sheet: 1, area }), {
      sheet: 1,
      area: { ...area, top: TOP + 1, bottom: TOP + 10 },
    });
    const splitArea = { ...area, top: TOP + MANY - 2, bottom: TOP + MANY - 1 };
    assert.equal(rearrangeArea(step, { sheet: 1, area: splitArea }), null);
  });
});
