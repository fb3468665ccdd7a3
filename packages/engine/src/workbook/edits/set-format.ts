import type { Batch } from '../batch.ts';
import { mapFormats } from '../map-formats.ts';
import type { EditOfKind, EditResult } from './edit-result.ts';

/** Gives the cells of an area a number format; each cell keeps its style. */
export function setFormat(batch: Batch, { sheet, area, format }: EditOfKind<'setFormat'>): EditResult {
  const { formats } = batch.draft;
  const id = formats.ensureFormat(format);
  mapFormats(batch, { sheet, area }, (existing) => formats.combineStyle(id, existing));
  return { sheet, area, cells: 0 };
}
