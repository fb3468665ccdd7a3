import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cellView, type Edit, type Move, type Rearrangement, type Snapshot, Workbook } from '@cellwire/engine';
import fc from 'fast-check';
import type { CellDraft } from '../src/grid/formula/draft.ts';
import { mapDraft } from '../src/grid/formula/map-draft.ts';
import { computeSelectedArea, createAreaSelection, createCellSelection } from '../src/grid/selection/selection.ts';
import { CellStore } from '../src/grid/session/cell-store.ts';
import { mapSelection, PositionMapping } from '../src/grid/session/position-mapping.ts';

const ROWS = 8;
const COLUMNS = 5;
const SHEET = 1;
const OPEN_SHEETS = [{ id: SHEET, name: 'Sheet1' }];
const SETTINGS = { locale: 'en-US', timeZone: 'UTC', dateSystem: 'google' } as const;
const CONTEXT = { now: 0, seed: 1, budget: { cells: 1e6, milliseconds: 10_000, clock: () => 0 } };

function createFilledWorkbook(): Workbook {
  const workbook = Workbook.create(SETTINGS, 'Sheet1');
  const values = Array.from({ length: ROWS }, (_, row) =>
    Array.from({ length: COLUMNS }, (_unused, column) => `${'hcfbgaed'[row]}${row}.${column}`),
  );
  apply(workbook, [{ kind: 'setValues', sheet: SHEET, row: 0, column: 0, values, mode: 'raw' }]);
  return workbook;
}

function apply(workbook: Workbook, edits: readonly Edit[]): readonly Rearrangement[] | null {
  const applied = workbook.apply(edits, CONTEXT);
  if (applied.kind === 'refusal') return null;
  return [...applied.change.moves, ...applied.outcomes.flatMap(({ orders = [] }) => orders.map(({ rows }) => rows))];
}

function listTexts(snapshot: Snapshot): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let row = 0; row < 40; row++) {
    for (let column = 0; column < 30; column++) {
      const value = cellView(snapshot, SHEET, row, column)?.v;
      if (typeof value === 'string') texts.set(value, `${row}.${column}`);
    }
  }
  return texts;
}

const line = fc.integer({ min: 0, max: ROWS - 1 });
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('insert', 'delete'),
    sheet: fc.constant(SHEET),
    axis: fc.constantFrom('rows', 'columns'),
    at: line,
    count: fc.integer({ min: 1, max: 2 }),
  }),
  fc
    .record({ axis: fc.constantFrom('rows', 'columns'), at: line, count: fc.integer({ min: 1, max: 2 }), to: line })
    .filter(({ at, count, to }) => to < at || to > at + count)
    .map((one): Move => ({ kind: 'reorder', sheet: SHEET, ...one }) as Move),
  fc.record({ top: line, left: fc.integer({ min: 0, max: 3 }), row: line, column: fc.integer({ min: 0, max: 9 }) }).map(
    ({ top, left, row, column }): Move => ({
      kind: 'carry',
      sheet: SHEET,
      area: { top, left, bottom: top + 1, right: left + 1 },
      toSheet: SHEET,
      row,
      column,
    }),
  ),
) as fc.Arbitrary<Move>;
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: move.map((one): Edit => ({ kind: 'moveCells', move: one })) },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (descending): Edit => ({
        kind: 'sort',
        sheet: SHEET,
        area: { top: 1, left: 0, bottom: 6, right: COLUMNS - 1 },
        by: [{ column: 1, descending }],
      }),
    ),
  },
);

/** Applies edits one by one and returns the mapping of all their steps. */
function applyAndMap(workbook: Workbook, edits: readonly Edit[]): PositionMapping {
  const steps = edits.flatMap((one) => apply(workbook, [one]) ?? []);
  return new PositionMapping(2, { steps, sheets: [] }, OPEN_SHEETS);
}

suite('mapping of moved positions', () => {
  test('agrees with the engine', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        const workbook = createFilledWorkbook();
        const old = listTexts(workbook.head);
        const mapping = applyAndMap(workbook, edits);
        const now = listTexts(workbook.head);
        for (const [text, place] of old) {
          const [row = 0, column = 0] = place.split('.').map(Number);
          const position = mapping.mapCell({ sheet: 'Sheet1', row, column });
          assert.equal(position && `${position.row}.${position.column}`, now.get(text) ?? null, text);
          if (position !== null)
            assert.deepEqual({ ...mapping.findPreviousCell(SHEET, position) }, { sheet: SHEET, row, column });
          const selection = mapSelection(createCellSelection({ row, column }), 'Sheet1', mapping);
          assert.deepEqual(selection?.active ?? null, position && { row: position.row, column: position.column });
        }
      }),
    );
  });

  test('rewrites references in drafts as in cells', () => {
    const text = '=A3+SUM(B2:C5)+E$7+SUM($D$1:$D$6)';
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 3 }), (moves) => {
        const workbook = createFilledWorkbook();
        const position = { row: 30, column: 20 };
        apply(workbook, [
          { kind: 'setValues', sheet: SHEET, ...position, values: [[text]], mode: 'user', locale: 'en-US' },
        ]);
        const mapping = applyAndMap(
          workbook,
          moves.map((one) => ({ kind: 'moveCells', move: one })),
        );
        const draft = mapDraft(createDraft(position, text), mapping);
        assert.ok(draft !== null);
        const movedCell = cellView(workbook.head, SHEET, draft.position.row, draft.position.column);
        assert.equal(draft.text, movedCell?.f);
        assert.equal(draft.caret, draft.text.length);
      }),
    );
  });

  test('shows moved cells before the service has answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const workbook = createFilledWorkbook();
        const { head } = workbook;
        const area = { top: 0, left: 0, bottom: 20, right: 15 };
        const cells = Array.from({ length: 128 }, (_, row) =>
          Array.from({ length: 16 }, (_unused, column) => cellView(head, SHEET, row, column) as never),
        );
        const store = new CellStore('Sheet1', {
          readBlocks: async (ranges) => ({
            ok: true,
            value: {
              ranges: ranges.map((range) => ({ range, sheet: 'Sheet1', cells }) as never),
              styles: [],
              revision: 1,
            },
            headers: new Headers(),
          }),
          onChange: () => {},
        });
        store.setVisibleArea(area);
        await store.ensureLoaded(area);
        store.close();
        store.applyMapping(SHEET, applyAndMap(workbook, edits));
        for (let row = area.top; row <= area.bottom; row++) {
          for (let column = area.left; column < 14; column++) {
            const displayedCell = store.getCell(row, column);
            if (displayedCell === undefined) continue;
            assert.equal(displayedCell?.v ?? null, cellView(workbook.head, SHEET, row, column)?.v ?? null);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('loses the positions of a deleted sheet, but not of other sheets', () => {
    const deletion = new PositionMapping(2, { steps: [], sheets: [] }, OPEN_SHEETS, { deletedSheet: 'Sheet1' });
    const area = { top: 0, left: 0, bottom: 1, right: 1 };
    assert.equal(deletion.mapCell({ sheet: 'Sheet1', row: 0, column: 0 }), null);
    assert.equal(deletion.mapArea({ sheet: 'Sheet1', area }), null);
    assert.deepEqual({ ...deletion.mapArea({ sheet: 'Other', area }) }, { sheet: 'Other', area });
    const draft = mapDraft({ ...createDraft({ row: 0, column: 0 }, '=Sheet1!A1+A1'), sheet: 'Other' }, deletion);
    assert.equal(draft?.text, '=#REF!+A1');
  });

  test('keeps whole columns selected when rows are inserted, and shrinks with deleted lines', () => {
    const inserted = new PositionMapping(
      2,
      { steps: [{ kind: 'insert', sheet: SHEET, axis: 'rows', at: 0, count: 3 }], sheets: [] },
      OPEN_SHEETS,
    );
    const columns = createAreaSelection({ top: 0, bottom: 1_048_575, left: 1, right: 2 });
    const after = mapSelection(columns, 'Sheet1', inserted);
    assert.deepEqual(after && [after.kind, computeSelectedArea(after)], ['columns', computeSelectedArea(columns)]);
    const deleted = new PositionMapping(
      2,
      { steps: [{ kind: 'delete', sheet: SHEET, axis: 'rows', at: 2, count: 1 }], sheets: [] },
      OPEN_SHEETS,
    );
    const rows = mapSelection(createAreaSelection({ top: 1, left: 0, bottom: 3, right: 1 }), 'Sheet1', deleted);
    assert.deepEqual(rows && computeSelectedArea(rows), { top: 1, left: 0, bottom: 2, right: 1 });
    assert.equal(mapSelection(createCellSelection({ row: 2, column: 0 }), 'Sheet1', deleted), null);
  });
});

function createDraft(place: CellDraft['position'], text: string): CellDraft {
  return {
    sheet: 'Sheet1',
    position: place,
    text,
    caret: text.length,
    where: 'cell',
    isEnterMode: true,
    initialText: '',
    lastRevision: null,
    problem: null,
    pickedReference: null,
  };
}
