import type { Meter } from '../calc/budget.ts';
import type { runRestorer } from '../codec/document-codec.ts';
import type { InverseHead, RunChange } from '../codec/inverse.ts';
import { type Move, movedCell, reversed, rowBounds } from '../grid/move.ts';
import type { Draft } from '../sheet/draft.ts';
import { findRun, type Run } from '../sheet/template.ts';
import { sameTemplate } from './runs.ts';

/** Rows of one column, by the first one's place and where they stand after moves. */
interface Rows {
  readonly top: number;
  readonly bottom: number;
  readonly at: { readonly sheet: number; readonly row: number; readonly column: number };
}

/**
 * The formulas that a batch rewrote in their places and that are still what it made, as they were before it. To be asked
 * for before its moves are taken back: what a formula of the batch looks like depends on where it stands.
 */
export function rewrittenFormulas(
  draft: Draft,
  { runs = [], moves = [] }: InverseHead,
  restoreRun: ReturnType<typeof runRestorer>,
  meter: Meter,
): readonly Run[] {
  const there = moves.map(reversed).reverse();
  return runs.flatMap((change) => stillAsMade(draft, change, there, restoreRun, meter));
}

function stillAsMade(
  draft: Draft,
  { sheet, column, before, after }: RunChange,
  there: readonly Move[],
  restoreRun: ReturnType<typeof runRestorer>,
  meter: Meter,
): readonly Run[] {
  const made = after.map((stored) => restoreRun(sheet, column, stored));
  const found: Run[] = [];
  for (const old of before.map((stored) => restoreRun(sheet, column, stored))) {
    for (const { top, bottom, at } of rowsAfter(old, there)) {
      const held = draft.sheet(at.sheet)?.columns[at.column]?.runs ?? [];
      for (let row = top; row <= bottom; ) {
        meter.pass(1);
        const now = runFrom(held, at.row + row - top);
        const then = runFrom(made, row);
        const last = Math.min(bottom, (now?.bottom ?? Infinity) - at.row + top, then?.bottom ?? Infinity);
        if (now === undefined || then === undefined) break;
        const first = Math.max(row, now.top - at.row + top, then.top);
        const isAsMade = now.writer === then.writer && sameTemplate(now.template, then.template);
        if (first <= last && isAsMade) found.push({ ...old, top: first, bottom: last });
        row = last + 1;
      }
    }
  }
  return found;
}

/** The run that holds a row, or the next one below it. */
function runFrom(runs: readonly Run[], row: number): Run | undefined {
  const index = findRun(runs, row);
  return runs[index < 0 ? ~index : index];
}

/** The rows of a run, in pieces that stay together under moves; lost ones are left out. */
function rowsAfter({ sheet, column, top, bottom }: Run, moves: readonly Move[]): readonly Rows[] {
  let pieces: readonly Rows[] = [{ top, bottom, at: { sheet, row: top, column } }];
  for (const move of moves) pieces = pieces.flatMap((rows) => movedRows(rows, move));
  return pieces;
}

function movedRows({ top, bottom, at }: Rows, move: Move): readonly Rows[] {
  const end = at.row + bottom - top;
  const inside = rowBounds(move).filter((row) => row > at.row && row <= end);
  const starts = [at.row, ...inside.sort((a, b) => a - b)];
  return starts.flatMap((row, i): readonly Rows[] => {
    const to = movedCell(move, at.sheet, row, at.column);
    const last = (starts[i + 1] ?? end + 1) - 1;
    return to === null ? [] : [{ top: top + row - at.row, bottom: top + last - at.row, at: to }];
  });
}
