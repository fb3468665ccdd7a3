import { type Area, intersects } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { type EditOf, type EditResult, sheetOutcome } from './edit-result.ts';

export function mergeCells({ draft, meter }: Batch, { sheet, areas }: EditOf<'mergeCells'>): EditResult {
  const own = draft.ownSheet(sheet);
  const { merges } = own.layout;
  meter.spend(merges.length * areas.length);
  own.layout = { ...own.layout, merges: [...withoutIntersecting(merges, areas), ...areas] };
  return sheetOutcome(sheet);
}

export function unmergeCells({ draft }: Batch, { sheet, area }: EditOf<'unmergeCells'>): EditResult {
  const own = draft.ownSheet(sheet);
  own.layout = { ...own.layout, merges: withoutIntersecting(own.layout.merges, [area]) };
  return { sheet, area, cells: 0 };
}

function withoutIntersecting(merges: readonly Area[], areas: readonly Area[]): readonly Area[] {
  return merges.filter((merge) => !areas.some((area) => intersects(merge, area)));
}
