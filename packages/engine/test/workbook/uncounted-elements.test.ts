import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import type { Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import type { Book } from './book.ts';
import { createDraw, drawElement } from './draw.ts';

const ROWS = 150;
const LIST = `A$2:A$${ROWS}`;

/** Values that COUNTIF reads in different ways: numbers as texts, patterns, comparisons, blanks, booleans and errors. */
const ODD: readonly Input[] = [
  '5',
  5,
  0,
  null,
  '',
  'k*',
  '<3',
  true,
  { as: 'error', value: '#N/A' },
  'ZÜRICH',
  'zürich',
];

/**
 * Formulas of a row. Column C lists the distinct values of column A. Columns E and G search values that the first rows of
 * column B do not contain. Columns D, F and H calculate the same with whole arrays, because of `+0`.
 */
function listFormulas(row: number): readonly string[] {
  const list = (column: string, search: string) => `=IFERROR(INDEX(${LIST};${search.replaceAll('#', column)});"none")`;
  return [
    list('C', `MATCH(0;COUNTIF(#$1:#${row - 1};${LIST});0)`),
    list('D', `MATCH(0;COUNTIF(#$1:#${row - 1};${LIST})+0;0)`),
    `=MATCH(0;INDEX(COUNTIF(B$1:B${row};${LIST});0);0)`,
    `=MATCH(0;INDEX(COUNTIF(B$1:B${row};${LIST})+0;0);0)`,
    `=MATCH(0;COUNTIF(B$1:B${ROWS + 1 - row};${LIST});0)`,
    `=MATCH(0;COUNTIF(B$1:B${ROWS + 1 - row};${LIST})+0;0)`,
  ];
}

function assertSameLists(book: Book, message: string): void {
  for (let row = 2; row <= ROWS; row++) {
    assert.deepEqual(book.plainValue(`C${row}`), book.plainValue(`D${row}`), `C${row} ${message}`);
    assert.deepEqual(book.plainValue(`E${row}`), book.plainValue(`F${row}`), `E${row} ${message}`);
    assert.deepEqual(book.plainValue(`G${row}`), book.plainValue(`H${row}`), `G${row} ${message}`);
  }
}

describe('lists of distinct values by MATCH and COUNTIF', () => {
  it('are the same as by whole arrays, after every edit', () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, isOdd) => {
        const draw = createDraw(seed);
        const drawKey = (): Input => (isOdd && draw(6) === 0 ? drawElement(draw, ODD) : `k${draw(60)}`);
        const book = createLargeBudgetBook('en-US');
        book.set(
          'A1',
          Array.from({ length: ROWS }, () => [drawKey(), drawKey()]),
          'raw',
        );
        book.set('C1', [['head', 'head']]);
        book.set(
          'C2',
          Array.from({ length: ROWS - 1 }, (_, i) => listFormulas(i + 2)),
        );
        assertSameLists(book, `with seed ${seed}`);
        for (let i = 0; i < 4; i++) {
          const row = 2 + draw(ROWS - 2);
          const value = drawKey();
          if (i === 2) book.set(`C${row}`, [[value, value]], 'raw');
          else book.set(`${drawElement(draw, ['A', 'B'])}${row}`, [[value]], 'raw');
          assertSameLists(book, `after edit ${i} with seed ${seed}`);
        }
      }),
      { numRuns: scaleRunCount(10) },
    );
  });
});
