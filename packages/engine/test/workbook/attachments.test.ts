import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Move } from '../../src/grid/move.ts';
import {
  type AttachmentData,
  applyDelta,
  areaText,
  type Edit,
  encodeDelta,
  encodeInverse,
  exportData,
  parseArea,
  type Snapshot,
  type TableData,
  Workbook,
} from '../../src/index.ts';
import { createContext, storeAndRestore, ThreadCopy } from './book.ts';

const SHEET = { hidden: false, color: null, hiddenRows: [], columnFormats: new Map(), cells: [] };

function createAttachment(areas: readonly string[], formulas: readonly string[]): AttachmentData {
  const parsedAreas = areas.map((text) => {
    const area = parseArea(text);
    assert.ok(area);
    const { top, left, bottom, right } = area;
    return { top, left, bottom, right };
  });
  return { kind: 'rule', areas: parsedAreas, formulas, texts: ['<rule/>'] };
}

/** A workbook with the sheet Data, which contains the attachments, and the sheet Other. */
function importWithAttachments(...attachments: readonly AttachmentData[]): Workbook {
  return importWithTables([], ...attachments);
}

function importWithTables(tables: readonly TableData[], ...attachments: readonly AttachmentData[]): Workbook {
  const layout = { columns: [], rows: [], merges: [], carried: {}, attachments };
  const workbook = Workbook.import(
    {
      settings: { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' },
      names: [],
      tables,
      sheets: [
        { ...SHEET, name: 'Data', layout },
        { ...SHEET, name: 'Other' },
      ],
    },
    createContext(),
  );
  assert.ok(workbook instanceof Workbook);
  return workbook;
}

/** Areas and formulas of attachments by sheet: `Data: A1:A3 =$B1>3`. */
function listAttachmentTexts(snapshot: Snapshot): readonly string[] {
  return exportData(snapshot).sheets.flatMap(({ name, layout }) =>
    (layout?.attachments ?? []).map(
      ({ areas, formulas }) => `${name}: ${areas.map(areaText).join(' ')} =${formulas.join(' =')}`,
    ),
  );
}

function describeLayouts({ sheets }: Snapshot): unknown {
  return sheets.map(({ layout }) => layout);
}

const createLineMove = (
  kind: 'insert' | 'delete',
  axis: 'rows' | 'columns',
  at: number,
  count: number,
  sheet = 1,
): Move => ({
  ...{ kind, sheet, axis, at, count },
});
const createCutMove = (from: string, toSheet: number, row: number, column: number): Move => {
  const { top, left, bottom, right } = parseArea(from) ?? assert.fail();
  return { kind: 'carry', sheet: 1, area: { top, left, bottom, right }, toSheet, row, column };
};

const RULE = createAttachment(['A3:A10'], ['$B3>Other!$C$5']);

const MOVES: readonly (readonly [title: string, attachment: AttachmentData, move: Move, after: readonly string[]])[] = [
  ['rows inserted above', RULE, createLineMove('insert', 'rows', 0, 2), ['Data: A5:A12 =$B5>Other!$C$5']],
  ['rows inserted inside', RULE, createLineMove('insert', 'rows', 5, 2), ['Data: A3:A12 =$B3>Other!$C$5']],
  ['its first rows deleted', RULE, createLineMove('delete', 'rows', 0, 4), ['Data: A1:A6 =$B1>Other!$C$5']],
  ['its last rows deleted', RULE, createLineMove('delete', 'rows', 8, 9), ['Data: A3:A8 =$B3>Other!$C$5']],
  [
    'a row of whole columns deleted',
    createAttachment(['A:B'], []),
    createLineMove('delete', 'rows', 4, 1),
    ['Data: A1:B1048576 ='],
  ],
  ['all of it deleted', RULE, createLineMove('delete', 'rows', 2, 8), []],
  [
    'a column inserted before the cells that it reads',
    RULE,
    createLineMove('insert', 'columns', 1, 1),
    ['Data: A3:A10 =$C3>Other!$C$5'],
  ],
  [
    'the cells that it reads deleted',
    RULE,
    createLineMove('delete', 'columns', 1, 1),
    ['Data: A3:A10 =#REF!>Other!$C$5'],
  ],
  ['rows inserted in another sheet', RULE, createLineMove('insert', 'rows', 0, 3, 2), ['Data: A3:A10 =$B3>Other!$C$8']],
  [
    'a part cut and pasted',
    RULE,
    createCutMove('A3:B4', 1, 0, 3),
    ['Data: D1:D2 =$E1>Other!$C$5', 'Data: A5:A10 =$B5>Other!$C$5'],
  ],
  ['all of it cut to another sheet', RULE, createCutMove('A1:B20', 2, 0, 0), ['Other: A3:A10 =$B3>Other!$C$5']],
  ['other cells moved over it', createAttachment(['C1'], ['A1']), createCutMove('D1', 1, 0, 2), []],
  [
    'several areas',
    createAttachment(['A1:A2', 'C5:C9'], ['A1=1']),
    createLineMove('delete', 'rows', 0, 3),
    ['Data: C2:C6 =C2=1'],
  ],
  [
    'a rule of the whole sheet',
    createAttachment([], ['Data!$A$1:$A$9']),
    createLineMove('insert', 'rows', 2, 1),
    ['Data:  =Data!$A$1:$A$10'],
  ],
  [
    'another workbook’s cells',
    createAttachment(['A1'], ['[1]Sheet1!$A$1']),
    createLineMove('insert', 'rows', 0, 1),
    ['Data: A2 =[1]Sheet1!$A$1'],
  ],
];

const SALES: TableData = {
  ...{ name: 'Sales', sheet: 'Data', headerRow: true, totalsRow: false, columns: ['Qty', 'Net'] },
  area: { top: 2, left: 0, bottom: 4, right: 1 },
};

describe('attachments of cells', () => {
  for (const [title, attachment, move, after] of MOVES) {
    it(`follow moves: ${title}`, () => {
      const workbook = importWithAttachments(attachment);
      const before = workbook.head;
      const outcome = workbook.apply([{ kind: 'moveCells', move }], createContext());
      assert.ok(outcome.kind === 'applied');
      assert.deepEqual([...listAttachmentTexts(workbook.head)].sort(), [...after].sort());
      assert.deepEqual(
        listAttachmentTexts(applyDelta(before, encodeDelta(outcome.change))),
        listAttachmentTexts(workbook.head),
      );
      assert.deepEqual(listAttachmentTexts(storeAndRestore(workbook.head)), listAttachmentTexts(workbook.head));
    });
  }

  it('follow renamed and deleted sheets', () => {
    const workbook = importWithAttachments(RULE);
    const edits: readonly Edit[] = [
      { kind: 'renameSheet', sheet: 2, name: 'New name' },
      { kind: 'moveCells', move: createLineMove('insert', 'rows', 0, 1) },
    ];
    assert.equal(workbook.apply(edits, createContext()).kind, 'applied');
    assert.deepEqual(listAttachmentTexts(workbook.head), ["Data: A4:A11 =$B4>'New name'!$C$5"]);
    assert.equal(workbook.apply([{ kind: 'deleteSheet', sheet: 2 }], createContext()).kind, 'applied');
    assert.deepEqual(listAttachmentTexts(workbook.head), ['Data: A4:A11 =$B4>#REF!']);
  });

  it('follow renamed columns and deleted tables, and are restored by an undo', () => {
    const attachment = createAttachment([], ['SUM(Sales[Qty])', 'Sales[[#This Row],[Net]]*2', 'Other!A1']);
    const workbook = importWithTables([SALES], attachment);
    const rename: Edit = { kind: 'setValues', sheet: 1, row: 2, column: 0, values: [['Pieces', 'Net']], mode: 'user' };
    const changes: readonly (readonly [Edit, readonly string[]])[] = [
      [rename, ['Data:  =SUM(Sales[Pieces]) =Sales[[#This Row],[Net]]*2 =Other!A1']],
      [{ kind: 'deleteTable', name: 'Sales' }, ['Data:  =SUM(Data!$A$4:$A$5) =Data!$B1*2 =Other!A1']],
    ];
    for (const [edit, after] of changes) {
      const before = workbook.head;
      const outcome = workbook.apply([edit], createContext());
      assert.ok(outcome.kind === 'applied');
      assert.deepEqual(listAttachmentTexts(workbook.head), after);
      assert.deepEqual(listAttachmentTexts(applyDelta(before, encodeDelta(outcome.change))), after);
      const inverse = encodeInverse(outcome.change);
      assert.equal(workbook.apply([{ kind: 'takeBack', inverse, locked: [] }], createContext()).kind, 'applied');
      assert.deepEqual(listAttachmentTexts(workbook.head), listAttachmentTexts(before));
    }
  });

  it('of single cells move with sorted rows, and are restored by an undo', () => {
    const note = (kind: string, ...areas: readonly string[]) => ({ ...createAttachment(areas, []), kind });
    const workbook = importWithAttachments(
      note('note', 'A3'),
      note('note', 'A9'),
      note('hyperlink', 'A1:B2'),
      createAttachment(['A1'], []),
    );
    const values: Edit = { kind: 'setValues', sheet: 1, row: 0, column: 0, values: [[2], [3], [1]], mode: 'raw' };
    assert.equal(workbook.apply([values], createContext()).kind, 'applied');
    const before = workbook.head;
    const area = { top: 0, left: 0, bottom: 19, right: 0 };
    const sort: Edit = { kind: 'sort', sheet: 1, area, by: [{ column: 0, descending: false }] };
    const outcome = workbook.apply([sort], createContext());
    assert.ok(outcome.kind === 'applied');
    assert.deepEqual(listAttachmentTexts(workbook.head), [
      'Data: A1 =',
      'Data: A9 =',
      'Data: B1:B2 A2:A3 =',
      'Data: A1 =',
    ]);
    assert.deepEqual(
      listAttachmentTexts(applyDelta(before, encodeDelta(outcome.change))),
      listAttachmentTexts(workbook.head),
    );
    assert.deepEqual(listAttachmentTexts(storeAndRestore(workbook.head)), listAttachmentTexts(workbook.head));
    const inverse = encodeInverse(outcome.change);
    assert.equal(workbook.apply([{ kind: 'takeBack', inverse, locked: [] }], createContext()).kind, 'applied');
    assert.deepEqual(listAttachmentTexts(workbook.head), listAttachmentTexts(before));
  });

  it('name the copied tables on a copy of their sheet', () => {
    const workbook = importWithTables([SALES], createAttachment([], ['Sales', 'SUM(Sales[Qty])', 'Other!A1']));
    const before = workbook.head;
    const outcome = workbook.apply([{ kind: 'duplicateSheet', sheet: 1, name: 'Copy' }], createContext());
    assert.ok(outcome.kind === 'applied');
    const copiedTable = exportData(workbook.head).tables.find(({ sheet }) => sheet === 'Copy')?.name;
    assert.deepEqual(listAttachmentTexts(workbook.head), [
      'Data:  =Sales =SUM(Sales[Qty]) =Other!A1',
      `Copy:  =${copiedTable} =SUM(${copiedTable}[Qty]) =Other!A1`,
    ]);
    assert.deepEqual(
      listAttachmentTexts(applyDelta(before, encodeDelta(outcome.change))),
      listAttachmentTexts(workbook.head),
    );
    assert.deepEqual(listAttachmentTexts(storeAndRestore(workbook.head)), listAttachmentTexts(workbook.head));
  });

  it('resolve to a sheet that was missing', () => {
    const workbook = importWithAttachments(createAttachment(['A1'], ['Later!A1']));
    assert.equal(workbook.apply([{ kind: 'addSheet', name: 'LATER' }], createContext()).kind, 'applied');
    assert.deepEqual(listAttachmentTexts(workbook.head), ['Data: A1 =LATER!A1']);
  });

  it('are copied with a duplicated sheet', () => {
    const workbook = importWithAttachments(RULE);
    assert.equal(workbook.apply([{ kind: 'duplicateSheet', sheet: 1, name: 'Copy' }], createContext()).kind, 'applied');
    assert.equal(listAttachmentTexts(workbook.head)[1], 'Copy: A3:A10 =$B3>Other!$C$5');
  });
});

/** Links on almost a whole column, and between them links that moves remove or split. */
const LINKS = Array.from({ length: 400 }, (_, i) => [
  createAttachment(['A2:A1048576'], [`Other!B${i + 1}`]),
  ...(i % 100 === 0
    ? [createAttachment([`A${i + 1}`], ['A1']), createAttachment(['C1048576', 'D4:D1048575', 'E5'], [])]
    : []),
]).flat();

const AREAS = Array.from({ length: 2_000 }, (_, i) => `A${i + 2}:A1048576`);

const UNDONE_MOVES: readonly (readonly [title: string, moves: readonly Move[]])[] = [
  ['a row inserted', [createLineMove('insert', 'rows', 4, 1)]],
  ['a row deleted', [createLineMove('delete', 'rows', 4, 1)]],
  [
    'rows inserted, deleted and moved',
    [
      createLineMove('insert', 'rows', 0, 3),
      createLineMove('delete', 'rows', 2, 2),
      { kind: 'reorder', sheet: 1, axis: 'rows', at: 3, count: 2, to: 9 },
    ],
  ],
  ['a column deleted', [createLineMove('delete', 'columns', 0, 1)]],
  ['cells cut to another sheet', [createCutMove('A1:C1048576', 2, 0, 0)]],
];

describe('400 links on whole columns', () => {
  for (const [title, moves] of UNDONE_MOVES) {
    it(`are restored by an undo, in every replica: ${title}`, () => {
      const workbook = importWithAttachments(...LINKS, createAttachment(AREAS, ['1']));
      const copy = new ThreadCopy();
      copy.receiveChange(workbook.head);
      const before = workbook.head;
      const apply = (edits: readonly Edit[]) => {
        const previous = workbook.head;
        const outcome = workbook.apply(edits, createContext());
        assert.ok(outcome.kind === 'applied');
        const delta = encodeDelta(outcome.change);
        assert.deepEqual(describeLayouts(applyDelta(previous, delta)), describeLayouts(workbook.head));
        assert.deepEqual(
          describeLayouts(copy.receiveChange(workbook.head, outcome.change)),
          describeLayouts(workbook.head),
        );
        return { change: outcome.change, bytes: delta.length };
      };
      const inverse = encodeInverse(apply(moves.map((move) => ({ kind: 'moveCells', move }))).change);
      const { bytes } = apply([{ kind: 'takeBack', inverse, locked: [] }]);
      assert.deepEqual(describeLayouts(workbook.head), describeLayouts(before));
      if (title.startsWith('a row')) assert.ok(inverse.length + bytes < 20_000, `${inverse.length} and ${bytes} bytes`);
    });
  }
});

it('another thread receives many attachments with pauses, as a whole and after moves', () => {
  const workbook = importWithAttachments(
    ...Array.from({ length: 4_000 }, (_, i) => createAttachment(['A2:A9'], [`Other!B${i + 1}`])),
  );
  const copy = new ThreadCopy();
  copy.receiveChange(workbook.head);
  const totalPauses = copy.pauses;
  const outcome = workbook.apply(
    [{ kind: 'moveCells', move: createLineMove('insert', 'rows', 0, 1) }],
    createContext(),
  );
  assert.ok(outcome.kind === 'applied');
  assert.deepEqual(describeLayouts(copy.receiveChange(workbook.head, outcome.change)), describeLayouts(workbook.head));
  assert.ok(totalPauses >= 4 && copy.pauses >= 8, `${totalPauses} and ${copy.pauses} pauses`);
});

it('moving many attachments counts as work for each area', () => {
  const areas = Array.from({ length: 4_000 }, (_, row) => `A${2 * row + 1}`);
  const move: Edit = { kind: 'moveCells', move: createLineMove('insert', 'rows', 0, 1) };
  let now = 0;
  const budget = { cells: 1_000_000, milliseconds: 10, clock: () => now++ };
  const moves = Array.from({ length: 20 }, () => move);
  assert.equal(
    importWithAttachments(createAttachment(['A1'], [])).apply(moves, createContext({ budget })).kind,
    'applied',
  );
  now = 0;
  assert.deepEqual(importWithAttachments(createAttachment(areas, [])).apply(moves, createContext({ budget })), {
    kind: 'refusal',
    reason: 'calculationLimit',
  });
});

it('moving cells and setting a name count as work for each name', () => {
  const name = (i: number): Edit => ({ kind: 'setName', name: `name_${i}`, refersTo: `=Data!A${i + 1}` });
  const move: Edit = { kind: 'moveCells', move: createLineMove('insert', 'rows', 0, 1) };
  const workbook = importWithAttachments();
  const named = workbook.apply(
    Array.from({ length: 2_000 }, (_, i) => name(i)),
    createContext(),
  );
  assert.equal(named.kind, 'applied');
  for (const edit of [move, name(1)]) {
    let now = 0;
    const budget = { cells: 1_000_000, milliseconds: 10, clock: () => now++ };
    const outcome = workbook.apply(
      Array.from({ length: 30 }, () => edit),
      createContext({ budget }),
    );
    assert.deepEqual(outcome, { kind: 'refusal', reason: 'calculationLimit' });
  }
});
