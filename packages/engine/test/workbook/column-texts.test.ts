import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook, listFormulas } from './alone.ts';
import { createDraw, drawElement } from './draw.ts';

const ROWS = 150;
const TEXT = `A$1:A$${ROWS}`;
const NUMBER = `B$1:B$${ROWS}`;
const KEY = `C$1:C$${ROWS}`;

/** Criteria with patterns and comparisons with texts. Columns: texts, numbers, keys, patterns. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `COUNTIF(${TEXT};D${row})`,
  (row) => `COUNTIF(A:A;LEFT(A${row};2)&"*")`,
  (row) => `COUNTIF(${TEXT};"*"&MID(A${row};2;3)&"*")`,
  (row) => `COUNTIF(${TEXT};"<>"&LEFT(A${row};1)&"*")`,
  (row) => `SUMIF(${TEXT};D${row};${NUMBER})`,
  (row) => `SUMIFS(${NUMBER};${TEXT};"="&D${row};${KEY};C${row})`,
  (row) => `MAXIFS(${NUMBER};${KEY};C${row};${TEXT};"?"&MID(A${row};2;9))`,
  (row) => `COUNTIF(A$1:A${row};D${row})`,
  (row) => `COUNTIFS(A${row}:A$${ROWS};D${row};B${row}:B$${ROWS};">0")`,
  (row) => `COUNTIF(${TEXT};">"&A${row})`,
  (row) => `COUNTIF(A:A;"<="&D${row})`,
  (row) => `SUMIF(${TEXT};"<"&A${row};${NUMBER})`,
  (row) => `COUNTIFS(${TEXT};">="&A${row};${KEY};C${row})`,
  (row) => `COUNTIFS(${TEXT};">"&A${row};${TEXT};"<"&D${row})`,
  (row) => `SUMIFS(${NUMBER};${TEXT};">"&A${row};${NUMBER};"<"&B${row})`,
  (row) => `AVERAGEIFS(A$1:B${row};A$1:B${row};"<>x")`,
  (row) => `COUNTIF(A$1:A${row};"<"&A${row})`,
  (row) => `COUNTIFS(A${row}:A$${ROWS};">"&A${row})`,
  (row) => `MATCH(D${row};${TEXT};0)`,
  (row) => `MATCH("*"&MID(A${row};3;4)&"*";A$1:A${row};0)`,
  (row) => `VLOOKUP(D${row};A$2:B$${ROWS};2;FALSE)`,
  (row) => `XLOOKUP(D${row};${TEXT};${NUMBER};"none";2;-1)`,
  (row) => `XMATCH(LEFT(A${row};1)&"*";${TEXT};2)`,
];

const TEXTS: readonly Input[] = [
  ...['anna', 'Anna Maria', 'ANTON', 'bernd', 'Berta', 'zürich', 'Zug', 'straße', 'Straßen', 'a*b', 'a?b', 'a~b'],
  ...['Ёлка', 'ель', 'x', '', '2026', 'é', 'e\u0301', 'ſtern', 5, true, null],
];
const PATTERNS: readonly Input[] = [
  ...['an*', '*a', '*nn*', '?n*', 'b?r*', 'a~*b', 'a~?b', 'a~~b', '*', '?', '~', 'Z*', 'str*e*', '*ß*n', '*ern', 'е*'],
  ...['anna', '', '**', '*a*a*', '2*', 7, null],
];

function createRows(seed: number): Input[][] {
  const draw = createDraw(seed);
  return Array.from({ length: ROWS }, () => [
    drawElement(draw, TEXTS),
    draw(40) / 8 - 1,
    `key ${draw(3)}`,
    drawElement(draw, PATTERNS),
  ]);
}

const FIRST = 5;

describe('criteria and lookups with patterns and comparisons of texts', () => {
  it('select the same cells as a formula that is calculated alone', () => {
    const locales = fc.constantFrom('en-US' as const, 'ru-RU' as const);
    fc.assert(
      fc.property(fc.nat(), fc.nat(ROWS - 1), locales, (seed, edited, locale) => {
        const [book, alone] = [createLargeBudgetBook(locale), createLargeBudgetBook(locale)];
        const data = createRows(seed);
        for (const each of [book, alone]) each.set('A1', data, 'raw');
        book.set(
          `${columnName(FIRST)}1`,
          data.map((_, i) => FORMULAS.map((create) => `=${create(i + 1)}`)),
        );
        const formulas = listFormulas(FORMULAS, FIRST, [1, 2, 1 + (seed % ROWS), edited + 1]);
        // A formula that is calculated alone reads the cells without an index.
        assertSameAlone(book, alone, formulas, (each, ref) => each.plainValue(ref));
        for (const each of [book, alone]) each.set(`A${edited + 1}`, [['Antonia', 2.5]], 'raw');
        assertSameAlone(book, alone, formulas, (each, ref) => each.plainValue(ref));
      }),
      { numRuns: scaleRunCount(24) },
    );
  });
});
