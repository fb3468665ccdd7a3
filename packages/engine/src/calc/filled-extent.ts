import { type Precedent, resolveColumnSpan, resolveRowSpan } from '../graph/precedent.ts';
import { type Area, isSameArea } from '../grid/area.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../grid/limits.ts';
import { EMPTY } from '../sheet/cell-kind.ts';
import type { Draft } from '../sheet/draft.ts';
import type { Extent, Sheet } from '../sheet/snapshot.ts';

/** Minimum width in columns of an area whose extent is kept. */
const MIN_KEPT_COLUMNS = 16;
/** Maximum number of kept extents. */
const MAX_KEPT_EXTENTS = 8;

function hasOpenSide(precedent: Precedent): boolean {
  return precedent.bottom.at === MAX_ROWS - 1 || precedent.right.at === MAX_COLUMNS - 1;
}

interface KeptExtent {
  readonly sheet: Sheet;
  readonly bounds: Area;
  readonly extent: Extent;
}

/** Measures used rows and columns within areas. Keeps the results for wide areas until the draft is written. */
export class FilledExtents {
  private readonly draft: Pick<Draft, 'writes'>;
  private readonly findSheet: (id: number) => Sheet | undefined;
  private writes = -1;
  private kept: KeptExtent[] = [];

  /** `findSheet`: returns a sheet that the running formula may read. */
  constructor(draft: Pick<Draft, 'writes'>, findSheet: (id: number) => Sheet | undefined) {
    this.draft = draft;
    this.findSheet = findSheet;
  }

  /** The size to which all open references of the formula in a cell are clipped: the used size of the largest one. */
  measureCommon(precedents: readonly Precedent[], { row, column }: Readonly<Record<'row' | 'column', number>>): Extent {
    let rows = 0;
    let columns = 0;
    for (const precedent of precedents) {
      if (!hasOpenSide(precedent)) continue;
      const across = resolveColumnSpan(precedent, column);
      const down = resolveRowSpan(precedent, row, row);
      if (!across || !down) continue;
      const filled = this.measure(precedent.sheet, { ...across, ...down });
      if (down.bottom === MAX_ROWS - 1) rows = Math.max(rows, filled.rows);
      if (across.right === MAX_COLUMNS - 1) columns = Math.max(columns, filled.columns);
    }
    return { rows, columns };
  }

  /** The used rows and columns within an area of a sheet. */
  measure(id: number, bounds: Area): Extent {
    const sheet = this.findSheet(id);
    if (sheet === undefined || bounds.right - bounds.left < MIN_KEPT_COLUMNS) return measureFilledExtent(sheet, bounds);
    if (this.writes !== this.draft.writes || this.kept.length >= MAX_KEPT_EXTENTS) this.kept = [];
    this.writes = this.draft.writes;
    const existing = this.kept.find((kept) => kept.sheet === sheet && isSameArea(kept.bounds, bounds));
    if (existing !== undefined) return existing.extent;
    const extent = measureFilledExtent(sheet, bounds);
    this.kept.push({ sheet, bounds, extent });
    return extent;
  }
}

/** The used rows and columns within an area. */
function measureFilledExtent(sheet: Sheet | undefined, bounds: Area): Extent {
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
