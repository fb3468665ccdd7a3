import { type Precedent, resolveColumnSpan, resolveRowSpan } from '../graph/precedents.ts';
import type { Area } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import type { Extent, Sheet } from '../sheet/snapshot.ts';

function hasOpenSide(precedent: Precedent): boolean {
  return precedent.bottom.at === MAX_ROWS - 1 || precedent.right.at === MAX_COLUMNS - 1;
}

/** The size to which all open references of the formula in a cell are clipped: the used size of the largest one. */
export function measureCommonExtent(
  precedents: readonly Precedent[],
  { row, column }: { readonly row: number; readonly column: number },
  findSheet: (id: number) => Sheet | undefined,
): Extent {
  let rows = 0;
  let columns = 0;
  for (const precedent of precedents) {
    if (!hasOpenSide(precedent)) continue;
    const across = resolveColumnSpan(precedent, column);
    const down = resolveRowSpan(precedent, row, row);
    if (!across || !down) continue;
    const filled = measureFilledExtent(findSheet(precedent.sheet), { ...across, ...down });
    if (down.bottom === MAX_ROWS - 1) rows = Math.max(rows, filled.rows);
    if (across.right === MAX_COLUMNS - 1) columns = Math.max(columns, filled.columns);
  }
  return { rows, columns };
}

/** The used rows and columns within an area. */
export function measureFilledExtent(sheet: Sheet | undefined, bounds: Area): Extent {
  let rows = 0;
  let columns = 0;
  if (!sheet) return { rows, columns };
  const right = Math.min(bounds.right, sheet.columns.length - 1);
  for (let column = bounds.left; column <= right; column++) {
    const filled = sheet.columns[column]?.filledRows() ?? 0;
    if (filled <= bounds.top) continue;
    if (bounds.bottom < MAX_ROWS - 1 && !isFilled(sheet, column, bounds.top, Math.min(bounds.bottom, filled - 1)))
      continue;
    rows = Math.max(rows, filled);
    columns = column + 1;
  }
  return { rows, columns };
}

/** True if a cell of rows `top` to `bottom` of the column is not empty. */
function isFilled(sheet: Sheet, column: number, top: number, bottom: number): boolean {
  for (let row = top; row <= bottom; row++) if (sheet.kind(row, column) !== EMPTY) return true;
  return false;
}
