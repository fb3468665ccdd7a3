import type { Area, Sheet } from '@cellwire/engine';
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

/** The last filled cell of the last non-empty row. */
function findLastFilled(sheet: Sheet, { top, left, bottom, right }: Area): Area | null {
  for (let row = bottom; row >= top; row--) {
    for (let column = right; column >= left; column--) {
      if (isFilled(sheet, row, column)) return { top: row, left: column, bottom: row, right: column };
    }
  }
  return null;
}

/** Extends an area until the rows and columns around it are empty. */
function findBlockAround(sheet: Sheet, start: Area): Area {
  const extent = sheet.extent();
  let { top, left, bottom, right } = start;
  for (;;) {
    const before = { top, left, bottom, right };
    while (top > 0 && hasFilled(sheet, top - 1, top - 1, left - 1, right + 1)) top--;
    while (bottom < extent.rows - 1 && hasFilled(sheet, bottom + 1, bottom + 1, left - 1, right + 1)) bottom++;
    while (left > 0 && hasFilled(sheet, top - 1, bottom + 1, left - 1, left - 1)) left--;
    while (right < extent.columns - 1 && hasFilled(sheet, top - 1, bottom + 1, right + 1, right + 1)) right++;
    if (isSameArea(before, { top, left, bottom, right })) return before;
  }
}

function hasFilled(sheet: Sheet, top: number, bottom: number, left: number, right: number): boolean {
  const { rows, columns } = sheet.extent();
  const [last, end] = [Math.min(bottom, rows - 1), Math.min(right, columns - 1)];
  for (let column = Math.max(left, 0); column <= end; column++) {
    for (let row = Math.max(top, 0); row <= last; row++) if (isFilled(sheet, row, column)) return true;
  }
  return false;
}

function isFilled(sheet: Sheet, row: number, column: number): boolean {
  return sheet.kind(row, column) !== 0;
}

function isSameArea(a: Area, b: Area): boolean {
  return a.top === b.top && a.left === b.left && a.bottom === b.bottom && a.right === b.right;
}
