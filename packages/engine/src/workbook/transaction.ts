import { findExcess, measureStructure } from '../sheet/structure-size.ts';
import type { Batch } from './batch.ts';
import { changesSheets, checkEdit, isSheetEdit } from './check-edits.ts';
import { addSheet } from './edits/add-sheet.ts';
import { appendRows } from './edits/append-rows.ts';
import { changeSettings } from './edits/change-settings.ts';
import { clearCells } from './edits/clear-cells.ts';
import { colorSheet } from './edits/color-sheet.ts';
import { copyCells } from './edits/copy-cells.ts';
import { deleteName } from './edits/delete-name.ts';
import { deleteSheet } from './edits/delete-sheet.ts';
import { deleteTable } from './edits/delete-table.ts';
import { duplicateSheet } from './edits/duplicate-sheet.ts';
import type { EditOfKind, EditResult } from './edits/edit-result.ts';
import { fillCells } from './edits/fill-cells.ts';
import { filterColumn } from './edits/filter-column.ts';
import { groupLines } from './edits/group-lines.ts';
import { hideLines } from './edits/hide-lines.ts';
import { hideSheet } from './edits/hide-sheet.ts';
import { inheritLines } from './edits/inherit-lines.ts';
import { mergeCells, unmergeCells } from './edits/merge-cells.ts';
import { moveCells } from './edits/move-cells.ts';
import { moveSheet } from './edits/move-sheet.ts';
import { putColumns } from './edits/put-columns.ts';
import { recalculate } from './edits/recalculate.ts';
import { removeDuplicates } from './edits/remove-duplicates.ts';
import { renameName } from './edits/rename-name.ts';
import { renameSheet } from './edits/rename-sheet.ts';
import { replaceAttachments } from './edits/replace-attachments.ts';
import { replaceTexts } from './edits/replace-texts.ts';
import { restoreState } from './edits/restore-state.ts';
import { setFilter } from './edits/set-filter.ts';
import { setFormat } from './edits/set-format.ts';
import { setName } from './edits/set-name.ts';
import { setSheetPart } from './edits/set-sheet-part.ts';
import { setTable } from './edits/set-table.ts';
import { setValues } from './edits/set-values.ts';
import { sizeLines } from './edits/size-lines.ts';
import { sortRows } from './edits/sort-rows.ts';
import { styleCells } from './edits/style-cells.ts';
import { undoBatch } from './edits/undo-batch.ts';
import type { ApplyContext, Edit, Refusal } from './types.ts';

/** The function for each kind of edit. */
const PERFORM: { readonly [K in Edit['kind']]: (batch: Batch, edit: EditOfKind<K>) => EditResult } = {
  setValues,
  putColumns,
  append: appendRows,
  clear: clearCells,
  setFormat,
  sizeLines,
  hideLines,
  groupLines,
  inheritLines,
  mergeCells,
  unmergeCells,
  styleCells,
  attach: replaceAttachments,
  setSheetPart,
  changeSettings,
  setFilter,
  filterColumn,
  addSheet,
  renameSheet,
  deleteSheet,
  hideSheet,
  duplicateSheet,
  moveSheet,
  colorSheet,
  moveCells,
  copy: copyCells,
  fill: fillCells,
  sort: sortRows,
  replace: replaceTexts,
  removeDuplicates,
  setName,
  deleteName,
  renameName,
  setTable,
  deleteTable,
  recalculate,
  takeBack: undoBatch,
  restore: restoreState,
};

/** True for edits that copy the list of sheets, names or tables. */
function copiesStructure(edit: Edit): boolean {
  if (isSheetEdit(edit)) return true;
  switch (edit.kind) {
    case 'colorSheet':
    case 'setName':
    case 'deleteName':
    case 'renameName':
    case 'setTable':
    case 'deleteTable':
      return true;
    default:
      return false;
  }
}

/**
 * Performs edits in order, until one is refused. Edits that follow a change of the sheets are checked here, because
 * `checkBatch` saw the old sheets.
 */
export function performEdits(batch: Batch, edits: readonly Edit[], context: ApplyContext): Refusal | null {
  let hasOtherSheets = false;
  for (let index = 0; index < edits.length; index++) {
    const edit = edits[index]!;
    const isChecked = !hasOtherSheets && edit.kind !== 'append';
    const refusal =
      (isChecked ? null : checkAfterSheetChanges(batch, edit, context)) ?? runEdit(batch, edit) ?? checkCounts(batch);
    if (refusal) return { ...refusal, edit: index };
    hasOtherSheets ||= changesSheets(edit);
  }
  return null;
}

/** Performs one edit and records its outcome. Returns the refusal if it is refused. */
function runEdit(batch: Batch, edit: Edit): Refusal | null {
  if (copiesStructure(edit)) batch.meter.reportWork(measureStructure(batch.draft));
  const performEdit = PERFORM[edit.kind] as (batch: Batch, edit: Edit) => EditResult;
  const result = performEdit(batch, edit);
  if ('kind' in result) return result;
  batch.addOutcome(result);
  return batch.refusal;
}

/** Checks an edit that follows a change of the sheets; null if it may be performed. */
function checkAfterSheetChanges({ draft }: Batch, edit: Edit, context: ApplyContext): Refusal | null {
  const state = {
    sheets: draft.sheets,
    sheetById: (id: number) => draft.sheet(id),
    sheetByName: (name: string) => draft.sheetByName(name),
  };
  return checkEdit(edit, state, context);
}

/** Limits the number of sheets, names and tables, because each change of the structure visits all of them. */
function checkCounts({ draft }: Batch): Refusal | null {
  const counted = findExcess(draft.base, draft);
  return counted && { kind: 'refusal', reason: 'tooMany', ...counted };
}
