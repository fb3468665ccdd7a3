import { removeSheetFromReferences } from '../formula/index.ts';
import { WHOLE_SHEET } from '../grid/area.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Batch } from './batch.ts';

/** Adds a sheet of a stored state with its formulas, at a zero-based position. */
export function insertSheet(batch: Batch, stored: Sheet, position: number): void {
  batch.pending.flush();
  const sheet = batch.draft.insertSheet(stored, position);
  addSheetFormulas(batch, sheet);
  batch.dirtyTasks.recordChangedArea(sheet.id, WHOLE_SHEET);
}

/** Adds the formulas of a new sheet to the dependency graph and schedules them. */
export function addSheetFormulas({ draft, formulas, toCalculate }: Batch, { columns }: Sheet): void {
  for (const column of columns) {
    for (const run of column?.runs ?? []) {
      formulas.addRun(run, draft);
      toCalculate.addRows(run.sheet, run.column, run.top, run.bottom);
    }
  }
}

/** Removes a sheet with its names and tables. References to it become errors. */
export function removeSheet(batch: Batch, id: number): void {
  batch.resolveNewSheets();
  const order = batch.draft.sheets.map((sheet) => sheet.id);
  detachSheet(batch, id);
  batch.structure.removeSheetEntries(id);
  batch.changeFormulas((node) => removeSheetFromReferences(node, id, order));
}

/** Removes a sheet from the draft. References to it keep its id. */
export function detachSheet(batch: Batch, id: number): void {
  batch.pending.flush();
  const { draft, formulas } = batch;
  for (const column of draft.sheet(id)?.columns ?? []) for (const run of column?.runs ?? []) formulas.removeRun(run);
  batch.dirtyTasks.recordChangedArea(id, WHOLE_SHEET);
  batch.recordLostSheet(id);
  draft.deleteSheet(id);
}
