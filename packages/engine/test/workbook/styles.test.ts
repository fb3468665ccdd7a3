import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Move } from '../../src/grid/move.ts';
import {
  applyDelta,
  type Band,
  cellView,
  type Edit,
  encodeCheckpoint,
  encodeDelta,
  encodeInverse,
  exportData,
  type Layout,
  restoreCheckpoint,
  type Snapshot,
  Workbook,
  type WorkbookData,
} from '../../src/index.ts';
import { FormatTable, MAX_FORMATS } from '../../src/sheet/formats.ts';
import { moveCells } from '../../src/sheet/moves/move-cells.ts';
import { createContext, describeContents, ThreadCopy } from './book.ts';

const LAYOUT = {
  columns: [{ first: 1, last: 2, size: 30, custom: true as const }],
  rows: [{ first: 4, last: 9, size: 12.5, style: 'tall' }],
  merges: [{ top: 5, left: 0, bottom: 6, right: 1 }],
  attachments: [],
  carried: { view: '<pane/>' },
};

const DATA: WorkbookData = {
  settings: { locale: 'ru-RU', dateSystem: 'google', timeZone: 'UTC' },
  names: [],
  tables: [],
  carried: { theme: 'dark' },
  sheets: [
    {
      name: 'Sheet1',
      hidden: false,
      color: null,
      hiddenRows: [],
      columnFormats: new Map([[4, '0.00']]),
      columnStyles: new Map([[4, 'striped']]),
      layout: LAYOUT,
      cells: [
        { row: 0, column: 0, value: 5, format: 'dd.mm.yyyy', style: 'bold' },
        { row: 0, column: 1, value: null, formula: 'A1+1', style: 'red' },
        { row: 0, column: 2, value: null, style: 'boxed' },
        { row: 0, column: 3, value: 7 },
        { row: 0, column: 4, value: 8 },
      ],
    },
  ],
};

function importWorkbook(): Workbook {
  const workbook = Workbook.import(DATA, createContext());
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

/** The style and number format of cells of the first row, by column. */
function listStylesAndFormats(snapshot: Snapshot, columns: readonly number[] = [0, 1, 2, 3, 4, 5]): readonly string[] {
  return columns.map((column) => {
    const { style, code } = snapshot.formats.get(snapshot.sheets[0]?.format(0, column) ?? 0);
    return `${style} ${code}`;
  });
}

const AS_IMPORTED = ['bold dd.mm.yyyy', 'red dd.mm.yyyy', 'boxed General', ' General', ' General', ' General'];

function enterValue(workbook: Workbook, column: number, input: string | number): void {
  const edit = { kind: 'setValues', sheet: 1, row: 0, column, values: [[input]], mode: 'user' } as const;
  assert.equal(workbook.apply([edit], createContext()).kind, 'applied');
}

describe('a style', () => {
  it('is imported with the number format, also an inferred one, and does not apply to other cells of the column', () => {
    assert.deepEqual(listStylesAndFormats(importWorkbook().head), AS_IMPORTED);
  });

  it('stays when a value is entered, typed as a date, cleared, or given another number format', () => {
    const workbook = importWorkbook();
    enterValue(workbook, 2, '01.02.2026');
    enterValue(workbook, 1, 'text');
    workbook.apply([{ kind: 'clear', sheet: 1, area: { top: 0, left: 0, bottom: 0, right: 0 } }], createContext());
    const area = { top: 0, left: 3, bottom: 0, right: 3 };
    workbook.apply([{ kind: 'setFormat', sheet: 1, area, format: '0%' }], createContext());
    assert.deepEqual(listStylesAndFormats(workbook.head, [0, 1, 2, 3]), [
      'bold dd.mm.yyyy',
      'red dd.mm.yyyy',
      'boxed dd.mm.yyyy',
      ' 0%',
    ]);
  });

  it('is not inherited by a formula’s result, unlike the number format', () => {
    const workbook = importWorkbook();
    enterValue(workbook, 5, '=A1+1');
    enterValue(workbook, 6, '=C1');
    assert.deepEqual(listStylesAndFormats(workbook.head, [5, 6]), [' dd.mm.yyyy', ' General']);
  });

  it('changes no value', () => {
    const { head } = importWorkbook();
    enterValue(importWorkbook(), 2, 12.5);
    assert.deepEqual(cellView(head, 1, 0, 1), { v: 6, m: '05.01.1900', f: '=A1+1', t: 'd' });
    assert.equal(cellView(head, 1, 0, 2), null);
  });

  it('is kept in checkpoints, other threads and replicas, with layouts and opaque parts of a file', () => {
    const workbook = importWorkbook();
    const { meta, chunks } = encodeCheckpoint(workbook.head, -1);
    const restored = restoreCheckpoint(meta, chunks);
    const thread = new ThreadCopy();
    const first = thread.receiveChange(workbook.head);
    const before = workbook.head;
    enterValue(workbook, 2, '01.02.2026');
    const delta = encodeDelta({ moves: [], moved: before, after: workbook.head });
    const copies = [
      [restored, AS_IMPORTED[2]],
      [first, AS_IMPORTED[2]],
      [applyDelta(restored, delta), 'boxed dd.mm.yyyy'],
      [thread.receiveChange(workbook.head), 'boxed dd.mm.yyyy'],
    ] as const;
    for (const [copy, expectedStyle] of copies) {
      assert.deepEqual(listStylesAndFormats(copy), AS_IMPORTED.with(2, expectedStyle ?? ''));
      assert.deepEqual(copy.sheets[0]?.layout, LAYOUT);
      assert.deepEqual(copy.carried, DATA.carried);
    }
  });

  it('is exported as it was imported', () => {
    const { carried, sheets } = exportData(importWorkbook().head);
    const [sheet] = sheets;
    assert.deepEqual(carried, DATA.carried);
    assert.deepEqual(sheet?.layout, LAYOUT);
    assert.deepEqual([sheet?.columnFormats, sheet?.columnStyles], [new Map([[4, '0.00']]), new Map([[4, 'striped']])]);
    assert.deepEqual(
      [...(sheet?.cells ?? [])].map(({ column, style, format }) => [column, style, format]),
      [
        [0, 'bold', 'dd.mm.yyyy'],
        [1, 'red', 'dd.mm.yyyy'],
        [2, 'boxed', undefined],
        [3, undefined, undefined],
        [4, undefined, undefined],
      ],
    );
  });
});

describe('a layout', () => {
  function layoutAfter(move: Move): Layout | undefined {
    const before = importWorkbook().head;
    return moveCells(before, move, before.revision + 1).sheets[0]?.layout;
  }
  const lines = (kind: 'insert' | 'delete', axis: 'rows' | 'columns', at: number, count: number): Move => ({
    kind,
    sheet: 1,
    axis,
    at,
    count,
  });
  const spans = (bands: readonly Band[] | undefined) => bands?.map(({ first, last }) => [first, last]);

  const mergedArea = (top: number, left: number, bottom: number, right: number) => ({ top, left, bottom, right });

  it('follows inserted and deleted rows: heights move, merged ranges grow, shrink and disappear', () => {
    assert.deepEqual(layoutAfter(lines('insert', 'rows', 6, 2))?.merges, [mergedArea(5, 0, 8, 1)]);
    assert.deepEqual(spans(layoutAfter(lines('insert', 'rows', 6, 2))?.rows), [
      [4, 5],
      [8, 11],
    ]);
    assert.deepEqual(layoutAfter(lines('delete', 'rows', 0, 3))?.merges, [mergedArea(2, 0, 3, 1)]);
    assert.deepEqual(spans(layoutAfter(lines('delete', 'rows', 0, 6))?.rows), [[0, 3]]);
    assert.deepEqual(layoutAfter(lines('delete', 'rows', 5, 2))?.merges, []);
  });

  it('follows inserted and deleted columns', () => {
    assert.deepEqual(spans(layoutAfter(lines('insert', 'columns', 0, 1))?.columns), [[2, 3]]);
    assert.deepEqual(layoutAfter(lines('insert', 'columns', 0, 1))?.merges, [mergedArea(5, 1, 6, 2)]);
    assert.deepEqual(spans(layoutAfter(lines('delete', 'columns', 1, 1))?.columns), [[1, 1]]);
  });

  it('follows merged ranges that are cut and pasted', () => {
    const carry = { kind: 'carry', sheet: 1, area: mergedArea(5, 0, 6, 1), toSheet: 1, row: 9, column: 4 } as const;
    assert.deepEqual(layoutAfter(carry)?.merges, [mergedArea(9, 4, 10, 5)]);
  });

  it('is the same in replicas after a move', () => {
    const workbook = importWorkbook();
    const before = workbook.head;
    const rows = { kind: 'moveCells', move: lines('insert', 'rows', 6, 2) } as const;
    const outcome = workbook.apply([rows], createContext());
    assert.ok(outcome.kind === 'applied');
    const replica = applyDelta(before, encodeDelta(outcome.change));
    assert.deepEqual(replica.sheets[0]?.layout, workbook.head.sheets[0]?.layout);
    assert.deepEqual(replica.sheets[0]?.layout.merges, [mergedArea(5, 0, 8, 1)]);
  });

  const carry = { kind: 'carry', sheet: 1, area: mergedArea(5, 0, 6, 1), toSheet: 1, row: 9, column: 4 } as const;
  const reorder = { kind: 'reorder', sheet: 1, axis: 'rows', at: 5, count: 2, to: 0 } as const;
  for (const [title, move] of [
    ['inserted rows', lines('insert', 'rows', 6, 2)],
    ['deleted rows', lines('delete', 'rows', 3, 4)],
    ['deletion of all rows', lines('delete', 'rows', 0, 20)],
    ['deleted columns', lines('delete', 'columns', 0, 2)],
    ['rows that changed places', reorder],
    ['cells that were cut', carry],
  ] as const) {
    it(`is restored with hidden rows by an undo, and removed by a redo: ${title}`, () => {
      const hidden = { ...DATA, sheets: DATA.sheets.map((sheet) => ({ ...sheet, hiddenRows: [4, 6, 30] })) };
      const workbook = Workbook.import(hidden, createContext());
      assert.ok(workbook instanceof Workbook);
      const setUp = [
        [8, 'user', [['=SUBTOTAL(109;D:D)']]],
        [3, 'raw', Array.from({ length: 8 }, (_, i) => [2 ** i])],
      ] as const;
      for (const [column, mode, values] of setUp) {
        const edit = { kind: 'setValues', sheet: 1, row: 0, column, values, mode } as const;
        assert.equal(workbook.apply([edit], createContext()).kind, 'applied');
      }
      const before = workbook.head;
      const perform = (edit: Edit) => {
        const outcome = workbook.apply([edit], createContext());
        assert.ok(outcome.kind === 'applied', edit.kind);
        assert.deepEqual(
          describeContents(applyDelta(outcome.change.before, encodeDelta(outcome.change))),
          describeContents(workbook.head),
        );
        return encodeInverse(outcome.change);
      };
      const back = perform({ kind: 'moveCells', move });
      const after = describeContents(workbook.head);
      const redo = perform({ kind: 'takeBack', inverse: back, locked: [] });
      assert.deepEqual(describeContents(workbook.head), describeContents(before));
      perform({ kind: 'takeBack', inverse: redo, locked: [] });
      assert.deepEqual(describeContents(workbook.head), after);
      perform({ kind: 'restore', state: encodeCheckpoint(before, -1), locked: [] });
      assert.deepEqual(describeContents(workbook.head), describeContents(before));
    });
  }
});

describe('a stored document', () => {
  it('from a version without styles can be opened', () => {
    const { meta, chunks } = encodeCheckpoint(importWorkbook().head, -1);
    const text = new TextDecoder('latin1').decode(meta);
    const json = JSON.parse(text.slice(text.indexOf('{')));
    const { carried: _, ...old } = { ...json, version: 1 };
    const restored = restoreCheckpoint(encodeStoredText(JSON.stringify(old)), chunks);
    assert.deepEqual(restored.carried, {});
    assert.equal(restored.sheets[0]?.value(0, 0), 5);
  });

  it('of a later version is refused', () => {
    const text = JSON.stringify({ version: 5 });
    assert.throws(() => restoreCheckpoint(encodeStoredText(text), []), /version 5/);
  });
});

/** A text in the format of checkpoints: twice its length, then one byte per character. */
function encodeStoredText(text: string): Uint8Array {
  const bytes: number[] = [];
  let length = text.length * 2;
  for (; length >= 128; length = Math.floor(length / 128)) bytes.push((length % 128) | 128);
  bytes.push(length);
  return Uint8Array.from([...bytes, ...new TextEncoder().encode(text)]);
}

describe('a table of formats', () => {
  it('that is full adds no format, and uses General in an existing style', () => {
    const table = new FormatTable();
    const bold = table.ensureFormat('', false, 'bold');
    for (let i = 0; table.size < MAX_FORMATS; i++) table.ensureFormat(`0"${i}"`);
    assert.equal(table.ensureFormat('yyyy'), 0);
    assert.equal(table.combineStyle(table.ensureFormat('0"1"'), bold), bold);
  });
});
