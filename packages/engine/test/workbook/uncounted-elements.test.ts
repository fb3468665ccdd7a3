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

  it('are searched again after an array in the counted column changed within one calculation', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 200 }, (_, i) => [`k${i + 1}`]),
    );
    book.set('B1', '=INDEX(A1:A200;SEQUENCE(4;1;IF(H2>0;5;1)+0*H1))');
    // H3:H6 is filled after the first wave has calculated B1 and its readers. H2 then changes B1 again.
    book.set('H1', [[1], ['=COUNT(H5:H20)'], ['=SEQUENCE(H1)']]);
    // C1 reads E6, so that E6 is calculated before E1:E5 in every wave.
    book.set('C1', '=COUNTA(B1:B1)+E6');
    book.set(
      'E1',
      [1, 2, 3, 4, 5].map((row) => [`=MATCH(0;COUNTIF(B$1:B${row};A$1:A$200);0)`]),
    );
    book.set('E6', '=MATCH(0;COUNTIF(B$1:B6;A$1:A$200);0)+0');
    assert.deepEqual(book.grid('E1:E6').flat(), [2, 3, 4, 5, 5, 5]);
    book.set('H1', 4);
    assert.deepEqual(book.grid('B1:B4').flat(), ['k5', 'k6', 'k7', 'k8']);
    assert.deepEqual(book.grid('E1:E6').flat(), [1, 1, 1, 1, 1, 1]);
    book.set('H1', 2);
    assert.deepEqual(book.grid('E1:E6').flat(), [2, 3, 4, 5, 5, 5]);
  });

  it('are the same as by whole arrays if arrays spill into the counted columns', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = createDraw(seed);
        const book = createLargeBudgetBook('en-US');
        book.set(
          'A1',
          Array.from({ length: ROWS }, () => [`k${draw(60)}`]),
        );
        // The size of B1 depends on H1. Its contents change when the array in H3 reaches H5, in a later wave.
        book.set('H1', [[1], ['=COUNT(H5:H20)'], ['=SEQUENCE(H1)']]);
        book.set('B1', `=INDEX(${LIST};SEQUENCE(2+H1;1;IF(H2>0;H2+5;1)))`);
        const heading = '=IF(H2>1;A1:A2;IF(H1>1;{"none";"none"};"none"))';
        book.set('C1', [[heading, heading]]);
        book.set(
          'C3',
          Array.from({ length: 20 }, (_, i) => listFormulas(i + 3).slice(0, 2)),
        );
        const searches = Array.from({ length: 20 }, (_, i) => {
          const counts = `COUNTIF(B$1:B${1 + draw(12)};${LIST})`;
          return [`=MATCH(0;${counts};0)+${i % 2}`, `=MATCH(0;${counts}+0;0)+${i % 2}`];
        });
        // The formulas in F read later searches, so that these are calculated first.
        for (const row of [1, 6, 11, 16].sort(() => draw(3) - 1)) {
          book.set(`F${row}`, `=B1&J${row + 6}`);
          book.set(`J${row}`, searches.slice(row - 1, row + 4));
        }
        for (let i = 0; i < 6; i++) {
          if (draw(3) === 0) book.set(`A${1 + draw(12)}`, `k${draw(60)}`);
          else book.set('H1', 1 + draw(6));
          assert.deepEqual(book.grid('J1:J20'), book.grid('K1:K20'), `edit ${i} with seed ${seed}`);
          assert.deepEqual(book.grid('C1:C22'), book.grid('D1:D22'), `edit ${i} with seed ${seed}`);
        }
      }),
      { numRuns: scaleRunCount(40) },
    );
  });
});
