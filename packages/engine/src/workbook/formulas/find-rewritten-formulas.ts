import type { Meter } from '../../calc/budget.ts';
import type { createRunRestorer } from '../../codec/document-codec.ts';
import type { InverseHead, RunChange } from '../../codec/inverse.ts';
import { CellOrigins } from '../../grid/cell-origins.ts';
import type { Draft } from '../../sheet/draft.ts';
import { findRun, type Run } from '../../sheet/template.ts';
import { areSameTemplate } from './update-runs.ts';

/**
 * Returns the formulas that a batch rewrote in place and that did not change later, in their old form. Call it before
 * the moves of the batch are undone, because the form of a formula depends on its position.
 */
export function findRewrittenFormulas(
  draft: Draft,
  { runs = [], moves = [] }: InverseHead,
  restoreRun: ReturnType<typeof createRunRestorer>,
  meter: Meter,
): readonly Run[] {
  if (runs.length === 0) return [];
  const places = new CellOrigins((sheet) => draft.sheet(sheet)?.columns.length ?? 0);
  for (const move of moves) places.applyMove(move);
  return runs.flatMap((change) => findUnchanged(draft, change, places, restoreRun, meter));
}

/**
 * Returns the rewritten formulas of one column that did not change later. `places`: current positions of the cells, and
 * their positions after the moves are undone.
 */
function findUnchanged(
  draft: Draft,
  { sheet, column, before, after }: RunChange,
  places: CellOrigins,
  restoreRun: ReturnType<typeof createRunRestorer>,
  meter: Meter,
): readonly Run[] {
  const runsAfter = after.map((stored) => restoreRun(sheet, column, stored));
  const unchanged: Run[] = [];
  for (const old of before.map((stored) => restoreRun(sheet, column, stored))) {
    for (const { top, bottom, origin: at } of places.findRowOrigins(old)) {
      const runs = draft.sheet(at.sheet)?.columns[at.column]?.runs ?? [];
      for (let row = top; row <= bottom; ) {
        meter.reportWork(1);
        const now = findRunFrom(runs, at.row + row - top);
        const then = findRunFrom(runsAfter, row);
        const last = Math.min(bottom, (now?.bottom ?? Infinity) - at.row + top, then?.bottom ?? Infinity);
        if (now === undefined || then === undefined) break;
        const first = Math.max(row, now.top - at.row + top, then.top);
        const isAsMade = now.writer === then.writer && areSameTemplate(now.template, then.template);
        if (first <= last && isAsMade) unchanged.push({ ...old, top: first, bottom: last });
        row = last + 1;
      }
    }
  }
  return unchanged;
}

/** Returns the run that contains a row, or the next run below it. */
function findRunFrom(runs: readonly Run[], row: number): Run | undefined {
  const index = findRun(runs, row);
  return runs[index < 0 ? ~index : index];
}
