import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { applyToArrays } from '../../src/calc/arrays/array-operators.ts';
import { applyToScalars, type ScalarOperator } from '../../src/calc/operators.ts';
import { readArea } from '../../src/calc/read-area.ts';
import { BroadcastOperand } from '../../src/functions/broadcast.ts';
import { TextIds } from '../../src/functions/elements/text-ids.ts';
import { TypedElements, toTypedElement } from '../../src/functions/elements/typed-elements.ts';
import { Matrix } from '../../src/functions/value.ts';
import { errorByCode, type Input, parseArea, type Scalar } from '../../src/index.ts';
import { NA } from '../../src/value/errors.ts';
import { Book } from '../workbook/book.ts';

const CONVENTIONS = { locale: 'ru-RU', dateSystem: 'google' } as const;
const MEMORY = {
  takeNumbers: (length: number) => new Float64Array(length),
  takeKinds: (length: number) => new Uint8Array(length),
};
const UNBOUNDED = { ...CONVENTIONS, ...MEMORY, spendCells: () => {}, spendElements: () => {}, reportWork: () => {} };
const OPERATORS: readonly ScalarOperator[] = ['+', '-', '*', '/', '^', '&', '=', '<>', '<', '<=', '>', '>='];

const number = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }), fc.constantFrom(0.1, 0.3, 1e308));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  { weight: 4, arbitrary: number.filter(Number.isFinite) },
  fc.constantFrom<Scalar>(null, true, false, 'a', 'A', '2,5', '', errorByCode('#N/A') ?? null),
);

function arbitraryMatrix(rows: number, columns: number, cell: fc.Arbitrary<Scalar>): fc.Arbitrary<Matrix> {
  return fc
    .array(cell, { minLength: rows * columns, maxLength: rows * columns })
    .map((data) => new Matrix(rows, columns, data));
}

const size = fc.integer({ min: 1, max: 4 });
const matrix = fc
  .tuple(size, size, fc.constantFrom<fc.Arbitrary<Scalar>>(number.filter(Number.isFinite), scalar))
  .chain(([rows, columns, cell]) => arbitraryMatrix(rows, columns, cell));
const operand = fc.oneof<fc.Arbitrary<Scalar | Matrix>[]>(matrix, scalar);

/** Two operands with typed elements, which have one size; the second can be a scalar. */
const typedOperands = fc
  .tuple(size, size, fc.constantFrom<fc.Arbitrary<Scalar>>(number.filter(Number.isFinite), scalar))
  .chain(([rows, columns, cell]) =>
    fc.tuple(
      arbitraryMatrix(rows, columns, cell),
      fc.oneof<fc.Arbitrary<Scalar | Matrix>[]>(arbitraryMatrix(rows, columns, scalar), scalar),
    ),
  )
  .map(([a, b]) => {
    const texts = new TextIds();
    return [toTyped(a, texts), b instanceof Matrix ? toTyped(b, texts) : b] as const;
  });

function toTyped({ rows, columns, data }: Matrix, texts: TextIds): Matrix {
  const elements = data.map((element) => toTypedElement(element, texts));
  const numbers = Float64Array.from(elements, (element) => element.numbers[0] ?? 0);
  const kinds = Uint8Array.from(elements, (element) => element.kindAt(0));
  return new Matrix(rows, columns, TypedElements.ofKinds(numbers, kinds, texts));
}

/** The element at a position. A single row or column is repeated; positions beyond other arrays are `#N/A`. */
function readElement(value: Scalar | Matrix, row: number, column: number): Scalar {
  if (!(value instanceof Matrix)) return value;
  const r = value.rows === 1 ? 0 : row;
  const c = value.columns === 1 ? 0 : column;
  return r < value.rows && c < value.columns ? value.get(r, c) : NA;
}

/** Compares results of operators on arrays with their results for the elements. */
function assertAppliesToPairs(operands: fc.Arbitrary<readonly [Matrix, Scalar | Matrix]>): void {
  fc.assert(
    fc.property(fc.constantFrom(...OPERATORS), operands, fc.boolean(), (op, [array, other], swapped) => {
      const [a, b] = swapped ? [other, array] : [array, other];
      const result = applyToArrays(op, a, b, UNBOUNDED);
      const rows = Math.max(array.rows, other instanceof Matrix ? other.rows : 1);
      const columns = Math.max(array.columns, other instanceof Matrix ? other.columns : 1);
      assert.deepEqual([result.rows, result.columns], [rows, columns]);
      for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
          const expected = applyToScalars(op, readElement(a, r, c), readElement(b, r, c), CONVENTIONS);
          assert.equal(result.get(r, c), expected, `${op} at ${r}, ${c}`);
        }
      }
    }),
    { numRuns: 1_000 },
  );
}

describe('an operator on arrays', () => {
  it('applies to each pair of elements', () => {
    assertAppliesToPairs(fc.tuple(matrix, operand));
  });

  it('applies to each pair of typed elements', () => {
    assertAppliesToPairs(typedOperands);
  });

  it('repeats a single row or column, and is #N/A beyond the rows and columns of other operands', () => {
    const elements = (operand: Scalar | Matrix, rows: number, columns: number) => {
      const spread = new BroadcastOperand(operand, rows, columns);
      return Array.from({ length: rows * columns }, (_, index) => spread.getValue(index));
    };
    const row = new Matrix(1, 2, [1, 2]);
    assert.deepEqual(elements(row, 2, 2), [1, 2, 1, 2]);
    assert.deepEqual(elements(row, 1, 3), [1, 2, NA]);
    assert.deepEqual(elements(new Matrix(2, 1, [1, 2]), 2, 2), [1, 1, 2, 2]);
    assert.deepEqual(elements('x', 1, 2), ['x', 'x']);
  });

  it('charges the budget for its result before creating it, and for the texts in it', () => {
    const spent = (op: ScalarOperator, a: Scalar | Matrix, b: Scalar | Matrix) => {
      const most = 1_000_000;
      let cells = 0;
      const spend = (amount: number) => {
        cells += amount;
        if (cells > most) throw new Error('budget');
      };
      assert.throws(() => applyToArrays(op, a, b, { ...UNBOUNDED, spendCells: spend, spendElements: spend }), /budget/);
    };
    const many = new Array<Scalar>(1_000_000).fill(1);
    spent('*', new Matrix(many.length, 1, many), new Matrix(1, many.length, many));
    spent('&', new Matrix(1_000, 1, many.slice(0, 1_000)), 'x'.repeat(30_000));
  });
});

describe('reading an area', () => {
  it('returns the values of its cells, across chunks and below the last filled row', () => {
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
          const data = readArea(sheet, { top, left, bottom: top + rows - 1, right: left + width - 1 }, UNBOUNDED);
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

describe('an array that spills', () => {
  it('leaves chunks unchanged whose values stay the same', () => {
    const book = new Book();
    const rows = Array.from({ length: 1_000 }, (_, i) => [i + 1]);
    book.set('A1', rows);
    book.set('C1', '=FILTER(A1:A1000;A1:A1000>0)');
    const revisions = () => [0, 1, 2, 3].map((block) => book.head.sheets[0]?.chunk(2, block)?.revision);
    const before = revisions();
    book.set('A600', 5_000);
    assert.equal(book.value('C600'), 5_000);
    // Row 600 is in the third chunk. The first chunk is not compared, because it contains the formula's own cell.
    assert.deepEqual([revisions()[1], revisions()[3]], [before[1], before[3]]);
    assert.equal(revisions()[2], book.head.revision);
    book.set('A1', -1);
    assert.equal(book.value('C1'), 2);
    assert.equal(book.value('C999'), 1_000);
    assert.equal(book.value('C1000'), null);
  });

  const blockers: readonly { name: string; at: string; blocks: boolean }[] = [
    { name: 'a value inside its area', at: 'C500', blocks: true },
    { name: 'a value in its last cell', at: 'D700', blocks: true },
    { name: 'a value below its area', at: 'D701', blocks: false },
    { name: 'a value next to its area', at: 'E300', blocks: false },
  ];
  for (const { name, at, blocks } of blockers) {
    it(`${blocks ? 'is blocked by' : 'is not blocked by'} ${name}`, () => {
      const book = new Book();
      book.set('C1', '=SEQUENCE(700;2)');
      book.set(at, 'here');
      assert.equal(book.plainValue('C1'), blocks ? '#SPILL!' : 1);
      book.clear(at);
      assert.equal(book.plainValue('C1'), 1);
      assert.equal(book.value('D700'), 1_400);
    });
  }

  it('is blocked by another spill', () => {
    const book = new Book();
    book.set('C300', '=SEQUENCE(5)');
    book.set('C1', '=SEQUENCE(400)');
    assert.equal(book.plainValue('C1'), '#SPILL!');
    assert.equal(book.value('C304'), 5);
    book.set('C300', '');
    assert.equal(book.value('C400'), 400);
  });

  it('contains 0 for blanks, errors and texts unchanged, and updates with each of them', () => {
    const book = new Book();
    book.set('A1', [['x'], [null], [true], ['=1/0'], [5]]);
    book.set('C1', '=A1:A5');
    assert.deepEqual(book.grid('C1:C5'), [['x'], [0], [true], ['#DIV/0!'], [5]]);
    book.set('A2', [['y'], [0], [7], ['']]);
    assert.deepEqual(book.grid('C1:C5'), [['x'], ['y'], [0], [7], [0]]);
  });
});

describe('an array formula of a fixed area', () => {
  const at = (ref: string) => parseArea(ref) ?? assert.fail(ref);
  const array = (ref: string, formula: string) => ({ value: null, formula, array: at(ref) });
  /** The expected contents of `area`. Column A contains 1, 2, 3 unless `cells` replaces it. */
  const cases: readonly {
    name: string;
    cells: Readonly<Record<string, string | number | ReturnType<typeof array>>>;
    area: string;
    holds: Scalar[][] | string[][];
  }[] = [
    {
      name: 'leads from one of its elements to another through a cell',
      cells: { A2: '=C1*10', C1: array('C1:C3', 'A1:A3+1') },
      area: 'C1:C3',
      holds: [[2], [21], [4]],
    },
    {
      name: 'leads through all of its elements',
      cells: { A2: '=C1', A3: '=C2', C1: array('C1:C3', 'A1:A3+1') },
      area: 'A1:C3',
      holds: [
        [1, null, 2],
        [2, null, 3],
        [3, null, 4],
      ],
    },
    {
      name: 'leads through another one',
      cells: { A2: '=D1', C1: array('C1:C3', 'A1:A3+1'), D1: array('D1:D3', 'C1:C3*2') },
      area: 'C1:D3',
      holds: [
        [2, 4],
        [5, 10],
        [4, 8],
      ],
    },
    {
      name: 'reads an error that its element does not change',
      cells: { B1: 'text', A2: '=B1-C1', C1: array('C1:C3', 'A1:A3+A1:A3') },
      area: 'C1:C3',
      holds: [[2], ['#VALUE!'], [6]],
    },
    {
      name: 'has an element in a circle, and one that follows it',
      cells: { A2: '=C2', C1: array('C1:C3', 'A1:A3+1') },
      area: 'A1:C3',
      holds: [
        [1, null, '#REF!'],
        ['#REF!', null, '#REF!'],
        [3, null, '#REF!'],
      ],
    },
    {
      name: 'hides that its elements are in a circle',
      cells: { A2: '=C2', C1: array('C1:C3', 'IFERROR(A1:A3,7)') },
      area: 'C1:C3',
      holds: [['#REF!'], ['#REF!'], ['#REF!']],
    },
    {
      name: 'reads itself',
      cells: { C1: array('C1:C3', 'IFERROR(C1:C3,0)*0') },
      area: 'C1:C3',
      holds: [['#REF!'], ['#REF!'], ['#REF!']],
    },
  ];
  for (const { name, cells, area, holds } of cases) {
    it(`${name}, in any calculation order and after edits`, () => {
      const inputs = { A1: 1, A2: 2, A3: 3, ...cells };
      const book = Book.fromFile({ sheets: { Sheet1: inputs } });
      assert.deepEqual(book.grid(area), holds);
      const backwards = Object.fromEntries(Object.entries(inputs).reverse());
      assert.deepEqual(Book.fromFile({ sheets: { Sheet1: backwards } }).grid(area), holds);
      book.set('A1', 5);
      book.set('A1', 1);
      assert.deepEqual(book.grid(area), holds);
    });
  }

  it('leaves cells outside its circle unchanged', () => {
    const cells = { A1: '=C3', A2: '=C1', A3: '=A5+1', A4: '=A5+2', A5: '=6', C1: array('C1:C4', 'A1:A4+SUM(A1)*0') };
    const book = Book.fromFile({ sheets: { Sheet1: cells } });
    assert.deepEqual(book.grid('A3:A5'), [[7], [8], [6]]);
    book.set('A5', 1);
    assert.deepEqual(book.grid('A3:A5'), [[2], [3], [1]]);
  });
});
