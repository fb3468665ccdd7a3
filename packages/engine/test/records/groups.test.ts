import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isError, type Scalar, type Snapshot } from '../../src/index.ts';
import type { RecordCell } from '../../src/records/block-reader.ts';
import { type Aggregation, groupRows, type Region, RowSearch } from '../../src/records/index.ts';
import { Book } from '../workbook/book.ts';
import { readColumns, runToEnd } from './support.ts';

/** More rows than one block has. */
const ROWS = 600;
const NO_TYPES = new Map();
const EVERYTHING = { all: [], oneOf: null, none: [], caseSensitive: false };
const KINDS: readonly Aggregation[] = ['sum', 'count', 'average', 'min', 'max', 'countDistinct'];

function listAllRows(head: Snapshot, region: Region): Uint32Array {
  return runToEnd(new RowSearch(EVERYTHING, NO_TYPES).findRows(head, region, null));
}

const getFirstField = ([cell]: readonly RecordCell[]) => cell?.field;

/** Texts, some of which are equal by some comparison, and texts that occur in only one block. */
const label = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('Riga', 'riga', 'RIGA ', 'Я', 'я', 'ß', 'a', 'b', '', 7, 7.5, true, "'7") },
  { weight: 1, arbitrary: fc.nat(400).map((n) => `A-${n}`) },
);
const amount = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: -50, max: 50 }) },
  { weight: 2, arbitrary: fc.constantFrom(0.5, '', 'x', 'X', true, "'12") },
);

/** A simple implementation of an aggregate. */
function computeFigure(kind: Aggregation, cells: readonly Scalar[]): Scalar | { readonly error: string } {
  const filledCells = cells.filter((cell) => cell !== null && cell !== '');
  if (kind === 'count') return filledCells.length;
  if (kind === 'countDistinct') return new Set(filledCells.map(createGroupKey)).size;
  const error = filledCells.find(isError);
  if (error !== undefined) return { error: error.code };
  const numbers = filledCells.filter((cell) => typeof cell === 'number');
  if (kind === 'sum') return numbers.reduce((sum, number) => sum + number, 0);
  if (kind === 'average') return numbers.length === 0 ? null : numbers.reduce((a, b) => a + b, 0) / numbers.length;
  if (numbers.length > 0) return kind === 'min' ? Math.min(...numbers) : Math.max(...numbers);
  const texts = filledCells.filter((cell) => typeof cell === 'string').map((text) => text.toLowerCase());
  return texts.sort().at(kind === 'min' ? 0 : -1) ?? filledCells[0] ?? null;
}

function createGroupKey(cell: Scalar): string {
  if (typeof cell === 'string' && cell !== '') return `text ${cell.toLowerCase()}`;
  return isError(cell) ? cell.code : `other ${cell === '' ? null : cell}`;
}

describe('groups of records', () => {
  it('have the aggregates of their records', () => {
    const rows = fc.array(fc.tuple(label, label, amount), { minLength: ROWS, maxLength: ROWS, size: 'max' });
    fc.assert(
      fc.property(rows, fc.constantFrom([], [0], [1, 0]), fc.boolean(), (values, groupBy, hasError) => {
        const book = new Book();
        book.set('A1', [['One', 'Two', 'Amount'], ...values]);
        if (hasError) book.set('C300', [['=1/0'], ['=NA()']]);
        const { head } = book;
        const region = readColumns(head, 3);
        const recordRows = listAllRows(head, region);
        const measures = KINDS.map((kind) => ({ kind, at: 2 }));
        const grouping = { groupBy, measures, caseSensitive: false, limit: 100_000 };
        const groups = runToEnd(groupRows(head, region, recordRows, { grouping, types: NO_TYPES }));

        const expected = new Map<string, Scalar[]>(groupBy.length === 0 ? [['', []]] : []);
        const cell = (row: number, column: number): Scalar => head.sheets[0]?.value(row, column) ?? null;
        for (const row of recordRows) {
          const key = groupBy.map((at) => createGroupKey(cell(row, at))).join(' | ');
          const groupCells = expected.get(key) ?? [];
          groupCells.push(cell(row, 2));
          expected.set(key, groupCells);
        }
        assert.deepEqual(
          groups?.map(({ figures }) =>
            figures.map(({ field }) => (typeof field === 'string' ? field.toLowerCase() : field)),
          ),
          [...expected.values()].map((cells) => KINDS.map((kind) => computeFigure(kind, cells))),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('distinguish texts from values that look the same, and ignore letter case', () => {
    const book = new Book();
    book.set('A1', [
      ['A', 'B'],
      ["'TRUE", 1],
      [true, 2],
      ["'7", 4],
      [7, 8],
      ['x', 16],
      ['X', 32],
      ['', 64],
      ["'null", 128],
    ]);
    const { head } = book;
    const region = readColumns(head, 3);
    const rows = listAllRows(head, region);
    const grouping = { groupBy: [0], measures: [{ kind: 'sum' as const, at: 1 }], caseSensitive: false, limit: 100 };
    const groups = runToEnd(groupRows(head, region, rows, { grouping, types: NO_TYPES }));
    assert.deepEqual(
      groups?.map(({ values, figures }) => [getFirstField(values), getFirstField(figures)]),
      [
        ['TRUE', 1],
        [true, 2],
        ['7', 4],
        [7, 8],
        ['x', 48],
        [null, 64],
        ['null', 128],
      ],
    );
  });

  it('have one group for empty cells, within and below the cells of a column', () => {
    const book = new Book();
    const count = 400;
    // The second block of the first column contains only numbers, and ends before that of the second column.
    const days = Array.from({ length: 300 }, (_, i) => (i === 5 ? '' : [7, 70_000, 0.5, -3][i % 4]!));
    book.set('A1', [['Day'], ...days.map((day) => [day])]);
    book.set('B1', [['Sum'], ...Array.from({ length: count }, () => [1])]);
    const region = readColumns(book.head, 2);
    const rows = listAllRows(book.head, region);
    const measures = [
      { kind: 'sum' as const, at: 1 },
      { kind: 'average' as const, at: 0 },
    ];
    const grouping = { groupBy: [0], measures, caseSensitive: false, limit: 100 };
    const groups = runToEnd(groupRows(book.head, region, rows, { grouping, types: NO_TYPES }));
    assert.deepEqual(
      groups?.map(({ values, figures }) => [getFirstField(values), ...figures.map(({ field }) => field)]),
      [
        [7, 75, 7],
        [70_000, 74, 70_000],
        [0.5, 75, 0.5],
        [-3, 75, -3],
        [null, 101, null],
      ],
    );
  });
});
