import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Input } from '../../src/index.ts';
import { CHUNK_ROWS } from '../../src/sheet/chunk.ts';
import { Book } from '../workbook/book.ts';

/** Enough rows for the engine to calculate a filled-down column as a block. */
const ROWS = 9;

/** Slightly more than 1. Compared with larger numbers, its difference to 1 is rounding noise. */
const JUST_MORE = 1 + 2 ** -49;

const operator = fc.constantFrom('+', '-', '*', '/');
const cell: fc.Arbitrary<Input> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(0, 1, -3.5, 0.1, 0.3, 7) },
  { weight: 3, arbitrary: fc.constantFrom(1e308, -1e308, 1e-308) },
  { weight: 8, arbitrary: fc.constantFrom(1, -1, JUST_MORE, -JUST_MORE) },
  { weight: 1, arbitrary: fc.constantFrom<Input[]>(null, 'text', '12', true) },
);
/** An expression over the cells of one row. `#` is replaced by the row number. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: fc.constantFrom('A#', 'B#', 'C#', '$A$1', '2', '1E308') },
    { weight: 1, arbitrary: tie('expression').map((inner) => `-(${inner})`) },
    {
      weight: 4,
      arbitrary: fc.tuple(tie('expression'), operator, tie('expression')).map(([a, op, b]) => `(${a}${op}${b})`),
    },
  ),
}));
const rows = fc.array(fc.tuple(cell, cell, cell), { minLength: ROWS, maxLength: ROWS });

function computeColumn(
  book: Book,
  values: readonly (readonly Input[])[],
  column: string,
  formula: (row: number) => string,
) {
  book.set('A1', values);
  book.set(
    `${column}1`,
    values.map((_, i) => [formula(i + 1)]),
  );
  return values.map((_, i) => book.plainValue(`${column}${i + 1}`));
}

describe('arithmetic of formulas', () => {
  it('has the same results by cell, by block, and inside a larger formula', () => {
    fc.assert(
      fc.property(rows, expression, (values, text) => {
        const at = (row: number) => text.replaceAll('#', String(row));
        const larger = computeColumn(new Book('en-US'), values, 'E', (row) => `=IF(TRUE;${at(row)})`);
        assert.deepEqual(
          computeColumn(new Book('en-US'), values, 'E', (row) => `=${at(row)}`),
          larger,
        );
        // Formulas with different templates are calculated one by one.
        assert.deepEqual(
          computeColumn(new Book('en-US'), values, 'E', (row) => `=${'('.repeat(row)}${at(row)}${')'.repeat(row)}`),
          larger,
        );
      }),
    );
  });

  it('has the same results after its operands were changed', () => {
    fc.assert(
      fc.property(rows, rows, expression, (before, after, text) => {
        const book = new Book('en-US');
        book.addSheet('Other');
        const write = (values: readonly (readonly Input[])[]) => {
          // An empty text clears a cell, which null would keep.
          const cells = values.map((row) => row.map((value) => value ?? ''));
          book.set('A1', cells);
          book.set('Other!A1', cells);
        };
        write(before);
        // Formulas with different templates: each row has another number of parentheses.
        const nested = (row: number) => `${'('.repeat(row)}${text.replaceAll('#', String(row))}${')'.repeat(row)}`;
        const formulas = before.map((_, i) => [
          `=${nested(i + 1)}`,
          `=${nested(i + 1).replaceAll('C', 'Other!C')}`,
          `=IF(TRUE;${nested(i + 1)})`,
        ]);
        book.set('E1', formulas);
        write(after);
        for (let row = 1; row <= after.length; row++) {
          const expected = book.plainValue(`G${row}`);
          assert.deepEqual([book.plainValue(`E${row}`), book.plainValue(`F${row}`)], [expected, expected]);
        }
      }),
    );
  });

  it('has the same results if each row reads the row above', () => {
    fc.assert(
      fc.property(rows, expression, operator, fc.boolean(), (values, text, op, reversed) => {
        const step = (row: number) => {
          const rowText = text.replaceAll('#', String(row));
          return reversed ? `${rowText}${op}E${row - 1}` : `E${row - 1}${op}${rowText}`;
        };
        const from = (formula: (row: number) => string) =>
          computeColumn(new Book('en-US'), values, 'E', (row) => (row === 1 ? '=B1' : formula(row)));
        assert.deepEqual(
          from((row) => `=${step(row)}`),
          from((row) => `=IF(TRUE;${step(row)})`),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is an error if an intermediate result is too large, even if the final result is not', () => {
    const book = new Book('en-US');
    book.set('A1', [[1e308, 10]]);
    book.set('C1', [['=1/(A1*B1)', '=A1*B1-A1*B1']]);
    assert.deepEqual([book.plainValue('C1'), book.plainValue('D1')], ['#NUM!', '#NUM!']);
  });

  it('never results in a negative zero', () => {
    const products: readonly [a: number, b: number][] = [
      [0, -1],
      [-1, 1e308],
    ];
    for (const [a, b] of products) {
      const book = new Book('en-US');
      const ones = Array.from({ length: CHUNK_ROWS }, () => [1, 1]);
      computeColumn(book, ones, 'E', (row) => `=A${row}/B${row}/1E300`);
      book.set(
        'A1',
        ones.map(() => [a, b]),
      );
      assert.ok(Object.is(book.value('E1'), 0), `${a} / ${b} / 1E300`);
    }
  });
});
