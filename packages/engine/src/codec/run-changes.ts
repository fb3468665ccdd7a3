import { ChangeLog } from '../calc/change-log.ts';
import type { IntervalSet } from '../graph/interval-set.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { TemplateList } from './document-codec.ts';
import { isSameFormula } from './inputs.ts';
import type { RunChange } from './inverse.ts';

/** The cells of `lost` that have formulas in both states and were not written. */
export function keptFormulas(before: Snapshot, after: Snapshot, lost: ChangeLog, written: ChangeLog): ChangeLog {
  const kept = new ChangeLog();
  for (const [sheet, columns] of lost.rowsWithout(written)) {
    const [old, now] = [before.sheetById(sheet)?.columns ?? [], after.sheetById(sheet)?.columns ?? []];
    for (const [column, rows] of columns) {
      const changeLog = new ChangeLog();
      for (const run of old[column]?.runs ?? []) {
        for (const { top, bottom } of partsWithin(run, rows)) changeLog.addRows(sheet, column, top, bottom);
      }
      const both = changeLog.rowsOf(sheet, column);
      for (const run of now[column]?.runs ?? []) {
        for (const { top, bottom } of partsWithin(run, both)) kept.addRows(sheet, column, top, bottom);
      }
    }
  }
  return kept;
}

/**
 * Returns the changed formulas: all formulas in the cells `rewritten`, even equal ones; with `areAll`, also all other
 * formulas that differ.
 */
export function runChanges(
  before: Snapshot,
  after: Snapshot,
  { rewritten, areAll }: { readonly rewritten: ChangeLog; readonly areAll: boolean },
  templates: TemplateList,
): readonly RunChange[] {
  const changes: RunChange[] = [];
  for (const sheet of before.sheets) {
    const now = after.sheetById(sheet.id);
    if (now === undefined || now === sheet) continue;
    sheet.columns.forEach((column, index) => {
      const other = now.columns[index];
      if (column === undefined || other === undefined) return;
      const rows = rewritten.rowsOf(sheet.id, index);
      const differ = areAll && column.runList !== other.runList;
      if (!differ && rows === undefined) return;
      const reported = (runs: readonly Run[], others: readonly Run[]) =>
        differ ? changedRuns(runs, others, rows) : runs.flatMap((run) => partsWithin(run, rows));
      const removedStoredRuns = reported(column.runs, other.runs).map((run) => templates.store(run));
      const addedStoredRuns = reported(other.runs, column.runs).map((run) => templates.store(run));
      if (removedStoredRuns.length > 0 && addedStoredRuns.length > 0)
        changes.push({ sheet: sheet.id, column: index, before: removedStoredRuns, after: addedStoredRuns });
    });
  }
  return changes;
}

/**
 * Returns the runs that `others` does not contain, and of the other runs the parts in `rows`. Runs are compared by
 * value, because moved runs are other objects.
 */
function changedRuns(runs: readonly Run[], others: readonly Run[], rows: IntervalSet | undefined): readonly Run[] {
  const otherRuns = new Set(others);
  const byTop = new Map(others.map((run) => [run.top, run]));
  return runs.flatMap((run) => {
    const like = byTop.get(run.top);
    const isKnown = otherRuns.has(run) || (like?.bottom === run.bottom && isSameFormula(run, like));
    return isKnown ? partsWithin(run, rows) : [run];
  });
}

/** The parts of a run in some rows. */
function partsWithin(run: Run, rows: IntervalSet | undefined): readonly Run[] {
  const parts: Run[] = [];
  for (let top = rows?.next(run.top) ?? -1; rows && top >= 0 && top <= run.bottom; ) {
    const bottom = Math.min(run.bottom, rows.lastFrom(top));
    parts.push({ ...run, top, bottom });
    top = rows.next(bottom + 1);
  }
  return parts;
}
