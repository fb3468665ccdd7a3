import type { Area, Sheet } from '@cellwire/engine';

/** The part of an area above and left of the end of the sheet's filled cells; null if it has none. */
export function clipToExtent(sheet: Sheet, { top, left, bottom, right }: Area): Area | null {
  const { rows, columns } = sheet.extent();
  const area = { top, left, bottom: Math.min(bottom, rows - 1), right: Math.min(right, columns - 1) };
  return area.bottom < top || area.right < left ? null : area;
}
