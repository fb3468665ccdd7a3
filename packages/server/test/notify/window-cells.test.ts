import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_AREAS_LENGTH, MAX_COMMIT_AREAS, parseAreas } from '@cellwire/store/stored-forms';
import fc from 'fast-check';
import { WindowCells } from '../../src/notify/window-cells.ts';

const SHEETS = [{ id: 1, name: 'Sheet1' }];

/** Formats the stored areas of a commit with these rows of column A; the first `detailed` rows are stored in detail. */
function formatCommitAreas(rows: readonly number[], detailed: number): string {
  const written = rows.slice(0, detailed).map((row) => [1, row, 0, row, 0]);
  const rest = rows.length > detailed ? { rest: [[1, rows.length - detailed]] } : {};
  return JSON.stringify({ written, derived: [], ...rest });
}

test('no cell is counted twice in truncated commits, and complete commits are counted exactly', () => {
  const rows = fc.uniqueArray(fc.nat(30), { minLength: 1 });
  fc.assert(
    fc.property(
      fc.array(rows, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 40 }),
      (commits, detailed) => {
        const cells = new WindowCells();
        for (const one of commits) cells.addCommitAreas(parseAreas(formatCommitAreas(one, detailed)));
        const count = cells.toChangedSheets(SHEETS, 1_000)[0]?.count ?? 0;
        const all = new Set(commits.flat()).size;
        assert.ok(count <= all);
        assert.ok(count >= Math.max(...commits.map((one) => one.length)));
        if (commits.length === 1 || commits.every((one) => one.length <= detailed)) assert.equal(count, all);
      },
    ),
  );
});

test('areas stored before the limit existed are truncated when read', () => {
  const createArea = (_: unknown, i: number) => [1, 2 * i, 3, 2 * i, 3];
  const areas = { written: Array.from({ length: 60_000 }, createArea), derived: Array.from({ length: 5 }, createArea) };
  const text = JSON.stringify(areas);
  assert.ok(text.length > MAX_AREAS_LENGTH);
  const { written, derived, isCut } = parseAreas(text);
  assert.equal(isCut, true);
  assert.deepEqual([written, derived], [areas.written.slice(0, MAX_COMMIT_AREAS), areas.derived]);
});

const ROWS = { sheet: 1, axis: 'rows' } as const;
for (const [title, moves, runs] of [
  ['move down', [{ ...ROWS, kind: 'insert', at: 0, count: 2 }], [[4, 0, 1, 1]]],
  [
    'are separated',
    [{ kind: 'insert', sheet: 1, axis: 'columns', at: 1, count: 3 }],
    [
      [2, 0, 0, 1],
      [2, 4, 4, 1],
    ],
  ],
  ['are deleted', [{ ...ROWS, kind: 'delete', at: 2, count: 1 }], []],
  [
    'move to another sheet and back',
    [
      { kind: 'carry', sheet: 1, area: { top: 2, left: 0, bottom: 2, right: 1 }, toSheet: 2, row: 0, column: 0 },
      { kind: 'carry', sheet: 2, area: { top: 0, left: 0, bottom: 0, right: 0 }, toSheet: 1, row: 7, column: 5 },
    ],
    [[7, 5, 5, 1]],
  ],
] as const) {
  test(`cells of earlier commits follow later moves: they ${title}`, () => {
    const earlier = new WindowCells();
    earlier.addCommitAreas({ written: [], derived: [[1, 2, 0, 2, 1]] });
    // The set is read from storage and compared with a collected one.
    const stored = WindowCells.restoreStoredCells(earlier.toChangedSheets(SHEETS, 1_000));
    stored.applyMoves(moves);
    const cells = new WindowCells();
    cells.addCommitAreas({ written: [], derived: [[1, 2, 0, 2, 1]] });
    cells.addCommitAreas({ written: [], derived: [], moves });
    assert.deepEqual(stored.toChangedSheets(SHEETS, 1_000), cells.toChangedSheets(SHEETS, 1_000));
    const sheets = cells.toChangedSheets(SHEETS, 1_000);
    assert.deepEqual(
      sheets.flatMap((sheet) => sheet.runs),
      runs,
    );
    assert.equal(
      sheets.reduce((sum, { count }) => sum + count, 0),
      runs.reduce((sum, [, left, right]) => sum + right - left + 1, 0),
    );
  });
}
