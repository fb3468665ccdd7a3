import type { Area } from './area.ts';
import { MAX_COLUMNS, MAX_ROWS } from './limits.ts';
import type { Axis, Move } from './move.ts';
import type { Rearrangement } from './row-order.ts';

/**
 * Adds to the steps of a deletion of whole rows or columns, of the later changes, and of the undo of the deletion, what
 * leads the deleted cells to their restored lines. The cells wait on the sheet `waitingSheet`, an id that no sheet has.
 * Returns the steps of each change; null if the deletion or its undo does more than this.
 */
export function followRestoredLines(
  deleted: readonly Rearrangement[],
  between: readonly (readonly Rearrangement[])[],
  restored: readonly Rearrangement[],
  waitingSheet: number,
): readonly (readonly Rearrangement[])[] | null {
  const [deletion, insertion] = [getWholeLines(deleted, 'delete'), getWholeLines(restored, 'insert')];
  if (deletion === null || insertion === null) return null;
  const { sheet, axis, at, count } = deletion;
  if (insertion.sheet !== sheet || insertion.axis !== axis || insertion.count !== count) return null;
  const isAcross = (step: Rearrangement) =>
    step.kind !== 'order' &&
    step.kind !== 'carry' &&
    step.sheet === sheet &&
    step.axis !== axis &&
    !('across' in step && step.across !== undefined);
  const area = toLines(axis, at, count);
  const from: Move = { kind: 'carry', sheet, area, toSheet: waitingSheet, row: area.top, column: area.left };
  const { top: row, left: column } = toLines(axis, insertion.at, count);
  const back: Move = { kind: 'carry', sheet: waitingSheet, area, toSheet: sheet, row, column };
  return [
    [from, deletion],
    ...between.map((steps) =>
      steps.flatMap((step) => (isAcross(step) ? [step, { ...step, sheet: waitingSheet }] : [step])),
    ),
    [insertion, back],
  ];
}

/** A step that inserts or deletes lines. */
type LineCountChange = Extract<Move, { readonly kind: 'insert' | 'delete' }>;

/** The only step, if it inserts or deletes whole lines. */
function getWholeLines(
  [step, ...others]: readonly Rearrangement[],
  kind: LineCountChange['kind'],
): LineCountChange | null {
  return step?.kind === kind && others.length === 0 && step.across === undefined ? (step as LineCountChange) : null;
}

function toLines(axis: Axis, at: number, count: number): Area {
  return axis === 'rows'
    ? { top: at, bottom: at + count - 1, left: 0, right: MAX_COLUMNS - 1 }
    : { top: 0, bottom: MAX_ROWS - 1, left: at, right: at + count - 1 };
}
