import { type Area, findLastFilledRow, findRunEnd, findRunStart, type Sheet } from '@cellwire/engine';
import type { ResolvedRange } from '../sheets/resolve.ts';

/** The block of filled cells below which an append writes; null: the range touches none. */
export function findTableArea({ sheet, range }: ResolvedRange): Area | null {
  const { rows, columns } = sheet.extent();
  if (rows === 0) return null;
  const within = {
    top: range.top,
    left: range.left,
    bottom: Math.min(range.bottom, rows - 1),
    right: Math.min(range.right, columns - 1),
  };
  const last = findLastFilled(sheet, within);
  return last === null ? null : findBlockAround(sheet, last);
}

/** The last filled cell of the last non-empty row, as an area of one cell. */
function findLastFilled(sheet: Sheet, { top, left, bottom, right }: Area): Area | null {
  let last: Area | null = null;
  for (let column = left; column <= right; column++) {
    const row = findLastFilledRow(sheet, column, last?.bottom ?? top, bottom);
    if (row >= 0) last = { top: row, left: column, bottom: row, right: column };
  }
  return last;
}

/** Extends an area until the rows and columns around it are empty. */
function findBlockAround(sheet: Sheet, start: Area): Area {
  let area = start;
  for (;;) {
    const next = extendHorizontally(sheet, extendVertically(sheet, area));
    if (isSameArea(area, next)) return area;
    area = next;
  }
}

/** Extends an area by filled cells above and below it. Cells that touch a corner count. */
function extendVertically(sheet: Sheet, { top, left, bottom, right }: Area): Area {
  const first = Math.max(left - 1, 0);
  let area = { top, left, bottom, right };
  for (;;) {
    const before = area;
    for (let column = first; column <= right + 1; column++) {
      area = {
        ...area,
        top: findRunStart(sheet, column, area.top),
        bottom: findRunEnd(sheet, column, area.bottom + 1) - 1,
      };
    }
    if (isSameArea(before, area)) return area;
  }
}

/** Extends the area to the left and right while the next column has a filled cell beside it. */
function extendHorizontally(sheet: Sheet, { top, left, bottom, right }: Area): Area {
  const { columns } = sheet.extent();
  const isFilled = (column: number) => findLastFilledRow(sheet, column, Math.max(top - 1, 0), bottom + 1) >= 0;
  let [first, last] = [left, right];
  while (first > 0 && isFilled(first - 1)) first--;
  while (last < columns - 1 && isFilled(last + 1)) last++;
  return { top, left: first, bottom, right: last };
}

function isSameArea(a: Area, b: Area): boolean {
  return a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}
