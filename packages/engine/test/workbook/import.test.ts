import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type CellData,
  cellView,
  drainCheckpoint,
  encodeCheckpoint,
  errorByCode,
  exportData,
  FIRST_SHEET_ID,
  type GiveChunk,
  PackedCells,
  PackedFormats,
  restoreCheckpoint,
  type Snapshot,
  type StoredChunk,
  Workbook,
} from '../../src/index.ts';
import { createContext } from './book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;

function importCells(cells: Iterable<CellData>, columnFormats: ReadonlyMap<number, string> = new Map()): Workbook {
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats };
  const data = { settings: SETTINGS, names: [], tables: [], sheets: [{ ...sheet, cells }] };
  const workbook = Workbook.import(data, createContext());
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

const content = fc.oneof<fc.Arbitrary<Partial<CellData>>[]>(
  fc.integer({ min: -9, max: 9 }).map((value) => ({ value })),
  fc.constantFrom('a', true, null).map((value) => ({ value })),
  fc.integer({ min: 1, max: 9 }).map((value) => ({ value, format: '0.00' })),
  fc.integer({ min: 1, max: 9 }).map((value) => ({ value, formula: `${value}+1`, dynamic: true })),
);
/** Cells in rows of three chunks, many of them adjacent, at different positions. */
const cells = fc.uniqueArray(
  fc
    .tuple(fc.oneof(fc.nat(40), fc.integer({ min: 230, max: 290 }), fc.nat(700)), fc.nat(2), content)
    .map(([row, column, content]): CellData => ({ row, column, value: null, ...content })),
  { selector: ({ row, column }) => row * 3 + column, minLength: 1, maxLength: 200, size: 'max' },
);

/** Packs cells in the order of a file, row by row. */
function packCells(cells: readonly CellData[], columnFormats: ReadonlyMap<number, string>): PackedCells {
  const packedFormats = new PackedFormats();
  const packed = new PackedCells({
    packedFormats,
    findColumnFormat: (column) => packedFormats.ensureFormat(columnFormats.get(column)),
  });
  for (const { row, column, value, format, style } of [...cells].sort((a, b) => a.row - b.row || a.column - b.column)) {
    packed.put(row, column, value, packedFormats.ensureFormat(format, style));
  }
  return packed;
}

/** Converts -0 to 0, because cells do not contain -0. */
function removeSign(value: CellData['value']): CellData['value'] {
  return typeof value === 'number' ? value + 0 : value;
}

function compareByColumn(a: CellData, b: CellData): number {
  return a.column - b.column || a.row - b.row;
}

describe('an import', () => {
  it('contains every cell, in any order of the input', () => {
    fc.assert(
      fc.property(cells, fc.boolean(), (cellData, sorted) => {
        const { head } = importCells(sorted ? cellData.slice().sort(compareByColumn) : cellData);
        const [sheet] = head.sheets;
        assert.ok(sheet);
        for (const { row, column, value, formula, format } of cellData) {
          const expected = formula === undefined ? value : (value as number) + 1;
          assert.equal(sheet.value(row, column), expected);
          if (format !== undefined) assert.equal(cellView(head, sheet.id, row, column)?.m, `${value}.00`);
        }
        const filledCells = cellData.filter(({ value }) => value !== null);
        const rows = Math.max(0, ...filledCells.map(({ row }) => row + 1));
        const columns = Math.max(0, ...filledCells.map(({ column }) => column + 1));
        assert.deepEqual(sheet.extent(), { rows, columns });
      }),
    );
  });

  it('contains a long text that is the only text of its block', () => {
    const long = 'long'.repeat(80);
    const values = new Map<number, CellData['value']>([
      [0, 'name'],
      [256, 1],
      [257, long],
      [512, 2],
    ]);
    const cells = Array.from(values, ([row, value]): CellData => ({ row, column: 0, value }));
    assert.deepEqual([...packCells(cells, new Map())], cells);
  });

  it('is stored in the same bytes for single and for packed cells', () => {
    const texts = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 4 }), fc.constant('long'.repeat(80)));
    const value = fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
    const look = fc.constantFrom({}, {}, { format: '0.00' }, { format: '#,##0', style: 'bold' }, { style: 'bold' });
    const columns = fc.array(fc.array(fc.tuple(fc.option(value), look), { maxLength: 700, size: 'max' }), {
      maxLength: 3,
    });
    const columnFormats = fc.dictionary(fc.constantFrom('0', '1'), fc.constantFrom('0.00', '0%'), { maxKeys: 2 });
    fc.assert(
      fc.property(columns, columnFormats, (values, formats) => {
        const formatsByColumn = new Map(Object.entries(formats).map(([column, format]) => [Number(column), format]));
        const cells = values.flatMap((rows, column) =>
          rows.flatMap(([value, look], row): CellData[] =>
            value === null && !('style' in look) ? [] : [{ row, column, value, ...look }],
          ),
        );
        const packed = packCells(cells, formatsByColumn);
        assert.deepEqual(
          [...packed],
          cells.map((cell) => ({ ...cell, value: removeSign(cell.value) })),
        );
        const checkpoints = [cells, packed].map((input) =>
          encodeCheckpoint(importCells(input, formatsByColumn).head, -1),
        );
        assert.deepEqual(checkpoints[1], checkpoints[0]);
      }),
      { numRuns: 30 },
    );
  });

  it('accepts formulas after packed values, and refuses values above the last packed block', () => {
    const formula: CellData = { row: 1, column: 0, value: null, formula: 'A1*2', dynamic: true };
    const laterCells = [formula];
    const packed = new PackedCells({
      others: { [Symbol.iterator]: () => laterCells.values(), drain: () => laterCells.splice(0) },
    });
    assert.ok(packed.put(0, 0, 21) && packed.put(300, 0, 'below'));
    assert.equal(packed.put(2, 0, 'above'), false);
    assert.deepEqual([...packed], [{ row: 0, column: 0, value: 21 }, { row: 300, column: 0, value: 'below' }, formula]);
    const { head } = importCells(packed);
    assert.deepEqual(
      [0, 1, 2, 300].map((row) => head.sheets[0]?.value(row, 0)),
      [21, 42, null, 'below'],
    );
    assert.deepEqual(laterCells, []);
  });

  it('is the same document if chunks are stored while the file is read', () => {
    const cells = Array.from({ length: 1_600 }, (_, i): CellData => {
      const [row, column] = [i >> 1, i & 1];
      return {
        row,
        column,
        value: i % 3 ? `text ${row}` : i,
        ...(i % 5 === 0 && { format: row > 500 ? '0%' : '0.00' }),
      };
    });
    const storedChunks: StoredChunk[] = [];
    const packedFormats = new PackedFormats();
    const give: GiveChunk = (chunk) => storedChunks.push({ sheet: FIRST_SHEET_ID, ...chunk() }) > 0;
    const packed = new PackedCells({ packedFormats, give });
    for (const { row, column, value, format } of cells)
      packed.put(row, column, value, packedFormats.ensureFormat(format));
    assert.equal(storedChunks.length, 6);
    const { head } = importCells(packed);
    const { meta } = drainCheckpoint(head, packedFormats.storedFormats(), (chunk) => storedChunks.push(chunk));
    assert.equal(head.sheets[0]?.value(799, 0), null, 'stored chunks are released');
    const restored = restoreCheckpoint(meta, storedChunks);
    const listed = (snapshot: Snapshot) => [...(exportData(snapshot).sheets[0]?.cells ?? [])];
    assert.deepEqual(listed(restored), listed(importCells(cells).head));
  });

  it('keeps values above and below a formula', () => {
    const { head } = importCells([
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
  const filledWorkbook = importCells([
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

  function exportCells(workbook: Workbook): CellData[] {
    return [...(exportData(workbook.head).sheets[0]?.cells ?? [])].sort(compareByColumn);
  }

  it('marks the cells of array formulas as results', () => {
    assert.deepEqual(
      exportCells(filledWorkbook).map(({ row, column, value, spilled = false }) => [row, column, value, spilled]),
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

  it('contains no area for a blocked array', () => {
    const [blockedCell] = exportCells(filledWorkbook).filter(({ column }) => column === 1);
    assert.deepEqual([blockedCell?.dynamic, blockedCell?.array], [true, undefined]);
  });

  it('is the same after another import', () => {
    assert.deepEqual(exportCells(importCells(exportCells(filledWorkbook))), exportCells(filledWorkbook));
  });
});
