import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  cellBefore,
  rearrangedArea,
  rearrangedCell,
  reverseRearrangement,
  rowOrder,
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
        const few = rowOrder(createArea(6), first);
        const many = rowOrder(createArea(MANY), createOrder(first, MANY));
        assert.equal(typeof many.targets, 'string');
        for (let row = 0; row < TOP + 6; row++) {
          const cell = { sheet: 1, row, column: 1 };
          assert.deepEqual(rearrangedCell(many, cell), rearrangedCell(few, cell));
          assert.deepEqual(cellBefore(many, cell), cellBefore(few, cell));
        }
        const last = { sheet: 1, row: TOP + MANY - 1, column: 0 };
        assert.deepEqual(rearrangedCell(many, last), last);
        const back = reverseRearrangement(many);
        const movedCell = rearrangedCell(many, { sheet: 1, row: TOP + 2, column: 0 });
        assert.deepEqual(movedCell && rearrangedCell(back, movedCell), { sheet: 1, row: TOP + 2, column: 0 });
      }),
      { numRuns: 20 },
    );
  });

  it('have no position if they were removed, and no inverse', () => {
    const order = Array.from({ length: MANY }, (_, i) => i + 1);
    const step = rowOrder(createArea(MANY + 1), order);
    assert.equal(rearrangedCell(step, { sheet: 1, row: TOP, column: 0 }), null);
    assert.deepEqual(rearrangedCell(step, { sheet: 1, row: TOP + 1, column: 0 }), { sheet: 1, row: TOP, column: 0 });
    assert.equal(cellBefore(step, { sheet: 1, row: TOP + MANY, column: 0 }), null);
    const back = reverseRearrangement(step);
    assert.ok('order' in back);
    assert.deepEqual([back.order, back.targets], [null, undefined]);
  });

  it('keep areas whose rows stay adjacent', () => {
    const step = rowOrder(createArea(MANY), [MANY - 1, ...Array.from({ length: MANY - 1 }, (_, i) => i)]);
    const area = { top: TOP, left: 0, bottom: TOP + 9, right: 1 };
    assert.deepEqual(rearrangedArea(step, { sheet: 1, area }), {
      sheet: 1,
      area: { ...area, top: TOP + 1, bottom: TOP + 10 },
    });
    const splitArea = { ...area, top: TOP + MANY - 2, bottom: TOP + MANY - 1 };
    assert.equal(rearrangedArea(step, { sheet: 1, area: splitArea }), null);
  });
});
