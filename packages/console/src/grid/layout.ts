import { type Area, parseArea } from '@cellwire/engine';
import type { SizedLines } from './axis.ts';
import type { Look } from './looks.ts';
import type { Shape } from './view.ts';

/** How a sheet is laid out, as the service tells it. Sizes in pixels; 0: hidden. */
export interface SheetLayout {
  readonly rows: number;
  readonly columns: number;
  readonly frozen: { readonly rows: number; readonly columns: number };
  readonly columnWidths: readonly SizedLines[];
  readonly rowHeights: readonly SizedLines[];
  readonly merges: readonly string[];
  /** Whether any cell of the document has a style. */
  readonly hasLooks: boolean;
  readonly locale: string;
  readonly protection: { readonly hideValues: boolean; readonly lock: boolean };
  /** What the caller may do with its cells. */
  readonly may: { readonly read: boolean; readonly write: boolean };
}

/** The styles of blocks: of each its distinct ones, and a number of them for every cell (-1: plain). */
export interface Looking {
  readonly looks: readonly {
    readonly styles: readonly Look[];
    readonly cells: readonly (readonly number[])[];
  }[];
}

export function shapeOf({ rows, columns, frozen, columnWidths, rowHeights }: SheetLayout): Shape {
  return { rows, columns, frozen, columnWidths, rowHeights };
}

export function mergesOf(layout: SheetLayout | null): readonly Area[] {
  return (layout?.merges ?? []).flatMap((text) => parseArea(text) ?? []);
}

/** Sizes with one line's own on top. */
export function withSize(lines: readonly SizedLines[], line: number, size: number): readonly SizedLines[] {
  const around = lines.flatMap((entry) => {
    if (line < entry.first || line > entry.last) return [entry];
    const before = { ...entry, last: line - 1 };
    const after = { ...entry, first: line + 1 };
    return [before, after].filter(({ first, last }) => first <= last);
  });
  return [...around, { first: line, last: line, size }].sort((a, b) => a.first - b.first);
}
