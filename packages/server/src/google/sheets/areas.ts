import type { Area } from '@cellwire/engine';

/** The parts of an area outside of another one. */
export function withoutArea(area: Area, other: Area): readonly Area[] {
  const top = Math.max(area.top, other.top);
  const bottom = Math.min(area.bottom, other.bottom);
  const left = Math.max(area.left, other.left);
  const right = Math.min(area.right, other.right);
  if (top > bottom || left > right) return [area];
  const parts = [
    { ...area, bottom: top - 1 },
    { ...area, top: bottom + 1 },
    { top, bottom, left: area.left, right: left - 1 },
    { top, bottom, left: right + 1, right: area.right },
  ];
  return parts.filter((part) => part.top <= part.bottom && part.left <= part.right);
}

/** The cells in both areas; null: none. */
export function intersection(a: Area, b: Area): Area | null {
  const top = Math.max(a.top, b.top);
  const bottom = Math.min(a.bottom, b.bottom);
  const left = Math.max(a.left, b.left);
  const right = Math.min(a.right, b.right);
  return top > bottom || left > right ? null : { top, left, bottom, right };
}

export function heightOf({ top, bottom }: Area): number {
  return bottom - top + 1;
}

export function widthOf({ left, right }: Area): number {
  return right - left + 1;
}
