import { cellCount } from '../../grid/area.ts';
import { GENERAL } from '../../sheet/formats.ts';
import type { Batch } from '../batch.ts';
import type { EditOf, EditResult } from './edit-result.ts';

/** Gives the cells of an area a number format; each keeps its style. */
export function setFormat(batch: Batch, { sheet, area, format }: EditOf<'setFormat'>): EditResult {
  const { draft, meter, cells } = batch;
  meter.spend(cellCount(area));
  const id = draft.formats.idOf(format);
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      meter.pass(1);
      const held = draft.sheet(sheet)?.format(row, column) ?? GENERAL;
      cells.setFormat(sheet, row, column, draft.formats.inStyleOf(id, held));
    }
  }
  return { sheet, area, cells: 0 };
}
