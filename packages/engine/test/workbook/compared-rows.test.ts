import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import { Book, createContext } from './book.ts';
import { createDraw } from './draw.ts';

const ROWS = 1_500;

/** A column with rising and falling numbers and gaps. */
function createNumbers(seed: number): (number | null)[] {
  const draw = createDraw(seed);
  return Array.from({ length: ROWS }, () => (draw(9) === 0 ? null : draw(100_000) / 4));
}

describe('searches for a row by comparisons of growing and shrinking ranges', () => {
  it('find the last filled row and the next greater number', () => {
    const numbers = createNumbers(3);
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      numbers.map((number) => [number]),
      'raw',
    );
    book.set(
      'B1',
      numbers.map((_, i) => [
        `=LOOKUP(2;1/(A$1:A${i + 1}<>"");A$1:A${i + 1})`,
        `=IFERROR(MATCH(TRUE;INDEX(A${i + 1}:A$${ROWS + 50}>A${i + 1};0);0);"none")`,
        `=XLOOKUP(TRUE;A$1:A$${ROWS}>=A${i + 1}+5000;A$1:A$${ROWS};"none")`,
      ]),
    );
    const compare = () => {
      for (const [i, number] of numbers.entries()) {
        const own = number ?? 0;
        const filled = numbers.slice(0, i + 1).findLast((each) => each !== null);
        const next = numbers.slice(i).findIndex((each) => (each ?? 0) > own);
        const expected: Input[] = [
          filled ?? null,
          next < 0 ? 'none' : next + 1,
          numbers.find((each) => (each ?? 0) >= own + 5000) ?? 'none',
        ];
        const actual = ['B', 'C', 'D'].map((column) => book.plainValue(`${column}${i + 1}`));
        if (i > 0 || filled !== undefined) assert.deepEqual(actual, expected, `row ${i + 1}`);
      }
    };
    compare();
    for (const [row, value] of [
      [700, 25_000],
      [0, null],
      [ROWS - 1, 30_000],
      [701, 0],
    ] as const) {
      numbers[row] = value;
      book.set(`A${row + 1}`, [[value ?? '']], 'raw');
    }
    compare();
  });

  it('search 20,000 rows within the default limits of the service', () => {
    const rows = 20_000;
    const book = new Book('en-US');
    book.context = createContext({ budget: { cells: 20_000_000, milliseconds: 10_000, clock: () => 0 } });
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [i % 20 === 0 ? null : (i * 7919) % 10_007, i % 300]),
      'raw',
    );
    book.set(
      'C1',
      Array.from({ length: rows }, (_, i) => [
        `=LOOKUP(2;1/(A$1:A${i + 1}>5000);A$1:A${i + 1})`,
        `=XLOOKUP(1;(A$1:A$${rows}=A${i + 1})*(B$1:B$${rows}=B${i + 1});B$1:B$${rows};"")`,
      ]),
    );
    assert.equal(book.plainValue(`D${rows}`), (rows - 1) % 300);
  });
});
