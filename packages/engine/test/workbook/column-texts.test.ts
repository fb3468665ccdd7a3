import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import { columnName, type Input } from '../../src/index.ts';
import { Book, createContext } from './book.ts';

const ROWS = 150;
const TEXT = `A$1:A$${ROWS}`;
const NUMBER = `B$1:B$${ROWS}`;
const KEY = `C$1:C$${ROWS}`;

/** Criteria with patterns and comparisons with texts. Columns: texts, numbers, keys, patterns. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `COUNTIF(${TEXT},D${row})`,
  (row) => `COUNTIF(A:A,LEFT(A${row},2)&"*")`,
  (row) => `COUNTIF(${TEXT},"*"&MID(A${row},2,3)&"*")`,
  (row) => `COUNTIF(${TEXT},"<>"&LEFT(A${row},1)&"*")`,
  (row) => `SUMIF(${TEXT},D${row},${NUMBER})`,
  (row) => `SUMIFS(${NUMBER},${TEXT},"="&D${row},${KEY},C${row})`,
  (row) => `MAXIFS(${NUMBER},${KEY},C${row},${TEXT},"?"&MID(A${row},2,9))`,
  (row) => `COUNTIF(A$1:A${row},D${row})`,
  (row) => `COUNTIFS(A${row}:A$${ROWS},D${row},B${row}:B$${ROWS},">0")`,
  (row) => `COUNTIF(${TEXT},">"&A${row})`,
  (row) => `COUNTIF(A:A,"<="&D${row})`,
  (row) => `SUMIF(${TEXT},"<"&A${row},${NUMBER})`,
  (row) => `COUNTIFS(${TEXT},">="&A${row},${KEY},C${row})`,
  (row) => `COUNTIFS(${TEXT},">"&A${row},${TEXT},"<"&D${row})`,
  (row) => `SUMIFS(${NUMBER},${TEXT},">"&A${row},${NUMBER},"<"&B${row})`,
  (row) => `AVERAGEIFS(A$1:B${row},A$1:B${row},"<>x")`,
  (row) => `COUNTIF(A$1:A${row},"<"&A${row})`,
  (row) => `COUNTIFS(A${row}:A$${ROWS},">"&A${row})`,
  (row) => `MATCH(D${row},${TEXT},0)`,
  (row) => `MATCH("*"&MID(A${row},3,4)&"*",A$1:A${row},0)`,
  (row) => `VLOOKUP(D${row},A$2:B$${ROWS},2,FALSE)`,
  (row) => `XLOOKUP(D${row},${TEXT},${NUMBER},"none",2,-1)`,
  (row) => `XMATCH(LEFT(A${row},1)&"*",${TEXT},2)`,
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
  let state = seed >>> 0;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = (list: readonly Input[]) => elementAt(list, draw(list.length));
  return Array.from({ length: ROWS }, () => [pick(TEXTS), draw(40) / 8 - 1, `key ${draw(3)}`, pick(PATTERNS)]);
}

const FIRST = 5;

/** Compares formulas of rows with formulas of which only one exists, which reads the cells without an index. */
function assertSameAlone(
  book: Book,
  alone: Book,
  rows: readonly number[],
  localize: (formula: string) => string,
): void {
  for (const [i, create] of FORMULAS.entries()) {
    for (const row of rows) {
      const ref = `${columnName(FIRST + i)}${row}`;
      alone.set(ref, `=${localize(create(row))}`);
      assert.deepEqual(book.plainValue(ref), alone.plainValue(ref), `${ref} =${create(row)}`);
      alone.clear(ref);
    }
  }
}

describe('criteria and lookups with patterns and comparisons of texts', () => {
  it('select the same cells as a formula that is calculated alone', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(ROWS - 1),
        fc.constantFrom('en-US' as const, 'ru-RU' as const),
        (seed, edited, locale) => {
          const [book, alone] = [new Book(locale), new Book(locale)];
          const data = createRows(seed);
          const localize = (formula: string) => (locale === 'ru-RU' ? formula.replaceAll(',', ';') : formula);
          for (const each of [book, alone]) {
            each.context = createContext({ budget: { cells: 100_000_000, milliseconds: 60_000, clock: () => 0 } });
            each.set('A1', data, 'raw');
          }
          book.set(
            `${columnName(FIRST)}1`,
            data.map((_, i) => FORMULAS.map((create) => `=${localize(create(i + 1))}`)),
          );
          const rows = [1, 2, 1 + (seed % ROWS), edited + 1];
          assertSameAlone(book, alone, rows, localize);
          for (const each of [book, alone]) each.set(`A${edited + 1}`, [['Antonia', 2.5]], 'raw');
          assertSameAlone(book, alone, rows, localize);
        },
      ),
      { numRuns: scaleRunCount(24) },
    );
  });
});
