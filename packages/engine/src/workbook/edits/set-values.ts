import { area } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { enterInput } from '../enter-input.ts';
import { findChunkEnd, putNumbers } from '../number-columns.ts';
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
  for (let first = 0, end = 0; first < values.length; first = end) {
    end = findChunkEnd(row, first, values.length);
    const isPut = putNumbers(batch, sheet, row, column, values, first, end);
    for (let r = first; r < end && batch.refusal === null; r++) {
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
  if (batch.draft.requireSheet(sheet).layout.merges.length > 0) warnHiddenCells(batch, sheet, row, column, values);
  return { sheet, area: area(row, column, row + values.length - 1, column + Math.max(columns, 1) - 1), cells };
}

/** Warns about values that were entered into cells which a merged range hides. */
function warnHiddenCells(
  { draft, merged, warnings }: Batch,
  sheet: number,
  row: number,
  column: number,
  values: readonly (readonly Input[])[],
): void {
  const { merges } = draft.requireSheet(sheet).layout;
  merged.warnHidden(merges, { row, column, values }, (r, c, message) => warnings.addWarning(sheet, r, c, message));
}
