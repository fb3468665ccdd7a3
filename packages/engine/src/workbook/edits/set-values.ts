import { area } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { enterInput } from '../enter-input.ts';
import { putNumbers, rowsByChunk } from '../number-columns.ts';
import type { Input, InputSyntax } from '../types.ts';
import type { EditOf, EditResult } from './edit-result.ts';

export function setValues(batch: Batch, edit: EditOf<'setValues'>): EditResult {
  return enterBlock(batch, edit.sheet, edit.row, edit.column, edit.values, edit);
}

/** Enters rows of inputs from a cell on, to the right and down. */
export function enterBlock(
  batch: Batch,
  sheet: number,
  row: number,
  column: number,
  values: readonly (readonly Input[])[],
  how: InputSyntax,
): EditResult {
  let cells = 0;
  let columns = 0;
  for (const rows of rowsByChunk(row, values)) {
    const isPut = putNumbers(batch, { sheet, row, column }, rows);
    for (let r = rows.first; r < rows.end && batch.refusal === null; r++) {
      const inputs = values[r] ?? [];
      if (inputs.length > columns) columns = inputs.length;
      for (let c = 0; c < inputs.length; c++) {
        const input = inputs[c] ?? null;
        if (input === null) continue;
        cells++;
        if (isPut[c] !== true) enterInput(batch, sheet, row + r, column + c, input, how);
      }
    }
  }
  const { merges } = batch.draft.requireSheet(sheet).layout;
  batch.merged.warn(merges, { row, column, values }, (r, c, message) => batch.warnings.add(sheet, r, c, message));
  return { sheet, area: area(row, column, row + values.length - 1, column + Math.max(columns, 1) - 1), cells };
}
