import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook, listFormulas } from './alone.ts';
import { createDraw, drawElement } from './draw.ts';

const ROWS = 200;
const FIRST_FORMULA = 3;

/** Formulas for a row. Columns: keys, amounts in several formats, numbers. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `MAXIFS(B$1:B$${ROWS};A$1:A$${ROWS};A${row};B$1:B$${ROWS};"<"&B${row})`,
  (row) => `MINIFS(B$1:B$${ROWS};A$1:A$${ROWS};A${row};C$1:C$${ROWS};">"&C${row})`,
  (row) => `MAXIFS(B$1:B${row};C$1:C${row};"<="&C${row})`,
  (row) => `MINIFS(B$1:B$${ROWS};C$1:C$${ROWS};"<"&C${row};B$1:B$${ROWS};">"&C${row})`,
  (row) => `MAXIFS(B${row}:B${row + 150};C${row}:C${row + 150};">="&C${row};A${row}:A${row + 150};A${row})`,
];

/** Amounts in different formats. Several of them are equal, and some texts look like the numbers. */
const AMOUNTS: readonly Input[] = [
  '$5.00',
  '5',
  '500%',
  '2026-03-01',
  '46082',
  '$46,082.00',
  '1.5',
  '150%',
  "'5",
  "'x",
];

describe('formats of extremes with comparisons', () => {
  it('are the formats of the first selected cell with the number, as in formulas that are calculated alone', () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, hasError) => {
        const draw = createDraw(seed);
        const data = Array.from({ length: ROWS }, (_, row): Input[] => {
          const amount = hasError && row === 150 ? '=1/0' : drawElement(draw, AMOUNTS);
          return [`k${draw(4)}`, amount, draw(9)];
        });
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        for (const each of [book, alone]) each.set('A1', data);
        const rows = Array.from({ length: 12 }, (_, i) => 1 + ((seed + i * 37) % ROWS));
        const formulas = listFormulas(FORMULAS, FIRST_FORMULA, rows);
        for (const { ref, formula } of formulas) book.set(ref, formula);
        for (const each of [book, alone]) each.set('B9', '$46,082.00');
        assertSameAlone(book, alone, formulas, (each, ref) => each.text(ref));
      }),
      { numRuns: scaleRunCount(8) },
    );
  });

  it('are the same for arrays of comparisons with and without an index', () => {
    const amounts: readonly Input[] = ['$5.00', '5', '500%', '2026-03-01', '46082', '-1', '-$1.00', '0%', '0'];
    const range = (column: string) => `${column}$1:${column}$${ROWS}`;
    const formulas: readonly ((row: number, above: string) => string)[] = [
      (row, above) => `MAX(IF((${range('A')}=A${row})*${above};${range('B')}))`,
      (row, above) => `MIN(IF(${range('A')}=A${row};IF(${above};${range('B')})))`,
      (row, above) => `MAX((${range('A')}=A${row})*${above}*${range('B')})`,
      (_row, above) => `MIN(${range('B')}*${above})`,
    ];
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = createDraw(seed);
        const book = createLargeBudgetBook('en-US');
        book.set(
          'A1',
          Array.from({ length: ROWS }, (): Input[] => [`k${draw(4)}`, drawElement(draw, amounts), draw(9)]),
        );
        const rows = Array.from({ length: 6 }, (_, i) => 1 + ((seed + i * 37) % ROWS));
        const calls = rows.map((row) =>
          formulas.flatMap((create) => {
            const above = `(${range('C')}>C${row})`;
            return [`=${create(row, above)}`, `=${create(row, `(${above}+0)`)}`];
          }),
        );
        book.set('E1', calls);
        for (const [i, row] of calls.entries()) {
          for (let at = 0; at < row.length; at += 2) {
            const [actual, expected] = [at, at + 1].map((column) => book.text(`${columnName(4 + column)}${i + 1}`));
            assert.equal(actual, expected, `${row[at]}`);
          }
        }
      }),
      { numRuns: scaleRunCount(8) },
    );
  });
});
