import { type Area, intersects } from '../../grid/area.ts';
import type { Batch } from '../batch.ts';
import { createSheetOutcome, type EditOfKind, type EditResult } from './edit-result.ts';

export function mergeCells({ draft, meter }: Batch, { sheet, areas }: EditOfKind<'mergeCells'>): EditResult {
  const ownSheet = draft.ensureOwnSheet(sheet);
  const { merges } = ownSheet.layout;
  meter.spendCells(merges.length * areas.length);
  ownSheet.layout = { ...ownSheet.layout, merges: [...removeIntersecting(merges, areas), ...areas] };
  return createSheetOutcome(sheet);
}

export function unmergeCells({ draft }: Batch, { sheet, area }: EditOfKind<'unmergeCells'>): EditResult {
  const ownSheet = draft.ensureOwnSheet(sheet);
  ownSheet.layout = { ...ownSheet.layout, merges: removeIntersecting(ownSheet.layout.merges, [area]) };
  return { sheet, area, cells: 0 };
}

/** The merged ranges that no area intersects. */
function removeIntersecting(merges: readonly Area[], areas: readonly Area[]): readonly Area[] {
  return merges.filter((merge) => !areas.some((area) => intersects(merge, area)));
}
