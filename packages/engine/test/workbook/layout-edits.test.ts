import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyDelta, type Edit, encodeDelta, encodeInverse, type Snapshot, Workbook } from '../../src/index.ts';
import { createContext } from './book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const AREA = { top: 0, left: 0, bottom: 1, right: 1 };

/** The parts of all sheets that these edits may change, in a comparable form. */
function describeSheets({ sheets, settings, formats }: Snapshot): unknown {
  return sheets.map((sheet) => ({
    layout: sheet.layout,
    hiddenRows: [...sheet.hiddenRows].sort((a, b) => a - b),
    styles: [0, 1].map((row) => formats.get(sheet.format(row, 0))),
    settings,
  }));
}

/** Applies edits to a new workbook. Asserts that the delta replays them and the inverse undoes them. */
function applyEdits(...edits: readonly Edit[]): Snapshot {
  const workbook = Workbook.create(SETTINGS, 'Sheet1');
  const fill = workbook.apply(
    [
      {
        kind: 'setValues',
        sheet: 1,
        row: 0,
        column: 0,
        values: [
          [1, 2],
          [3, 4],
        ],
        mode: 'raw',
      },
    ],
    createContext(),
  );
  assert.equal(fill.kind, 'applied');
  const batch = workbook.apply(edits, createContext());
  assert.ok(batch.kind === 'applied');
  const { before, after } = batch.change;
  const replica = applyDelta(before, encodeDelta(batch.change));
  assert.deepEqual(describeSheets(replica), describeSheets(after));
  const inverse = encodeInverse(batch.change);
  if (inverse !== null) {
    const undone = workbook.apply([{ kind: 'takeBack', inverse, locked: [] }], createContext());
    assert.ok(undone.kind === 'applied');
    assert.deepEqual(describeSheets(undone.change.after), describeSheets(before));
  }
  return after;
}

describe("edits of a sheet's layout", () => {
  it('merge cells, and a merged range replaces ranges that it overlaps', () => {
    const wide = { top: 0, left: 0, bottom: 2, right: 2 };
    const after = applyEdits(
      { kind: 'mergeCells', sheet: 1, areas: [AREA] },
      { kind: 'mergeCells', sheet: 1, areas: [wide] },
    );
    assert.deepEqual(after.sheets[0]?.layout.merges, [wide]);
    assert.deepEqual(
      applyEdits({ kind: 'mergeCells', sheet: 1, areas: [AREA] }, { kind: 'unmergeCells', sheet: 1, area: AREA })
        .sheets[0]?.layout.merges,
      [],
    );
  });

  it('hide rows and columns', () => {
    const after = applyEdits(
      { kind: 'hideLines', sheet: 1, axis: 'rows', first: 1, last: 2, hidden: true },
      { kind: 'hideLines', sheet: 1, axis: 'columns', first: 3, last: 4, hidden: true },
      { kind: 'hideLines', sheet: 1, axis: 'columns', first: 4, last: 4, hidden: false },
    );
    assert.deepEqual([...(after.sheets[0]?.hiddenRows ?? [])], [1, 2]);
    assert.deepEqual(after.sheets[0]?.layout.columns, [{ first: 3, last: 3, hidden: true }]);
  });

  it('group rows in up to the number of levels that files support', () => {
    const group = { kind: 'groupLines', sheet: 1, axis: 'rows', first: 1, last: 4, by: 1 } as const;
    const after = applyEdits(group, { ...group, first: 2, last: 3 });
    assert.deepEqual(
      after.sheets[0]?.layout.rows.map(({ first, last, level }) => [first, last, level]),
      [
        [1, 1, 1],
        [2, 3, 2],
        [4, 4, 1],
      ],
    );
    const deep = applyEdits(...Array.from({ length: 9 }, () => group));
    assert.equal(deep.sheets[0]?.layout.rows[0]?.level, 7);
    assert.deepEqual(applyEdits(group, { ...group, by: -1 }).sheets[0]?.layout.rows, []);
  });

  it('insert rows with the size, formats and styles of another row', () => {
    const line = { ...AREA, top: 2, bottom: 2 };
    const after = applyEdits(
      { kind: 'styleCells', sheet: 1, area: line, styles: [['', 'bold']], code: '0.00' },
      { kind: 'sizeLines', sheet: 1, axis: 'rows', first: 2, last: 2, size: 40 },
      { kind: 'hideLines', sheet: 1, axis: 'columns', first: 0, last: 0, hidden: true },
      { kind: 'inheritLines', sheet: 1, axis: 'rows', from: 2, first: 3, last: 4 },
      { kind: 'inheritLines', sheet: 1, axis: 'columns', from: 0, first: 8, last: 8 },
    );
    const [sheet] = after.sheets;
    const formatAt = (row: number, column: number) => {
      const { style, code } = after.formats.get(sheet?.format(row, column) ?? 0);
      return [style, code];
    };
    assert.deepEqual(
      [3, 4, 5].map((row) => formatAt(row, 0)),
      [
        ['bold', '0.00'],
        ['bold', '0.00'],
        ['', 'General'],
      ],
    );
    assert.deepEqual(
      [1, 2].map((row) => formatAt(row, 8)),
      [
        ['', 'General'],
        ['bold', '0.00'],
      ],
    );
    assert.deepEqual(
      sheet?.layout.rows.map(({ first, last, size }) => [first, last, size]),
      [
        [2, 2, 40],
        [3, 4, 40],
      ],
    );
    assert.deepEqual(sheet?.layout.columns, [{ first: 0, last: 0, hidden: true }]);
  });

  it('replace styles depending on the previous style of each cell', () => {
    const after = applyEdits(
      { kind: 'styleCells', sheet: 1, area: { ...AREA, bottom: 0 }, styles: [['', 'bold']], code: '0.00' },
      {
        kind: 'styleCells',
        sheet: 1,
        area: AREA,
        styles: [
          ['bold', 'bold red'],
          ['', 'red'],
        ],
      },
    );
    const { formats, sheets } = after;
    const cellFormats = [0, 1].map((row) => formats.get(sheets[0]?.format(row, 0) ?? 0));
    assert.deepEqual(
      cellFormats.map(({ style, code }) => [style, code]),
      [
        ['bold red', '0.00'],
        ['red', 'General'],
      ],
    );
  });

  it('attach objects to cells, which follow moves of the cells', () => {
    const attach = (text: string): Edit => ({
      kind: 'attach',
      sheet: 1,
      attachment: 'thing',
      key: 'a',
      within: null,
      attachments: [{ areas: [AREA], texts: ['a', text] }],
    });
    const move = { kind: 'insert', sheet: 1, axis: 'rows', at: 0, count: 2 } as const;
    const after = applyEdits(attach('one'), attach('two'), { kind: 'moveCells', move });
    assert.deepEqual(
      after.sheets[0]?.layout.attachments.map(({ texts, areas }) => [texts[1], areas[0]?.top]),
      [['two', 2]],
    );
  });

  it('set an opaque part of the sheet, and the settings of the document', () => {
    const after = applyEdits(
      { kind: 'setSheetPart', sheet: 1, part: 'sheetViews', text: '<sheetViews/>' },
      { kind: 'changeSettings', locale: 'de-DE', timeZone: 'Europe/Berlin' },
    );
    assert.deepEqual(after.sheets[0]?.layout.carried, { sheetViews: '<sheetViews/>' });
    assert.deepEqual(after.settings, { ...SETTINGS, locale: 'de-DE', timeZone: 'Europe/Berlin' });
  });

  it('recalculate texts that depend on the locale', () => {
    const workbook = Workbook.create(SETTINGS, 'Sheet1');
    const enter: Edit = { kind: 'setValues', sheet: 1, row: 0, column: 0, values: [['=1/2&""']], mode: 'user' };
    workbook.apply([enter], createContext());
    const batch = workbook.apply([{ kind: 'changeSettings', locale: 'de-DE' }], createContext());
    assert.ok(batch.kind === 'applied');
    assert.equal(batch.change.after.sheets[0]?.value(0, 0), '0,5');
  });

  it('leave the same sheet in one batch with a move of cells as in two', () => {
    const rows = { sheet: 1, axis: 'rows', first: 5, last: 6 } as const;
    const area = { top: 5, left: 1, bottom: 6, right: 2 };
    const layoutEdits: readonly Edit[] = [
      { kind: 'hideLines', ...rows, hidden: true },
      { kind: 'hideLines', ...rows, axis: 'columns', hidden: true },
      { kind: 'sizeLines', ...rows, size: 40 },
      { kind: 'groupLines', ...rows, by: 1 },
      { kind: 'mergeCells', sheet: 1, areas: [area] },
      { kind: 'styleCells', sheet: 1, area, styles: [['', 'bold']] },
      {
        kind: 'attach',
        sheet: 1,
        attachment: 'x',
        key: null,
        within: null,
        attachments: [{ areas: [area], texts: ['t'] }],
      },
      {
        kind: 'setFilter',
        sheet: 1,
        filter: { area, columns: [{ column: 1, condition: { values: ['x'], except: true } }] },
      },
    ];
    const moves = [
      { kind: 'insert', sheet: 1, axis: 'rows', at: 2, count: 3 },
      { kind: 'delete', sheet: 1, axis: 'rows', at: 60, count: 10 },
      { kind: 'insert', sheet: 1, axis: 'columns', at: 0, count: 1 },
      { kind: 'reorder', sheet: 1, axis: 'rows', at: 4, count: 4, to: 1 },
      { kind: 'delete', sheet: 1, axis: 'rows', at: 0, count: 1, across: { first: 0, last: 9 } },
    ] as const;
    for (const edit of layoutEdits) {
      for (const move of moves) {
        const moveEdit: Edit = { kind: 'moveCells', move };
        const workbook = Workbook.create(SETTINGS, 'Sheet1');
        for (const step of [edit, moveEdit]) assert.equal(workbook.apply([step], createContext()).kind, 'applied');
        const together = applyEdits(edit, moveEdit);
        assert.deepEqual(describeSheets(together), describeSheets(workbook.head), JSON.stringify([edit.kind, move]));
      }
    }
  });

  it('show hidden rows in one batch with a move of cells', () => {
    const hide = { kind: 'hideLines', sheet: 1, axis: 'rows', first: 5, last: 6, hidden: true } as const;
    const workbook = Workbook.create(SETTINGS, 'Sheet1');
    assert.equal(workbook.apply([hide], createContext()).kind, 'applied');
    const move = { kind: 'insert', sheet: 1, axis: 'rows', at: 0, count: 1 } as const;
    const edits: readonly Edit[] = [
      { ...hide, last: 5, hidden: false },
      { kind: 'moveCells', move },
    ];
    assert.equal(workbook.apply(edits, createContext()).kind, 'applied');
    assert.deepEqual([...(workbook.head.sheets[0]?.hiddenRows ?? [])], [7]);
  });

  it('are refused beyond the grid', () => {
    const workbook = Workbook.create(SETTINGS, 'Sheet1');
    const beyond = { top: 0, left: 0, bottom: 2_000_000, right: 0 };
    const edits: readonly Edit[] = [
      { kind: 'mergeCells', sheet: 1, areas: [beyond] },
      { kind: 'styleCells', sheet: 1, area: beyond, styles: [] },
      { kind: 'hideLines', sheet: 1, axis: 'rows', first: 0, last: 2_000_000, hidden: true },
      {
        kind: 'attach',
        sheet: 1,
        attachment: 'x',
        key: null,
        within: null,
        attachments: [{ areas: [beyond], texts: [] }],
      },
    ];
    for (const edit of edits) {
      const outcome = workbook.apply([edit], createContext());
      assert.deepEqual([outcome.kind, outcome.kind === 'refusal' ? outcome.reason : ''], ['refusal', 'outsideGrid']);
    }
  });
});
