import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Edit, encodeCheckpoint, encodeInverse, type Snapshot, Workbook } from '@cellwire/engine';
import { isSmallBatch } from '../../src/documents/calculation/edit-size.ts';
import { CalculationPool } from '../../src/documents/calculation/pool.ts';

const { inline } = new CalculationPool(1);
const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const SHEET = 1;

function createContext() {
  const budget = { cells: 1e9, milliseconds: 60_000, clock: () => 0 };
  return { now: 0, seed: 1, budget };
}

function createFilledWorkbook(rows: number, columns: number): Workbook {
  const cells = [];
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) cells.push({ row, column, value: row + column });
  }
  const sheet = { name: 'Sheet1', hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells };
  const workbook = Workbook.import({ settings: SETTINGS, names: [], tables: [], sheets: [sheet] }, createContext());
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

const TALL = { rows: 50_000, columns: 4 };
const WIDE = { rows: 12, columns: 16_383 };
const TINY = { rows: 20, columns: 5 };

interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Builds an edit that undoes the given edits in a workbook of some size. Returns it with the state before it. */
function buildUndo(size: Size, edits: (size: Size) => readonly Edit[]) {
  const workbook = createFilledWorkbook(size.rows, size.columns);
  const applied = workbook.apply(edits(size), createContext());
  assert.equal(applied.kind, 'applied');
  if (applied.kind !== 'applied') throw new Error('refused');
  const edit: Edit = { kind: 'takeBack', inverse: encodeInverse(applied.change), locked: [] };
  return { edit, base: workbook.head };
}

const toWholeArea = ({ rows, columns }: Size) => ({ top: 0, left: 0, bottom: rows - 1, right: columns - 1 });

/** Edits over every cell of a document, one of each kind. */
const EDITS_OF_ALL_CELLS: Readonly<Record<string, (size: Size, base: Snapshot) => Edit>> = {
  clear: (size) => ({ kind: 'clear', sheet: SHEET, area: toWholeArea(size) }),
  setFormat: (size) => ({ kind: 'setFormat', sheet: SHEET, area: toWholeArea(size), format: '0.00' }),
  sort: (size) => ({ kind: 'sort', sheet: SHEET, area: toWholeArea(size), by: [{ column: 0, descending: true }] }),
  removeDuplicates: (size) => ({ kind: 'removeDuplicates', sheet: SHEET, area: toWholeArea(size), columns: [0] }),
  replace: (size) => {
    const options = { find: '1', with: '2', matchCase: false, entireCell: false, formulas: false };
    return { kind: 'replace', sheet: SHEET, area: toWholeArea(size), ...options };
  },
  copy: (size) => ({ kind: 'copy', sheet: SHEET, area: toWholeArea(size), toSheet: SHEET, row: size.rows, column: 0 }),
  fill: (size) => ({ kind: 'fill', sheet: SHEET, area: { ...toWholeArea(size), bottom: 0 }, to: toWholeArea(size) }),
  duplicateSheet: () => ({ kind: 'duplicateSheet', sheet: SHEET, name: 'Copy' }),
  deleteSheet: () => ({ kind: 'deleteSheet', sheet: SHEET }),
  restore: (_size, base) => ({ kind: 'restore', state: encodeCheckpoint(base, -1), locked: [] }),
  'insert of rows': () => ({
    kind: 'moveCells',
    move: { kind: 'insert', sheet: SHEET, axis: 'rows', at: 1, count: 1 },
  }),
  'delete of all rows': ({ rows }) => ({
    kind: 'moveCells',
    move: { kind: 'delete', sheet: SHEET, axis: 'rows', at: 0, count: rows },
  }),
  'reorder of rows': ({ rows }) => ({
    kind: 'moveCells',
    move: { kind: 'reorder', sheet: SHEET, axis: 'rows', at: 0, count: 1, to: rows },
  }),
  'insert of columns': () => ({
    kind: 'moveCells',
    move: { kind: 'insert', sheet: SHEET, axis: 'columns', at: 0, count: 1 },
  }),
  'cut of all cells': (size) => ({
    kind: 'moveCells',
    move: { kind: 'carry', sheet: SHEET, area: toWholeArea(size), toSheet: SHEET, row: size.rows + 5, column: 0 },
  }),
};

describe('the size of a batch', () => {
  const [tall, wide, tiny] = [TALL, WIDE, TINY].map(
    ({ rows, columns }) => createFilledWorkbook(rows, columns).head,
  ) as [Snapshot, Snapshot, Snapshot];

  for (const [name, edit] of Object.entries(EDITS_OF_ALL_CELLS)) {
    it(`exceeds the serving thread for ${name} over a large document, but not over a small one`, () => {
      assert.equal(isSmallBatch([edit(TALL, tall)], tall, inline), false, 'tall');
      assert.equal(isSmallBatch([edit(WIDE, wide)], wide, inline), false, 'wide');
      assert.equal(isSmallBatch([edit(TINY, tiny)], tiny, inline), true, 'tiny');
    });
  }

  it('depends on the edited cells, not on the document', () => {
    const one = { top: 5, left: 0, bottom: 5, right: 0 };
    const edits: readonly Edit[] = [
      { kind: 'clear', sheet: SHEET, area: one },
      { kind: 'sort', sheet: SHEET, area: { ...one, bottom: 9 }, by: [{ column: 0, descending: false }] },
      { kind: 'copy', sheet: SHEET, area: one, toSheet: SHEET, row: 9, column: 1 },
      { kind: 'setValues', sheet: SHEET, row: 0, column: 0, values: [[1, 2, 3]], mode: 'user' },
      { kind: 'addSheet' },
    ];
    assert.equal(isSmallBatch(edits, tall, inline), true);
    assert.equal(isSmallBatch(edits, wide, inline), true);
  });

  it('counts the columns of wide rows and the number of blocks', () => {
    const row = Array.from({ length: 16_000 }, (_, i) => i);
    const wideRow: Edit = { kind: 'setValues', sheet: SHEET, row: 0, column: 0, values: [row], mode: 'raw' };
    assert.equal(isSmallBatch([wideRow], tiny, inline), false);
    const createBlockEdit = (at: number): Edit => ({
      kind: 'setValues',
      sheet: SHEET,
      row: at,
      column: 0,
      values: [[1]],
      mode: 'raw',
    });
    assert.equal(
      isSmallBatch(
        Array.from({ length: 10_000 }, (_, i) => createBlockEdit(i)),
        tiny,
        inline,
      ),
      false,
    );
    assert.equal(
      isSmallBatch(
        Array.from({ length: 1_000 }, (_, i) => createBlockEdit(i)),
        tiny,
        inline,
      ),
      true,
    );
  });

  it('of an undo depends on the affected cells, not on its encoded length', () => {
    for (const edits of [
      (): readonly Edit[] => [{ kind: 'duplicateSheet', sheet: SHEET, name: 'Copy' }],
      (): readonly Edit[] => [
        { kind: 'moveCells', move: { kind: 'insert', sheet: SHEET, axis: 'rows', at: 0, count: 1 } },
      ],
      (size: Size): readonly Edit[] => [
        { kind: 'copy', sheet: SHEET, area: toWholeArea(size), toSheet: SHEET, row: size.rows, column: 0 },
      ],
    ]) {
      const large = buildUndo(TALL, edits);
      assert.ok(large.edit.kind === 'takeBack' && large.edit.inverse.length < 1_000);
      assert.equal(isSmallBatch([large.edit], large.base, inline), false);
      const small = buildUndo(TINY, edits);
      assert.equal(isSmallBatch([small.edit], small.base, inline), true);
    }
  });
});
