import { type Area, height, intersection, subtract } from '../grid/area.ts';
import { type Attachment, CELL_KINDS } from '../sheet/attachment.ts';

/** The target of a removed row. */
const REMOVED = -1;

/**
 * Returns the attachments of a sheet after rows of an area were reordered: see `reorderRows`. Attachments with formulas
 * stay, because their formulas are relative to their cells.
 */
export function reorderAttachments(
  attachments: readonly Attachment[],
  area: Area,
  order: readonly number[],
): readonly Attachment[] {
  const isReordered = ({ kind, formulas, areas }: Attachment) =>
    CELL_KINDS.has(kind) && formulas.length === 0 && areas.some((own) => intersection(own, area) !== null);
  if (!attachments.some(isReordered)) return attachments;
  const targets = new Int32Array(height(area)).fill(REMOVED);
  for (const [to, from] of order.entries()) targets[from] = to;
  return attachments.flatMap((attachment) => {
    if (!isReordered(attachment)) return [attachment];
    const areas = attachment.areas.flatMap((own) => reorderArea(own, area, targets));
    return areas.length === 0 ? [] : [{ ...attachment, areas }];
  });
}

/** The areas of the same cells after the rows of `within` were reordered. */
function reorderArea(own: Area, within: Area, targets: Int32Array): readonly Area[] {
  const shared = intersection(own, within);
  if (shared === null) return [own];
  const rows = [...targets.subarray(shared.top - within.top, shared.bottom - within.top + 1)];
  const kept = rows.filter((row) => row !== REMOVED).sort((a, b) => a - b);
  return [...subtract(own, shared), ...joinRows(kept, within.top, shared)];
}

/** Areas with the columns of an area and the given rows, in ascending order and counted from `top`. */
function joinRows(rows: readonly number[], top: number, { left, right }: Area): readonly Area[] {
  const areas: Area[] = [];
  for (const row of rows) {
    const last = areas.at(-1);
    const isNext = last !== undefined && last.bottom + 1 === top + row;
    if (isNext) areas.pop();
    areas.push({ top: isNext ? last.top : top + row, left, bottom: top + row, right });
  }
  return areas;
}
