import type { Batch } from '../batch.ts';
import { mapFormats } from '../map-formats.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

export function styleCells(batch: Batch, { sheet, area, code, ...edit }: EditOfKind<'styleCells'>): EditResult {
  const { formats } = batch.draft;
  const styles = new Map(edit.styles);
  const ids = new Map<number, number>();
  mapFormats(batch, { sheet, area }, (id) => {
    const cachedId = ids.get(id);
    if (cachedId !== undefined) return cachedId;
    const cellFormat = formats.get(id);
    const style = styles.get(cellFormat.style) ?? cellFormat.style;
    const next = formats.ensureFormat(code ?? cellFormat.code, code === undefined && cellFormat.inferred, style);
    ids.set(id, next);
    return next;
  });
  return { sheet, area, cells: 0 };
}
