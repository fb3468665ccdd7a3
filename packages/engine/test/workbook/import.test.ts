import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type CellData,
  cellView,
  encodeCheckpoint,
  errorByCode,
  exportData,
  PackedCells,
  Workbook,
} from '../../src/index.ts';
import { contextWith } from './dialect.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

function imported(cells: Iterable<CellData>): Workbook {
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

/** No cell holds -0. */
function withoutSign(value: CellData['value']): CellData['value'] {
  return typeof value === 'number' ? value + 0 : value;
}

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

  it('is stored in the same bytes whether its values came one by one or packed', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.constant('long'.repeat(80)));
    const value = fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
    const format = fc.constantFrom(undefined, undefined, '0.00', '#,##0');
    const columns = fc.array(fc.array(fc.tuple(fc.option(value), format), { maxLength: 700, size: 'max' }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(columns, (given) => {
        const cells = given.flatMap((rows, column) =>
          rows.flatMap(([value, format], row): CellData[] =>
            value === null ? [] : [{ row, column, value, ...(format && { format }) }],
          ),
        );
        const packed = new PackedCells();
        const byRow = cells.slice().sort((a, b) => a.row - b.row || a.column - b.column);
        for (const cell of byRow) packed.put(cell.row, cell.column, cell.value, cell.format);
        assert.deepEqual(
          [...packed],
          cells.map((cell) => ({ ...cell, value: withoutSign(cell.value) })),
        );
        const stored = [cells, packed].map((held) => encodeCheckpoint(imported(held).head, -1));
        assert.deepEqual(stored[1], stored[0]);
      }),
      { numRuns: 30 },
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

describe('an export', () => {
  const filled = imported([
    { row: 0, column: 0, value: null, formula: '_xlfn.SEQUENCE(3)', dynamic: true },
    { row: 0, column: 1, value: null, formula: '_xlfn.SEQUENCE(3)', dynamic: true },
    { row: 2, column: 1, value: 'in the way' },
    {
      row: 0,
      column: 2,
      value: null,
      formula: 'A1:A2&"t"',
      array: { top: 0, left: 2, bottom: 1, right: 2 },
    },
    { row: 0, column: 3, value: null, formula: 'Z9' },
  ]);

  function exported(workbook: Workbook): CellData[] {
    return [...(exportData(workbook.head).sheets[0]?.cells ?? [])].sort(byColumns);
  }

  it('lists what array formulas fill, as their results', () => {
    assert.deepEqual(
      exported(filled).map(({ row, column, value, spilled = false }) => [row, column, value, spilled]),
      [
        [0, 0, 1, false],
        [1, 0, 2, true],
        [2, 0, 3, true],
        [0, 1, errorByCode('#SPILL!'), false],
        [2, 1, 'in the way', false],
        [0, 2, '1t', false],
        [1, 2, '2t', true],
        [0, 3, 0, false],
      ],
    );
  });

  it('gives an array that waits for room no area: what stands there is not its own', () => {
    const [waiting] = exported(filled).filter(({ column }) => column === 1);
    assert.deepEqual([waiting?.dynamic, waiting?.array], [true, undefined]);
  });

  it('is imported again as what it was', () => {
    assert.deepEqual(exported(imported(exported(filled))), exported(filled));
  });
});
