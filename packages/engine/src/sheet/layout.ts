import type { Area } from '../grid/area.ts';
import type { Axis } from '../grid/move.ts';
import type { Attachment } from './attachment.ts';

/** Consecutive rows or columns with the same appearance. */
export interface Band {
  /** First and last line, zero-based and inclusive. */
  readonly first: number;
  readonly last: number;
  /** Width in characters of the default font, or height in points. Absent for the sheet's default size. */
  readonly size?: number;
  /** True if a user set the size; absent if it is adapted to the contents. */
  readonly custom?: true;
  /** True for hidden columns; else absent. Hidden rows are in `Sheet.hiddenRows`. */
  readonly hidden?: true;
  /** Depth of the outline group, 1 to 7. */
  readonly level?: number;
  readonly collapsed?: true;
  /** Number format code of unwritten cells in these rows. */
  readonly format?: string;
  readonly style?: string;
}

/**
 * The appearance of a sheet, without the formats of its cells. An import keeps it for the export. It is stored by
 * position, so that it can move with rows and columns. Immutable plain data.
 */
export interface Layout {
  /** Columns with a size, a group or other properties; sorted, without overlap. */
  readonly columns: readonly Band[];
  readonly rows: readonly Band[];
  /** Merged ranges, without overlap. */
  readonly merges: readonly Area[];
  /** Attachments in the order of the file. */
  readonly attachments: readonly Attachment[];
  /** File parts by name. The export writes them unchanged; the engine does not interpret them. */
  readonly carried: Readonly<Record<string, string>>;
}

/** The layout of a new sheet. */
export const PLAIN_LAYOUT: Layout & { readonly attachments: readonly never[] } = {
  columns: [],
  rows: [],
  merges: [],
  attachments: [],
  carried: {},
};

/**
 * Sets the size of lines `first` to `last`: for columns in characters of the default font, where 0 hides them; for rows
 * in points.
 */
export function setLineSize(layout: Layout, axis: Axis, first: number, last: number, size: number): Layout {
  return changeLineBands(layout, axis, first, last, (band) => resizeBand(band, size));
}

/** The deepest outline group that files and other programs support. */
const MAX_GROUP_LEVEL = 7;

/** Returns the layout with the outline groups of lines `first` to `last` one level deeper (1) or less deep (-1). */
export function changeGroupLevels(
  layout: Layout,
  axis: Axis,
  first: number,
  last: number,
  levelChange: 1 | -1,
): Layout {
  return changeLineBands(layout, axis, first, last, ({ level = 0, ...band }) => {
    const next = Math.min(Math.max(level + levelChange, 0), MAX_GROUP_LEVEL);
    return next === 0 ? band : { ...band, level: next };
  });
}

/** Returns the layout with columns `first` to `last` hidden or shown. Their sizes do not change. */
export function setColumnsHidden(layout: Layout, first: number, last: number, isHidden: boolean): Layout {
  return changeLineBands(layout, 'columns', first, last, ({ hidden: _, ...band }) =>
    isHidden ? { ...band, hidden: true } : band,
  );
}

/** Returns the layout with the size, number format and style of line `from` copied to lines `first` to `last`. */
export function copyLineProperties(layout: Layout, axis: Axis, from: number, first: number, last: number): Layout {
  const source = layout[axis].find((band) => band.first <= from && band.last >= from);
  if (source === undefined) return layout;
  const { first: _first, last: _last, hidden, level, collapsed, ...shown } = source;
  return changeLineBands(layout, axis, first, last, (band) => ({ ...band, ...shown }));
}

function changeLineBands(
  layout: Layout,
  axis: Axis,
  first: number,
  last: number,
  change: (band: Band) => Band,
): Layout {
  return { ...layout, [axis]: changeBands(layout[axis], first, last, change) };
}

/** Applies `change` to the lines `first` to `last`; splits bands of lines with the same properties where necessary. */
function changeBands(
  bands: readonly Band[],
  first: number,
  last: number,
  change: (band: Band) => Band,
): readonly Band[] {
  const inside: Band[] = [];
  const outside: Band[] = [];
  let next = first;
  for (const band of bands) {
    if (band.last < first || band.first > last) {
      outside.push(band);
      continue;
    }
    if (band.first < first) outside.push({ ...band, last: Math.min(band.last, first - 1) });
    if (band.last > last) outside.push({ ...band, first: Math.max(band.first, last + 1) });
    const [from, to] = [Math.max(band.first, first), Math.min(band.last, last)];
    if (from > to) continue;
    if (from > next) inside.push({ first: next, last: from - 1 });
    inside.push({ ...band, first: from, last: to });
    next = to + 1;
  }
  if (next <= last) inside.push({ first: next, last });
  // A band without properties is not stored.
  const changed = inside.map(change).filter((band) => Object.keys(band).length > 2);
  return [...outside, ...changed].sort((a, b) => a.first - b.first);
}

/** Returns a band with another size. Size 0 hides a column, which keeps its old size. */
function resizeBand(band: Band, size: number): Band {
  if (size === 0) return { ...band, hidden: true };
  const { hidden: _, ...shown } = band;
  return { ...shown, size, custom: true };
}
