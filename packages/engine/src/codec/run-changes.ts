import { ChangeLog } from '../calc/change-log.ts';
import type { IntervalSet } from '../graph/interval-set.ts';
import type { Snapshot } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { TemplateList } from './document-codec.ts';
import { isSameFormula } from './inputs.ts';
import type { RunChange } from './inverse.ts';

/** The cells of `lostCells` that have formulas in both states and were not written. */
export function findKeptFormulas(
  before: Snapshot,
  after: Snapshot,
  lostCells: ChangeLog,
  writtenCells: ChangeLog,
): ChangeLog {
  const kept = new ChangeLog();
  for (const [sheet, columns] of lostCells.getRowsWithout(writtenCells)) {
    const [old, now] = [before.sheetById(sheet)?.columns ?? [], after.sheetById(sheet)?.columns ?? []];
    for (const [column, rows] of columns) {
      const changeLog = new ChangeLog();
      for (const run of old[column]?.runs ?? []) {
        for (const { top, bottom } of clipRun(run, rows)) changeLog.addRows(sheet, column, top, bottom);
      }
      const both = changeLog.getChangedRows(sheet, column);
      for (const run of now[column]?.runs ?? []) {
        for (const { top, bottom } of clipRun(run, both)) kept.addRows(sheet, column, top, bottom);
      }
    }
  }
  return kept;
}

/**
 * Returns the changed formulas: all formulas in the cells of `rewritten`, even equal ones. With `areAll`, also all
 * other formulas that differ.
 */
export function findRunChanges(
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
      const rows = rewritten.getChangedRows(sheet.id, index);
      const differ = areAll && column.runList !== other.runList;
      if (!differ && rows === undefined) return;
      const reported = (runs: readonly Run[], others: readonly Run[]) =>
        differ ? findChangedRuns(runs, others, rows) : runs.flatMap((run) => clipRun(run, rows));
      const removedStoredRuns = reported(column.runs, other.runs).map((run) => templates.storeRun(run));
      const addedStoredRuns = reported(other.runs, column.runs).map((run) => templates.storeRun(run));
      if (removedStoredRuns.length > 0 && addedStoredRuns.length > 0)
        changes.push({ sheet: sheet.id, column: index, before: removedStoredRuns, after: addedStoredRuns });
    });
  }
  return changes;
}

/**
 * Returns the runs that `others` does not contain, and the parts of the other runs in `rows`. Runs are compared by
 * content, because moved runs are other objects.
 */
function findChangedRuns(runs: readonly Run[], others: readonly Run[], rows: IntervalSet | undefined): readonly Run[] {
  const otherRuns = new Set(others);
  const byTop = new Map(others.map((run) => [run.top, run]));
  return runs.flatMap((run) => {
    const like = byTop.get(run.top);
    const isKnown = otherRuns.has(run) || (like?.bottom === run.bottom && isSameFormula(run, like));
    return isKnown ? clipRun(run, rows) : [run];
  });
}

/** The parts of a run in some rows. */
function clipRun(run: Run, rows: IntervalSet | undefined): readonly Run[] {
  const parts: Run[] = [];
  for (let top = rows?.findNextRow(run.top) ?? -1; rows && top >= 0 && top <= run.bottom; ) {
    const bottom = Math.min(run.bottom, rows.findIntervalEnd(top));
    parts.push({ ...run, top, bottom });
    top = rows.findNextRow(bottom + 1);
  }
  return parts;
}
