import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import type { Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import { createDraw, drawElement } from './draw.ts';

const ROWS = 200;

/** Amounts in different formats, some of them equal, and cells without a number. */
const AMOUNTS: readonly Input[] = ['$5.00', '5', '500%', '2026-03-01', '46082', '1.5', "'x", null];

/** Formulas for a row. `+0` makes the engine calculate the arrays. */
const FORMULAS: readonly ((row: number, zero: string) => string)[] = [
  (row, zero) => `SUM(IF((A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}<C${row})${zero};B$1:B$${ROWS};0))`,
  (row, zero) => `SUM(IF((A$1:A$${ROWS}=A${row})${zero};IF((C$1:C$${ROWS}<C${row})${zero};B$1:B$${ROWS})))`,
  (row, zero) => `AVERAGE(IF((C$1:C$${ROWS}<=C${row})${zero};B$1:B$${ROWS};""))`,
  (row, zero) => `COUNT(IF((C$1:C$${ROWS}<=C${row})${zero};B$1:B$${ROWS}))`,
  (row, zero) => `MAX(IF((A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}<>C${row})${zero};B$1:B$${ROWS}))`,
  (row, zero) => `SUM(FILTER(B$1:B$${ROWS};(A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}>C${row})${zero}))`,
  (row, zero) => `AVERAGE(FILTER(B$1:B$${ROWS};(A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}<=C${row})${zero}))`,
  (row, zero) => `MIN(FILTER(B$1:B$${ROWS};(A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}>C${row})${zero}))`,
  (row, zero) => `SUM((A$1:A$${ROWS}=A${row})*((C$1:C$${ROWS}>C${row})${zero})*C$1:C$${ROWS})`,
];

describe('figures of selected numbers in a document with formats', () => {
  it('have the value and the format of the same figures of arrays', () => {
    fc.assert(
      fc.property(fc.nat(), fc.boolean(), (seed, hasError) => {
        const draw = createDraw(seed);
        const data = Array.from({ length: ROWS }, (_, row): Input[] => [
          `k${draw(4)}`,
          hasError && row === 150 ? '=1/0' : drawElement(draw, AMOUNTS),
          draw(9),
        ]);
        const book = createLargeBudgetBook('en-US');
        book.set('A1', data);
        const rows = Array.from({ length: 8 }, (_, i) => 1 + ((seed + i * 37) % ROWS));
        for (const [column, zero] of ['', '+0'].entries()) {
          const anchor = column === 0 ? 'E1' : 'P1';
          book.set(
            anchor,
            rows.map((row) => FORMULAS.map((create) => `=${create(row, zero)}`)),
          );
        }
        const compare = () => {
          for (let i = 1; i <= rows.length; i++) {
            for (let at = 0; at < FORMULAS.length; at++) {
              const [actual, expected] = ['E', 'P'].map((first) => {
                return book.text(`${String.fromCharCode(first.charCodeAt(0) + at)}${i}`);
              });
              assert.equal(actual, expected, `${FORMULAS[at]!(rows[i - 1]!, '')} with seed ${seed}`);
            }
          }
        };
        compare();
        book.set('B7', '$46,082.00');
        book.set('A1', 'k2');
        compare();
      }),
      { numRuns: scaleRunCount(30) },
    );
  });
});
