import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCellKey, HiddenReadLog, HiddenReads, parseCellKey } from '../../src/calc/hidden-reads.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../../src/grid/limits.ts';

const HIDDEN = new Set([2]);

it('a cell packed into a number is unpacked to the same cell, including the corners of the grid', () => {
  for (const sheet of [1, 65_535]) {
    for (const row of [0, MAX_ROWS - 1]) {
      for (const column of [0, MAX_COLUMNS - 1]) {
        assert.deepEqual(parseCellKey(createCellKey(sheet, row, column)), { sheet, row, column });
      }
    }
  }
});

it('removes the hidden reads of deleted formulas from memory', () => {
  const reach = new HiddenReads();
  for (let row = 0; row < 10_000; row++) {
    const log = new HiddenReadLog(HIDDEN);
    log.recordReads(1, row, 0, new Set([1, 2]), new Map());
    // Only the formula in the last row still exists.
    reach.update(log, (cell) => cell.row === row);
    assert.equal(reach.hasRead(1, row, 0, 2), true);
    assert.ok(reach.size < 2_000);
  }
  assert.equal(reach.hasRead(1, 0, 0, 2), false);
});
