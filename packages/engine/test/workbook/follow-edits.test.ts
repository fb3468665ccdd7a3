import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { area, type Edit, followEdits, type Move } from '../../src/index.ts';

const SHEETS = [{ id: 1, name: 'Sheet1' }];

/** Adjusts an edit to moves of cells; null if it cannot follow them. */
function followMoves(edit: Edit, ...moves: readonly Move[]): Edit | null {
  const nextSheetId = { before: 2, after: 2 };
  const edits = followEdits([edit], { moves, before: SHEETS, after: SHEETS, nextSheetId });
  return edits?.[0] ?? null;
}

const INSERT_ROWS: Move = { kind: 'insert', sheet: 1, axis: 'rows', at: 0, count: 2 };
const INSERT_COLUMN: Move = { kind: 'insert', sheet: 1, axis: 'columns', at: 0, count: 1 };
const DELETE_FIRST: Move = { kind: 'delete', sheet: 1, axis: 'columns', at: 0, count: 1 };

const BLOCK = area(3, 1, 5, 2);
const MOVED = area(5, 2, 7, 3);

const FIRST_OF: ReadonlyMap<typeof BLOCK, string> = new Map([
  [BLOCK, 'B4'],
  [MOVED, 'C6'],
]);

const createBlockEdits = (block: typeof BLOCK): readonly Edit[] => [
  { kind: 'clear', sheet: 1, area: block },
  { kind: 'setFormat', sheet: 1, area: block, format: '0.00' },
  { kind: 'styleCells', sheet: 1, area: block, styles: [['', '{}']] },
  { kind: 'unmergeCells', sheet: 1, area: block },
  { kind: 'mergeCells', sheet: 1, areas: [block] },
  {
    kind: 'attach',
    sheet: 1,
    attachment: 'note',
    key: null,
    within: block,
    attachments: [{ areas: [block], texts: ['text'], formulas: [`=${FIRST_OF.get(block)}>0`] }],
  },
  {
    kind: 'setFilter',
    sheet: 1,
    filter: { area: block, columns: [{ column: block.left + 1, condition: { values: ['a'] } }] },
  },
  { kind: 'filterColumn', sheet: 1, column: block.left, condition: null },
  { kind: 'sort', sheet: 1, area: block, by: [{ column: block.right, descending: false }] },
  { kind: 'removeDuplicates', sheet: 1, area: block, columns: [block.left] },
  ...(['sizeLines', 'hideLines', 'groupLines'] as const).map(
    (kind) =>
      ({
        kind,
        sheet: 1,
        axis: 'rows',
        first: block.top,
        last: block.bottom,
        ...{ sizeLines: { size: 20 }, hideLines: { hidden: true }, groupLines: { by: 1 } }[kind],
      }) as Edit,
  ),
];

describe('an edit of an earlier state', () => {
  for (const [i, edit] of createBlockEdits(BLOCK).entries()) {
    it(`follows inserted rows and columns: ${edit.kind}`, () => {
      assert.deepEqual(followMoves(edit, INSERT_ROWS, INSERT_COLUMN), createBlockEdits(MOVED)[i]);
    });
  }

  it('keeps an edit of the whole sheet', () => {
    const edit: Edit = { kind: 'setFilter', sheet: 1, filter: null };
    assert.deepEqual(followMoves(edit, INSERT_ROWS), edit);
  });

  it('is dropped if it filters a deleted column', () => {
    const filter = { area: area(0, 0, 5, 0), columns: [] };
    assert.equal(followMoves({ kind: 'setFilter', sheet: 1, filter }, DELETE_FIRST), null);
    assert.equal(followMoves({ kind: 'filterColumn', sheet: 1, column: 0, condition: null }, DELETE_FIRST), null);
  });

  it('follows the references of appended formulas together with their column', () => {
    const edit: Edit = { kind: 'append', sheet: 1, column: 2, values: [['=A9*2', '=$B$1']], mode: 'user' };
    const followed = followMoves(edit, INSERT_ROWS, INSERT_COLUMN);
    assert.deepEqual(followed, { ...edit, column: 3, values: [['=B11*2', '=$C$3']] });
  });

  it('follows the references of entered formulas', () => {
    const values = [['=A1+C4', 'text', null]];
    const edit: Edit = { kind: 'setValues', sheet: 1, row: 3, column: 1, values, mode: 'user' };
    const followed = followMoves(edit, INSERT_ROWS, INSERT_COLUMN);
    assert.deepEqual(followed, { ...edit, row: 5, column: 2, values: [['=B3+D6', 'text', null]] });
  });
});
