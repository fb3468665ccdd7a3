import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arrayBinary, spreadOver } from '../../src/calc/array-operators.ts';
import { type ScalarOperator, scalarBinary } from '../../src/calc/operators.ts';
import { readArea } from '../../src/calc/read-area.ts';
import { Matrix } from '../../src/functions/value.ts';
import { errorByCode, type Input, type Scalar } from '../../src/index.ts';
import { NA } from '../../src/value/errors.ts';
import { Book } from '../workbook/dialect.ts';

const CONVENTIONS = { locale: 'ru-RU', dateSystem: 'google' } as const;
const OPERATORS: readonly ScalarOperator[] = ['+', '-', '*', '/', '^', '&', '=', '<>', '<', '<=', '>', '>='];

const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }), fc.constantFrom(0.1, 0.3, 1e308));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 4, arbitrary: number.filter(Number.isFinite) },
  fc.constantFrom<Scalar>(null, true, false, 'a', 'A', '2,5', '', errorByCode('#N/A') ?? null),
);

function matrixOf(rows: number, columns: number, cell: fc.Arbitrary<Scalar>): fc.Arbitrary<Matrix> {
  return fc
    .array(cell, { minLength: rows * columns, maxLength: rows * columns })
    .map((data) => new Matrix(rows, columns, data));
}

const size = fc.integer({ min: 1, max: 4 });
const matrix = fc
  .tuple(size, size, fc.constantFrom<fc.Arbitrary<Scalar>>(number.filter(Number.isFinite), scalar))
  .chain(([rows, columns, cell]) => matrixOf(rows, columns, cell));
const operand = fc.oneof<fc.Arbitrary<Scalar | Matrix>[]>(matrix, scalar);

/** The element that stands for a place: the only row or column repeats, and there is none past the others. */
function element(value: Scalar | Matrix, row: number, column: number): Scalar {
  if (!(value instanceof Matrix)) return value;
  const r = value.rows === 1 ? 0 : row;
  const c = value.columns === 1 ? 0 : column;
  return r < value.rows && c < value.columns ? value.get(r, c) : NA;
}

describe('an operator on arrays', () => {
  it('is the operator on their elements', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OPERATORS), matrix, operand, fc.boolean(), (op, array, other, swapped) => {
        const [a, b] = swapped ? [other, array] : [array, other];
        const result = arrayBinary(op, a, b, CONVENTIONS);
        const rows = Math.max(array.rows, other instanceof Matrix ? other.rows : 1);
        const columns = Math.max(array.columns, other instanceof Matrix ? other.columns : 1);
        assert.deepEqual([result.rows, result.columns], [rows, columns]);
        for (let r = 0; r < rows; r++) {
          for (let c = 0; c < columns; c++) {
            const expected = scalarBinary(op, element(a, r, c), element(b, r, c), CONVENTIONS);
            assert.equal(result.get(r, c), expected, `${op} at ${r}, ${c}`);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('meets a smaller operand in its only row and column, and nothing past its others', () => {
    const row = new Matrix(1, 2, [1, 2]);
    assert.deepEqual(spreadOver(row, 2, 2), [1, 2, 1, 2]);
    assert.deepEqual(spreadOver(row, 1, 3), [1, 2, NA]);
    assert.deepEqual(spreadOver(new Matrix(2, 1, [1, 2]), 2, 2), [1, 1, 2, 2]);
    assert.deepEqual(spreadOver('x', 1, 2), ['x', 'x']);
  });
});

describe('an area read', () => {
  it('holds what its cells hold, across chunks and past what is filled', () => {
    const cell = fc.oneof<fc.Arbitrary<Input>[]>(
      number.filter(Number.isFinite),
      fc.constantFrom('a', true, '=1/0', null),
    );
    const column = (cells: fc.Arbitrary<Input>) =>
      fc.record({
        row: fc.integer({ min: 0, max: 300 }),
        values: fc.array(fc.tuple(cells), { minLength: 1, maxLength: 300 }),
      });
    fc.assert(
      fc.property(
        fc.array(fc.oneof(column(number.filter(Number.isFinite)), column(cell)), { minLength: 1, maxLength: 3 }),
        fc.record({
          top: fc.nat(400),
          left: fc.nat(2),
          rows: fc.integer({ min: 1, max: 500 }),
          columns: fc.integer({ min: 1, max: 3 }),
        }),
        (columns, { top, left, rows, columns: width }) => {
          const book = new Book();
          const edits = columns.map(({ row, values }, i) => ({
            kind: 'setValues' as const,
            sheet: 1,
            row,
            column: i,
            values,
            mode: 'user' as const,
          }));
          book.apply(edits);
          const [sheet] = book.head.sheets;
          assert.ok(sheet);
          const data = readArea(sheet, { top, left, bottom: top + rows - 1, right: left + width - 1 });
          assert.equal(data.length, rows * width);
          for (let i = 0; i < data.length; i++) {
            assert.equal(data[i], sheet.value(top + Math.floor(i / width), left + (i % width)));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
