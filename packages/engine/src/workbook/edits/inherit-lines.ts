import { MAX_COLUMNS, MAX_ROWS } from '../../grid/limits.ts';
import { CHUNK_ROWS } from '../../sheet/chunk.ts';
import { GENERAL } from '../../sheet/formats.ts';
import { copyLineProperties } from '../../sheet/layout.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

/** Gives rows or columns the formats and size of the row or column `from`. */
export function inheritLines(batch: Batch, edit: EditOfKind<'inheritLines'>): EditResult {
  const { sheet: id, axis, from, first, last } = edit;
  const { draft, meter, cells } = batch;
  const sheet = draft.requireSheet(id);
  const isRows = axis === 'rows';
  const length = isRows
    ? Math.min(sheet.columns.length, MAX_COLUMNS)
    : Math.min((sheet.columns[from]?.blocks ?? 0) * CHUNK_ROWS, MAX_ROWS);
  meter.spendCells(length);
  for (let across = 0; across < length; across++) {
    meter.reportWork(1);
    const lineFormat = isRows ? sheet.format(from, across) : sheet.format(across, from);
    // An inferred format belongs to its formula and is not inherited.
    const format = draft.formats.get(lineFormat).inferred
      ? draft.formats.combineStyle(GENERAL, lineFormat)
      : lineFormat;
    if (format === GENERAL) continue;
    meter.spendCells(last - first + 1);
    for (let line = first; line <= last; line++) {
      meter.reportWork(1);
      if (isRows) cells.setFormat(id, line, across, format);
      else cells.setFormat(id, across, line, format);
    }
  }
  const { layout } = draft.requireSheet(id);
  draft.ensureOwnSheet(id).layout = copyLineProperties(layout, axis, from, first, last);
  return createSheetOutcome(id);
}
