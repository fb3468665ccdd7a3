import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Book, createContext } from './book.ts';

const ROWS = 120;
const KEYS = 9;
const MAX_NUMBER = 20;

interface DataRow {
  readonly key: string;
  readonly number: number;
}

const sumOf = (rows: readonly DataRow[]) => rows.reduce((sum, { number }) => sum + number, 0);

/** Formulas with the criteria in columns E and F, and their values for the matching rows. */
const FORMULAS: readonly { name: string; compute: (rows: readonly DataRow[]) => number | string }[] = [
  { name: 'DSUM', compute: sumOf },
  { name: 'DCOUNT', compute: (rows) => rows.length },
  { name: 'DMAX', compute: (rows) => Math.max(0, ...rows.map(({ number }) => number)) },
  { name: 'DAVERAGE', compute: (rows) => (rows.length === 0 ? '#DIV/0!' : sumOf(rows) / rows.length) },
  {
    name: 'DGET',
    compute: (rows) => (rows.length === 0 ? '#VALUE!' : rows.length > 1 ? '#NUM!' : rows[0]!.number),
  },
];

const anyRow = fc.record({
  key: fc.nat({ max: KEYS }).map((n) => `k${n}`),
  number: fc.integer({ min: 1, max: MAX_NUMBER }),
});

describe('database functions in every row of a column', () => {
  it('have the values of their definition after every edit', () => {
    const rows = fc.array(anyRow, { minLength: ROWS, maxLength: ROWS });
    const edits = fc.array(fc.tuple(fc.nat({ max: ROWS - 1 }), anyRow), { maxLength: 4 });
    fc.assert(
      fc.property(rows, edits, (data, changes) => {
        const book = new Book('en-US');
        book.set('A1', [['Key', 'Number'], ...data.map(({ key, number }) => [key, number])]);
        // Two criteria rows for each row of data: a header and the criteria. Each formula compares with its own row.
        book.set(
          'E1',
          data.flatMap(({ key, number }) => [
            ['Key', 'Number'],
            [`="=${key}"`, `>=${number}`],
          ]),
        );
        const formulas = data.map((_, i) =>
          FORMULAS.map(({ name }) => `=${name}($A$1:$B$${ROWS + 1};"Number";E${2 * i + 1}:F${2 * i + 2})`),
        );
        book.set('H1', formulas);
        const criteria = data.slice();
        const compare = () => {
          for (const [i, { key, number }] of criteria.entries()) {
            const matching = data.filter((row) => row.key === key && row.number >= number);
            const expected = FORMULAS.map(({ compute }) => compute(matching));
            assert.deepEqual(book.grid(`H${i + 1}:L${i + 1}`), [expected], `row ${i + 1}`);
          }
        };
        compare();
        for (const [i, row] of changes) {
          data[i] = row;
          book.set(`A${i + 2}`, [[row.key, row.number]]);
          compare();
        }
      }),
      { numRuns: 8 },
    );
  });

  it('read the table once for all formulas of a column', () => {
    const rows = 3_000;
    const book = new Book('en-US');
    book.set('A1', [['Key', 'Number'], ...Array.from({ length: rows }, (_, i) => [`k${i % 50}`, i])]);
    book.set('D1', [['Key'], ['=k7']], 'raw');
    book.context = createContext({ budget: { cells: 20 * rows, milliseconds: 60_000, clock: () => 0 } });
    book.set(
      'F1',
      Array.from({ length: rows }, (_, i) => [`=B${i + 2}/DSUM($A$1:$B$${rows + 1};2;$D$1:$D$2)`]),
    );
    const sum = Array.from({ length: rows / 50 }, (_, i) => 50 * i + 7).reduce((total, number) => total + number, 0);
    assert.equal(book.value('F3000'), 2_999 / sum);
  });
});
