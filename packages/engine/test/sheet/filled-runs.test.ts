import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CHUNK_ROWS } from '../../src/sheet/chunk.ts';
import { findLastFilledRow, findRunEnd, findRunStart } from '../../src/sheet/filled-runs.ts';
import type { Sheet } from '../../src/sheet/snapshot.ts';
import { Workbook } from '../../src/workbook/workbook.ts';
import { createContext } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

const ROWS = CHUNK_ROWS * 3;

/** A sheet whose first column has these filled rows, each with `count` rows from `first`. */
function createSheet(runs: readonly { readonly first: number; readonly count: number }[]): Sheet {
  const workbook = Workbook.create(SETTINGS, 'Sheet1');
  for (const { first: row, count } of runs) {
    const values = Array.from({ length: count }, () => [1]);
    workbook.apply(
      [{ kind: 'setValues', sheet: 1, row, column: 0, values, mode: 'raw', locale: 'en-US' }],
      createContext(),
    );
  }
  return workbook.head.sheets[0] as Sheet;
}

describe('runs of filled rows', () => {
  it('end at the first empty cell on each side, in any chunks', () => {
    const run = fc.record({
      first: fc.oneof(fc.nat(ROWS), fc.constantFrom(0, CHUNK_ROWS - 1, CHUNK_ROWS, CHUNK_ROWS * 2)),
      count: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(CHUNK_ROWS)),
    });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 5 }), fc.nat(ROWS), fc.nat(ROWS), (runs, a, b) => {
        const sheet = createSheet(runs);
        const isFilled = (row: number) => sheet.kind(row, 0) !== 0;
        let start = a;
        while (start > 0 && isFilled(start - 1)) start--;
        let end = a;
        while (isFilled(end)) end++;
        let last = Math.max(a, b);
        while (last >= Math.min(a, b) && !isFilled(last)) last--;
        assert.equal(findRunStart(sheet, 0, a), start);
        assert.equal(findRunEnd(sheet, 0, a), end);
        assert.equal(findLastFilledRow(sheet, 0, Math.min(a, b), Math.max(a, b)), last < Math.min(a, b) ? -1 : last);
      }),
      { numRuns: 60 },
    );
  });

  it('are empty in a column without cells', () => {
    const sheet = createSheet([{ first: 0, count: 1 }]);
    assert.deepEqual(
      [findRunStart(sheet, 5, 9), findRunEnd(sheet, 5, 9), findLastFilledRow(sheet, 5, 0, ROWS)],
      [9, 9, -1],
    );
  });
});
