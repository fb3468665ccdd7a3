import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook, listFormulas } from './alone.ts';
import type { Book } from './book.ts';
import { createDraw, type Draw, drawElement } from './draw.ts';

/** Formulas of a column that calculate arrays of the same columns read them as typed arrays. */

const ROWS = 280;
/** The first row with formulas. Their ranges end before and after row 256, where the second chunk begins. */
const TOP = 236;

const OPERATORS = ['+', '-', '*', '/', '^', '=', '<>', '<', '<=', '>', '>=', '&'];

/** Formulas by row. Columns A and D contain mixed values, B numbers and blanks, C texts and blanks, E numbers. */
const FORMULAS: readonly ((row: number) => string)[] = [
  ...OPERATORS.flatMap((op) => [
    (row: number) => `SUMPRODUCT(N(+IFERROR((A$1:A${row})${op}A${row};7)))`,
    (row: number) => `TEXTJOIN("|";FALSE;B$1:B${row}${op}E$1:E${row})`,
    (row: number) => `TEXTJOIN("|";FALSE;IFERROR(A$1:A${row}${op}D$1:D${row};"e"))`,
    (row: number) => `TEXTJOIN("|";FALSE;C${row}${op}C$1:C${row})`,
    (row: number) => `SUM(IFERROR(B$1:B$${ROWS}${op}TRUE;2))+B${row}`,
  ]),
  (row) => `SUM((C$1:C${row}=C${row})*E$1:E${row})`,
  (row) => `SUM(IF(C$1:C${row}=C${row};E$1:E${row}))`,
  (row) => `TEXTJOIN("|";FALSE;IF(B$1:B${row}>E${row};C$1:C${row};"none"))`,
  (row) => `TEXTJOIN("|";FALSE;IF(B$1:B${row};C$1:C${row};E$1:E${row}))`,
  (row) => `COUNT(IF(A$1:A${row};B$1:B${row};C${row}))`,
  (row) => `SUM(FILTER(E$1:E${row};C$1:C${row}=C${row};0))`,
  (row) => `TEXTJOIN("|";FALSE;FILTER(D$1:D${row};E$1:E${row}<=E${row}))`,
  (row) => `MAX((C$1:C$${ROWS}=C${row})*(E$1:E$${ROWS}<E${row})*E$1:E$${ROWS})`,
  (row) => `SUM(--(C$1:C${row}=""))`,
  (row) => `TEXTJOIN("|";FALSE;IFERROR(ERROR.TYPE(E$1:E${row}*1E+200*B${row}/B$1:B${row});0))`,
  (row) => `AND(E$1:E${row}>0)`,
  (row) => `OR(C$1:C${row}=D${row})`,
  (row) => `PRODUCT(1+E$1:E${row}/1000)`,
  (row) => `SUMPRODUCT(B$1:B${row};-E$1:E${row})`,
  (row) => `SUMPRODUCT(--(C$1:C${row}<>C${row});E$1:E${row}%)`,
  (row) => `XLOOKUP(1;(C$1:C$${ROWS}=C${row})*(B$1:B$${ROWS}=B${row});E$1:E$${ROWS};"none")`,
  (row) => `MATCH(TRUE;INDEX(E${row}:E$${ROWS}>E${row};0);0)`,
  (row) => `LOOKUP(2;1/(B$1:B${row}<>"");E$1:E${row})`,
  (row) => `SUM(LET(d;E$1:E${row}-E${row};IF(d<0;-d;d)))`,
  (row) => `SUM(MAP(E$1:E${row};LAMBDA(e;e*2))*(B$1:B${row}<>""))`,
  (row) => `AVERAGEA(IF(B$1:B${row}>20;B$1:B${row};"x"))`,
];

const MIXED: readonly Input[] = ['text', 'TEXT', '3', '', null, true, false, '=NA()', '=1/0', '=""', 0];
const TEXTS: readonly Input[] = ['Öl', 'ÖL', 'öl ', 'Straße', 'STRAßE', 'b', null, 'b', '=""'];
/** Pairs of numbers that are equal in fifteen digits, and numbers whose product or quotient overflows. */
const NUMBERS: readonly Input[] = [0.3, '=1/10+2/10', 1e200, -1e200, 1e-300, 0, 7, '=-0', 100];

const drawNumber = (draw: Draw) => (draw(3) === 0 ? drawElement(draw, NUMBERS) : 1 + draw(60));
const drawMixed = (draw: Draw) => (draw(2) === 0 ? drawElement(draw, MIXED) : drawNumber(draw));

const FIRST = 6;

const readPlain = (book: Book, ref: string) => book.plainValue(ref);

describe('array formulas of a column', () => {
  it('equal the results of formulas that are calculated alone, after every edit', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(ROWS - 1), (seed, edited) => {
        const draw = createDraw(seed);
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        const data = Array.from({ length: ROWS }, () => [
          drawMixed(draw),
          draw(5) === 0 ? null : drawNumber(draw),
          drawElement(draw, TEXTS),
          drawMixed(draw),
          1 + draw(50),
        ]);
        for (const each of [book, alone]) each.set('A1', data);
        book.set(
          `${columnName(FIRST)}${TOP}`,
          Array.from({ length: ROWS - TOP + 1 }, (_, i) => FORMULAS.map((create) => `=${create(TOP + i)}`)),
        );
        const formulas = listFormulas(FORMULAS, FIRST, [TOP, TOP + 1, 255, 256, 257, ROWS]);
        assertSameAlone(book, alone, formulas, readPlain);
        const edits: readonly [string, Input][] = [
          [`E${edited + 1}`, '=1/0'],
          [`C${1 + draw(ROWS)}`, 'öl'],
          [`E${edited + 1}`, 7.25],
        ];
        for (const [ref, input] of edits) {
          for (const each of [book, alone]) each.set(ref, input);
          assertSameAlone(book, alone, formulas, readPlain);
        }
      }),
      { numRuns: scaleRunCount(2) },
    );
  });

  it('keep their arrays apart', () => {
    const book = createLargeBudgetBook('en-US');
    const rows = Array.from({ length: 100 }, (_, i) => i + 1);
    book.set(
      'A1',
      rows.map((row) => [row]),
    );
    // Two of the arrays exist at the same time, and the second formula spills its array.
    book.set(
      'C1',
      rows.map((row) => [`=SUM((A$1:A$100+${row})*(A$1:A$100-${row}))`]),
    );
    book.set('E1', [['=A1:A100*2', '=A1:A100*3', '=A1:A100*4']]);
    const squares = rows.reduce((sum, row) => sum + row * row, 0);
    assert.deepEqual(
      rows.map((row) => book.value(`C${row}`)),
      rows.map((row) => squares - 100 * row * row),
    );
    assert.deepEqual(
      rows.map((row) => [book.value(`E${row}`), book.value(`F${row}`), book.value(`G${row}`)]),
      rows.map((row) => [2 * row, 3 * row, 4 * row]),
    );
  });
});
