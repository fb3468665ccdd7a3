import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import type { Edit } from '../../src/index.ts';
import { Book, describeValues } from './book.ts';

const ROWS = 24;

/** Formulas for a row whose references are known only during the calculation. Columns A and B contain numbers. */
const FORMULAS: readonly ((row: number, other: number) => string)[] = [
  (row) => `=SUM(OFFSET(A${row};-2;0;3;1))`,
  (row) => `=IFERROR(OFFSET(A${row};-3;1);"none")`,
  (row) => `=SUM(OFFSET(B${row};0;-1;-4;2))`,
  (row) => `=SUM(OFFSET(A$1;0;0;B${row};1))`,
  (row, other) => `=SUM(OFFSET(A$${other};0;0;B${row}))`,
  (row) => `=IFERROR(SUM(OFFSET(A${row};0;0;2;B${row}-1));"none")`,
  (row, other) => `=SUM(A$${other}:OFFSET(A${row};1;0))`,
  (row) => `=SUM(A$1:INDEX(A:A;${row}))`,
  (row) => `=SUM(INDEX(A:A;B${row}):INDEX(A$2:B$${ROWS};B${row};2))`,
  (row, other) => `=SUM(A${row}:INDEX(B$${other}:B${row};1))`,
  (row) => `=SUM(OFFSET(Data!A${row};1;0;2;1))+SUM(Data!A1:INDEX(Data!A:A;B${row}))`,
  // These read the formula above them, in their own column.
  (row) => (row === 1 ? '=A1' : `=IFERROR(OFFSET(K${row};-1;0)+A${row};0)`),
  (row) => (row === 1 ? '=A1' : `=SUM(L$1:INDEX(L:L;${row - 1}))/2+A${row}`),
];

const anyRow = fc.integer({ min: 1, max: ROWS });
const anyLine = fc.integer({ min: 0, max: ROWS });

type Step = (book: Book) => Edit;

const write = fc.tuple(fc.constantFrom('A', 'B', 'Data!A'), anyRow, fc.integer({ min: 1, max: 6 })).map(
  ([column, row, value]): Step =>
    (book) =>
      book.write(`${column}${row}`, value),
);
const move = fc
  .tuple(
    fc.constantFrom<'insert' | 'delete'>('insert', 'delete'),
    fc.constantFrom<'rows' | 'columns'>('rows', 'columns'),
    anyLine,
    fc.integer({ min: 1, max: 2 }),
  )
  .map(([kind, axis, at, count]): Step => {
    const line = axis === 'columns' ? at % 3 : at;
    return () => ({
      kind: 'moveCells',
      move: { kind, sheet: 1, axis, at: line, count },
    });
  });
const enter = fc.tuple(anyRow, fc.nat({ max: FORMULAS.length - 1 }), anyRow).map(
  ([row, kind, other]): Step =>
    (book) =>
      book.write(`P${row}`, elementAt(FORMULAS, kind)(row, other)),
);

describe('references that are known only during the calculation', () => {
  it('have the values of a calculation of the whole document after every edit', () => {
    fc.assert(
      fc.property(
        anyRow,
        fc.array(fc.oneof(write, write, move, enter), { minLength: 4, maxLength: 14 }),
        (other, steps) => {
          const book = new Book('en-US');
          book.addSheet('Data');
          book.set(
            'Data!A1',
            Array.from({ length: ROWS }, (_, i) => [i % 5]),
          );
          book.set(
            'A1',
            Array.from({ length: ROWS }, (_, i) => [(i * 7) % 11, 1 + (i % 4)]),
          );
          const rows = Array.from({ length: ROWS }, (_, i) => FORMULAS.map((formula) => formula(i + 1, other)));
          book.set(
            'C1',
            rows.map((row) => row.slice(0, 8)),
          );
          book.set(
            'K1',
            rows.map((row) => row.slice(11)),
          );
          book.set(
            'M1',
            rows.map((row) => row.slice(8, 11)),
          );
          for (const step of steps) {
            book.apply([step(book)]);
            const values = describeValues(book.head);
            book.apply([{ kind: 'recalculate', everything: true }]);
            assert.deepEqual(values, describeValues(book.head));
          }
        },
      ),
      { numRuns: scaleRunCount(24) },
    );
  });

  it('are calculated only after a change of a cell that they can mean', () => {
    const rows = 2_000;
    const book = new Book('en-US');
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [i]),
    );
    book.set(
      'C1',
      Array.from({ length: rows }, (_, i) => [i < 6 ? 0 : `=SUM(OFFSET(A${i + 1};-6;0;7;1))`]),
    );
    book.set(
      'D1',
      Array.from({ length: rows }, (_, i) => [`=SUM(OFFSET(E$1;0;0;${i + 1};1))`]),
    );
    book.context = { ...book.context, budget: { cells: 40, milliseconds: 60_000, clock: () => 0 } };
    book.set('A1000', 0);
    assert.equal(book.value('C1000'), 993 + 994 + 995 + 996 + 997 + 998);
    assert.equal(book.value('C1007'), 1000 + 1001 + 1002 + 1003 + 1004 + 1005 + 1006);
  });
});
