import type { Matrix } from '../functions/value.ts';
import type { Draft } from '../sheet/draft.ts';
import { GENERAL } from '../sheet/formats.ts';
import type { Sheet } from '../sheet/snapshot.ts';
import type { Run } from '../sheet/template.ts';
import type { ChangeLog } from './change-log.ts';

/**
 * Gives a formula's cell the format of its result, unless a user set a format. Only numbers have an inferred format,
 * and it changes with the result. The style of the cell does not change.
 */
export function applyResultFormat(draft: Draft, run: Run, row: number, format: number, changes: ChangeLog): void {
  setFormat(draft, draft.requireSheet(run.sheet), row, run.column, format, changes);
}

/**
 * Gives several cells of a run the formats of their results, as `applyResultFormat` does for one. `formats` has one element
 * per row.
 */
export function applyResultFormats(
  draft: Draft,
  run: Run,
  first: number,
  count: number,
  formats: Uint16Array,
  changes: ChangeLog,
): void {
  for (let i = 0; i < count; i++) applyResultFormat(draft, run, first + i, formats[i]!, changes);
}

/** Gives the cells of a spill the formats of the array's elements. */
export function applySpillFormats(draft: Draft, run: Run, anchorRow: number, matrix: Matrix, changes: ChangeLog): void {
  const { rows, columns, data } = matrix;
  for (let c = 0; c < columns; c++) {
    for (let r = 0, at = c; r < rows; r++, at += columns) {
      const format = typeof data[at] === 'number' ? matrix.formatAt(at) : GENERAL;
      // After the first change, the sheet is the draft's own copy.
      const sheet = draft.requireSheet(run.sheet);
      setFormat(draft, sheet, anchorRow + r, run.column + c, format, changes);
    }
  }
}

/** Removes an inferred format from a cell without a result. */
export function removeInferredFormat(
  draft: Draft,
  sheet: Sheet,
  row: number,
  column: number,
  changes: ChangeLog,
): void {
  setFormat(draft, sheet, row, column, GENERAL, changes);
}

function setFormat(draft: Draft, sheet: Sheet, row: number, column: number, format: number, changes: ChangeLog): void {
  const { formats } = draft;
  const current = sheet.format(row, column);
  if (current === format || !(formats.isGeneral(current) || formats.get(current).inferred)) return;
  if (draft.setFormat(sheet.id, row, column, formats.combineStyle(format, current))) changes.add(sheet.id, row, column);
}
