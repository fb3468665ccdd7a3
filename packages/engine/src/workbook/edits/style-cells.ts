import { cellCount } from '../../grid/area.ts';
import { GENERAL } from '../../sheet/formats.ts';
import type { Batch } from '../batch.ts';
import type { EditOf, EditResult } from './edit-result.ts';

export function styleCells(batch: Batch, edit: EditOf<'styleCells'>): EditResult {
  const { sheet, area, code } = edit;
  const { draft, meter, cells } = batch;
  meter.spend(cellCount(area));
  const styles = new Map(edit.styles);
  const { formats } = draft;
  const ids = new Map<number, number>();
  const idFor = (id: number): number => {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const held = formats.get(id);
    const style = styles.get(held.style) ?? held.style;
    const next = formats.idOf(code ?? held.code, code === undefined && held.inferred, style);
    ids.set(id, next);
    return next;
  };
  for (let column = area.left; column <= area.right; column++) {
    for (let row = area.top; row <= area.bottom; row++) {
      meter.pass(1);
      const held = draft.sheet(sheet)?.format(row, column) ?? GENERAL;
      cells.setFormat(sheet, row, column, idFor(held));
    }
  }
  return { sheet, area, cells: 0 };
}
