import { area } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { enterInput } from '../enter-input.ts';
import { putNumbers, splitRowsByChunk } from '../number-columns.ts';
import type { Input, InputSyntax } from '../types.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

export function setValues(batch: Batch, edit: EditOfKind<'setValues'>): EditResult {
  return enterBlock(batch, edit.sheet, edit.row, edit.column, edit.values, edit);
}

/** Enters rows of inputs. The first input goes into the given cell, the others to its right and below. */
export function enterBlock(
  batch: Batch,
  sheet: number,
  row: number,
  column: number,
  values: readonly (readonly Input[])[],
  syntax: InputSyntax,
): EditResult {
  let cells = 0;
  let columns = 0;
  for (const rows of splitRowsByChunk(row, values)) {
    const isPut = putNumbers(batch, { sheet, row, column }, rows);
    for (let r = rows.first; r < rows.end && batch.refusal === null; r++) {
      const inputs = values[r] ?? [];
      if (inputs.length > columns) columns = inputs.length;
      for (let c = 0; c < inputs.length; c++) {
        const input = inputs[c] ?? null;
        if (input === null) continue;
        cells++;
        if (isPut[c] !== true) enterInput(batch, sheet, row + r, column + c, input, syntax);
      }
    }
  }
  const { merges } = batch.draft.requireSheet(sheet).layout;
  batch.merged.warnHidden(merges, { row, column, values }, (r, c, message) =>
    batch.warnings.addWarning(sheet, r, c, message),
  );
  return { sheet, area: area(row, column, row + values.length - 1, column + Math.max(columns, 1) - 1), cells };
}
