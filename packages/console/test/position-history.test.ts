import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rearrangement } from '@cellwire/engine';
import fc from 'fast-check';
import { PositionHistory } from '../src/grid/session/position-history.ts';
import { PositionMapping, type SheetPosition } from '../src/grid/session/position-mapping.ts';
import { RevisionTracker } from '../src/grid/session/revision-tracker.ts';

const SHEET = 1;
const OPEN_SHEETS = [{ id: SHEET, name: 'Sheet1' }];
const CELL: SheetPosition = { sheet: 'Sheet1', row: 3, column: 1 };

interface FollowedCell {
  readonly cell: SheetPosition | null;
}

/** Follows a cell through a log of deletions, insertions and their undos, the newest first. */
function createFollower() {
  const tracker = new RevisionTracker('D', 1, { onChange: () => {}, onGap: () => {} });
  const history = new PositionHistory<FollowedCell>(({ cell }, mapping) => ({ cell: cell && mapping.mapCell(cell) }));
  const follower = { held: { cell: CELL } as FollowedCell, tracker, change };
  tracker.onMapping((mapping) => {
    follower.held = history.map(follower.held, mapping);
  });
  let revision = 1;
  function change(step: Rearrangement, undoes?: number): number {
    revision++;
    const undone = undoes === undefined ? {} : { undoes };
    const restores = tracker.findRestoredRevision({ ...undone });
    tracker.notify(new PositionMapping(revision, { steps: [step], sheets: [] }, OPEN_SHEETS, { restores }));
    tracker.advance(revision);
    return revision;
  }
  return follower;
}

const rows = { sheet: SHEET, axis: 'rows' } as const;
const step = fc.record({
  kind: fc.constantFrom('insert' as const, 'delete' as const),
  at: fc.integer({ min: 0, max: 5 }),
  count: fc.integer({ min: 1, max: 3 }),
});

test('a held cell is at its place again after any changes are undone in reverse order', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
      const follower = createFollower();
      const { tracker, change } = follower;
      const changes = steps.map((one) => ({ one, revision: change({ ...rows, ...one }) }));
      for (const { one, revision } of changes.reverse())
        change({ ...rows, ...one, kind: one.kind === 'insert' ? 'delete' : 'insert' }, revision);
      assert.deepEqual(follower.held, { cell: CELL });
      assert.deepEqual(tracker.findMappingsAfter(1), []);
      assert.deepEqual(tracker.findPreviousCell(SHEET, CELL, 1, tracker.revision), CELL);
    }),
  );
});

test('a cell that was deleted stays lost if other cells moved before the undo', () => {
  const follower = createFollower();
  const deletion = follower.change({ ...rows, kind: 'delete', at: 3, count: 1 });
  follower.change({ ...rows, kind: 'insert', at: 0, count: 1 });
  follower.change({ ...rows, kind: 'insert', at: 4, count: 1 }, deletion);
  assert.deepEqual(follower.held, { cell: null });
});

test('a cell that the person chose after a change follows the undo of that change', () => {
  const follower = createFollower();
  const insertion = follower.change({ ...rows, kind: 'insert', at: 2, count: 2 });
  follower.held = { cell: { ...CELL, row: 8 } };
  follower.change({ ...rows, kind: 'delete', at: 2, count: 2 }, insertion);
  assert.equal(follower.held.cell?.row, 6);
});
