import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type CellData, cellView, Workbook } from '../../src/index.ts';
import { contextWith } from './dialect.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

function imported(cells: readonly CellData[]): Workbook {
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map() };
  const data = { settings: SETTINGS, names: [], tables: [], sheets: [{ ...sheet, cells }] };
  const workbook = Workbook.import(data, contextWith());
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

const content = fc.oneof<fc.Arbitrary<Partial<CellData>>[]>(
  fc.integer({ min: -9, max: 9 }).map((value) => ({ value })),
  fc.constantFrom('a', true, null).map((value) => ({ value })),
  fc.integer({ min: 1, max: 9 }).map((value) => ({ value, format: '0.00' })),
  fc.integer({ min: 1, max: 9 }).map((value) => ({ value, formula: `${value}+1`, dynamic: true })),
);
/** Rows of three chunks, most in long stretches; one cell a place. */
const cells = fc.uniqueArray(
  fc
    .tuple(fc.oneof(fc.nat(40), fc.integer({ min: 230, max: 290 }), fc.nat(700)), fc.nat(2), content)
    .map(([row, column, held]): CellData => ({ row, column, value: null, ...held })),
  { selector: ({ row, column }) => row * 3 + column, minLength: 1, maxLength: 200, size: 'max' },
);

function byColumns(a: CellData, b: CellData): number {
  return a.column - b.column || a.row - b.row;
}

describe('an import', () => {
  it('holds every cell that it was given, in whatever order they came', () => {
    fc.assert(
      fc.property(cells, fc.boolean(), (given, sorted) => {
        const { head } = imported(sorted ? given.slice().sort(byColumns) : given);
        const [sheet] = head.sheets;
        assert.ok(sheet);
        for (const { row, column, value, formula, format } of given) {
          const expected = formula === undefined ? value : (value as number) + 1;
          assert.equal(sheet.value(row, column), expected);
          if (format !== undefined) assert.equal(cellView(head, sheet.id, row, column)?.m, `${value}.00`);
        }
        const filled = given.filter(({ value }) => value !== null);
        const rows = Math.max(0, ...filled.map(({ row }) => row + 1));
        const columns = Math.max(0, ...filled.map(({ column }) => column + 1));
        assert.deepEqual(sheet.extent(), { rows, columns });
      }),
    );
  });

  it('holds values above and below a formula for which their column had to make room', () => {
    const { head } = imported([
      { row: 3, column: 0, value: 3 },
      { row: 30, column: 0, value: null, formula: 'A4+1', dynamic: true },
      { row: 4, column: 0, value: 4 },
      { row: 5, column: 0, value: 5, format: '0.00' },
      { row: 6, column: 0, value: 6 },
    ]);
    assert.deepEqual(
      [3, 4, 5, 6, 30].map((row) => head.sheets[0]?.value(row, 0)),
      [3, 4, 5, 6, 4],
    );
  });
});
