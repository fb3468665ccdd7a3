import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { elementAt } from '../../../../test/elements.ts';
import { columnName } from '../../src/grid/a1.ts';
import { type Edit, type Input, Workbook } from '../../src/index.ts';
import { CHUNK_ROWS } from '../../src/sheet/chunk.ts';
import { Book, createContext, describeContents, replayBatch, storeAndRestore } from './book.ts';

/** Columns A to D, and enough rows for block calculation, so that all calculation paths run. */
const COLUMNS = 4;
const ROWS = 12;

/** A placeholder for a reference: `{B-1}` is column B in the row above, `{B=3}` column B in row 3 of the block, from 0. */
const reference = fc
  .tuple(
    fc.nat(COLUMNS - 1).map(columnName),
    fc.oneof(
      fc.integer({ min: -2, max: 2 }).map((rows) => (rows < 0 ? `${rows}` : `+${rows}`)),
      fc.nat(ROWS - 1).map((row) => `=${row}`),
    ),
  )
  .map(([column, row]) => `{${column}${row}}`);
const range = fc.tuple(reference, reference).map(([a, b]) => `${a}:${b}`);

const formula = fc.oneof(
  fc.tuple(reference, fc.constantFrom('+', '-', '*', '&', '/'), reference).map(([a, op, b]) => `=${a}${op}${b}`),
  fc.tuple(reference, fc.integer({ min: 0, max: 3 })).map(([a, n]) => `=${a}+${n}`),
  fc.tuple(fc.constantFrom('SUM', 'COUNT', 'MAX', 'AVERAGE'), range).map(([name, cells]) => `=${name}(${cells})`),
  fc.tuple(reference, reference, reference).map(([a, b, c]) => `=IF(${a}>1;${b};${c})`),
  fc.tuple(reference, reference).map(([a, b]) => `=IFERROR(${a};${b})`),
  reference.map((a) => `=INDIRECT("${a}")+1`),
  fc.tuple(reference, reference).map(([a, b]) => `=SUM(${a}:OFFSET(${b};0;0))`),
  fc.tuple(reference, range).map(([a, cells]) => `=VLOOKUP(${a};${cells};1;FALSE)`),
);

/** Replaces the placeholders of a formula for a row, counted from 0. `top` is the first row on the sheet. */
function fillPlaceholders(formula: string, row: number, top: number): string {
  return formula.replaceAll(/\{([A-Z])([-+=])([0-9]+)\}/g, (_, column: string, kind: string, rows: string) => {
    if (kind === '=') return `${column}$${top + Number(rows) + 1}`;
    const at = top + row + Number(kind + rows);
    return at < 0 ? '#REF!' : `${column}${at + 1}`;
  });
}

interface Block {
  readonly column: number;
  readonly first: number;
  readonly last: number;
  readonly formula: string;
}

const block: fc.Arbitrary<Block> = fc
  .record({ column: fc.nat(COLUMNS - 1), a: fc.nat(ROWS - 1), b: fc.nat(ROWS - 1), formula })
  .map(({ column, a, b, formula }) => ({ column, first: Math.min(a, b), last: Math.max(a, b), formula }));
const literal = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom<Input>(1, 2, 3, 0.1, 0.3, -0.3, -0.1, -1, 1e15, 1e-9, 1e16, -1e16, 1 + 2 ** -49),
  },
  { weight: 1, arbitrary: fc.constantFrom<Input>('x', '', true, '01.02.2026', '5%', 1e308, '3') },
);
const grid = fc.array(fc.array(literal, { minLength: COLUMNS, maxLength: COLUMNS }), {
  minLength: ROWS,
  maxLength: ROWS,
});

function createColumnEdit({ column, first, last, formula }: Block, top: number): Edit {
  const values = Array.from({ length: last - first + 1 }, (_, i) => [fillPlaceholders(formula, first + i, top)]);
  return { kind: 'setValues', sheet: 1, row: top + first, column, values, mode: 'user' };
}

function createCellEdits({ column, first, last, formula }: Block, top: number): Edit[] {
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const values = [[fillPlaceholders(formula, first + i, top)]];
    return { kind: 'setValues', sheet: 1, row: top + first + i, column, values, mode: 'user' };
  });
}

function createBookWithValues(plain: readonly (readonly Input[])[], top: number): Book {
  const book = new Book();
  book.apply([{ kind: 'setValues', sheet: 1, row: top, column: 0, values: plain, mode: 'user' }]);
  return book;
}

function calculateNewWorkbook(book: Book): unknown {
  const fresh = Workbook.open(storeAndRestore(book.head));
  fresh.apply([{ kind: 'recalculate', everything: true }], createContext());
  return describeContents(fresh.head);
}

function shuffle(edits: readonly Edit[], order: Iterator<number>): Edit[] {
  const remaining = edits.slice();
  return edits.map(() => elementAt(remaining.splice(order.next().value % remaining.length, 1), 0));
}

describe('a formula filled down a column', () => {
  it('has the same results as formulas written one by one in any order', () => {
    fc.assert(
      fc.property(
        grid,
        fc.constantFrom(0, CHUNK_ROWS - 6),
        fc.array(block, { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.nat()),
        fc.record({ value: literal, row: fc.nat(ROWS - 1), column: fc.nat(COLUMNS - 1) }),
        (plain, top, blocks, order, later) => {
          const book = createBookWithValues(plain, top);
          const single = createBookWithValues(plain, top);
          for (const next of blocks) {
            book.apply([createColumnEdit(next, top)]);
            for (const edit of shuffle(createCellEdits(next, top), order)) single.apply([edit]);
            assert.deepEqual(describeContents(single.head), describeContents(book.head));
          }
          assert.deepEqual(calculateNewWorkbook(book), describeContents(book.head));
          const before = storeAndRestore(book.head);
          const { row, column: at, value } = later;
          const edit: Edit = {
            kind: 'setValues',
            sheet: 1,
            row: top + row,
            column: at,
            values: [[value]],
            mode: 'user',
          };
          const batch = book.apply([edit]);
          single.workbook = Workbook.open(storeAndRestore(single.head));
          single.apply([edit]);
          assert.deepEqual(describeContents(single.head), describeContents(book.head));
          assert.deepEqual(calculateNewWorkbook(book), describeContents(book.head));
          assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
        },
      ),
      { numRuns: scaleRunCount(150) },
    );
  });
});
