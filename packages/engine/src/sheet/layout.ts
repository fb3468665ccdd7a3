import type { Area } from '../grid/area.ts';
import type { Axis } from '../grid/move.ts';
import type { Attachment } from './attachment.ts';

/** Consecutive rows or columns that are shown alike. */
export interface Band {
  /** From 0, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Width in characters of the default font, or height in points; absent: the sheet's default. */
  readonly size?: number;
  /** Whether somebody chose the size; else it follows the contents. */
  readonly custom?: true;
  /** Of columns; hidden rows are in `Sheet.hiddenRows`. */
  readonly hidden?: true;
  /** Depth of the outline group, 1 to 7. */
  readonly level?: number;
  readonly collapsed?: true;
  /** Of rows: the number format's code and the style of cells never written. */
  readonly format?: string;
  readonly style?: string;
}

/**
 * How a sheet is shown beside its cells' formats: carried from a file to its export, by place, so that it can follow
 * when rows and columns move. Plain data; another one where something of it changes.
 */
export interface Layout {
  /** Sorted, none over another. */
  readonly columns: readonly Band[];
  readonly rows: readonly Band[];
  /** Merged ranges, none over another. */
  readonly merges: readonly Area[];
  /** In the order of the file. */
  readonly attachments: readonly Attachment[];
  /** By name what an export writes as it was read and this engine never looks into. */
  readonly carried: Readonly<Record<string, string>>;
}

/** Nothing out of the ordinary. */
export const PLAIN_LAYOUT: Layout & { readonly attachments: readonly never[] } = {
  columns: [],
  rows: [],
  merges: [],
  attachments: [],
  carried: {},
};

/**
 * With another size of the lines from `first` to `last`: in characters of the default font of columns, of which 0 hides
 * them; in points of rows.
 */
export function withSize(layout: Layout, axis: Axis, first: number, last: number, size: number): Layout {
  return { ...layout, [axis]: resizeBands(layout[axis], first, last, size) };
}

function resizeBands(bands: readonly Band[], first: number, last: number, size: number): readonly Band[] {
  const inside: Band[] = [];
  const outside: Band[] = [];
  let next = first;
  for (const band of bands) {
    if (band.first < first) outside.push({ ...band, last: Math.min(band.last, first - 1) });
    if (band.last > last) outside.push({ ...band, first: Math.max(band.first, last + 1) });
    const [from, to] = [Math.max(band.first, first), Math.min(band.last, last)];
    if (from > to) continue;
    if (from > next) inside.push({ first: next, last: from - 1 });
    inside.push({ ...band, first: from, last: to });
    next = to + 1;
  }
  if (next <= last) inside.push({ first: next, last });
  return [...outside, ...inside.map((band) => withBandSize(band, size))].sort((a, b) => a.first - b.first);
}

/** A hidden column keeps the size that it had. */
function withBandSize(band: Band, size: number): Band {
  if (size === 0) return { ...band, hidden: true };
  const { hidden: _, ...shown } = band;
  return { ...shown, size, custom: true };
}
