import type { Area } from '../../grid/area.ts';
import { findRun } from '../../sheet/template.ts';
import type { BatchState } from '../batch-state.ts';

/** Marks every formula of the document for calculation. */
export function markAllFormulas({ formulas, dirtyTasks }: BatchState): void {
  for (const { run } of formulas.graph.runs()) dirtyTasks.markFormulas(run, run.top, run.bottom, true);
}

/**
 * Marks the formulas that read one of the sheets and whose writer is not the document's owner. Volatile formulas are
 * calculated anyway.
 */
export function markFormulasReading({ formulas, dirtyTasks }: BatchState, sheets: ReadonlySet<number>): void {
  for (const { run, edges } of formulas.graph.runs()) {
    if (run.writer === null || !edges.some(({ sheet }) => sheets.has(sheet))) continue;
    dirtyTasks.markFormulas(run, run.top, run.bottom);
  }
}

/** Marks the formulas of an area. `areNew`: they have no results yet. */
export function markFormulasInArea(
  { draft, dirtyTasks }: BatchState,
  sheet: number,
  marked: Area,
  areNew: boolean,
): void {
  for (let column = marked.left; column <= marked.right; column++) {
    const runs = draft.sheet(sheet)?.columns[column]?.runs ?? [];
    const from = findRun(runs, marked.top);
    for (let i = from < 0 ? ~from : from; i < runs.length; i++) {
      const run = runs[i];
      if (run === undefined || run.top > marked.bottom) break;
      dirtyTasks.markFormulas(run, Math.max(run.top, marked.top), Math.min(run.bottom, marked.bottom), areNew);
    }
  }
}

/** Marks formulas whose results depend on which rows are hidden. */
export function markFormulasOmittingRows({ formulas, dirtyTasks }: BatchState): void {
  for (const run of formulas.followingHiddenRows) dirtyTasks.markFormulas(run, run.top, run.bottom);
}

/**
 * Marks formulas whose results depend on positions of cells. `withTables`: true to mark formulas that name tables too,
 * because only some cells of a table moved.
 */
export function markPositionDependentFormulas({ formulas, dirtyTasks }: BatchState, withTables: boolean): void {
  const naming = withTables ? formulas.followingNames : [];
  for (const run of [...formulas.followingMoves, ...naming]) dirtyTasks.markFormulas(run, run.top, run.bottom);
}
