import {
  type Area,
  areaText,
  contains,
  intersects,
  MAX_COLUMNS,
  parseArea,
  union,
  withoutSpans,
} from '@cellwire/engine';
import type { SheetLayout, SizedLines } from '../../data/types.ts';

/** What is known of a sheet before its cells are; its rows and columns are those in use. */
export type SheetShape = Pick<SheetLayout, 'rows' | 'columns' | 'frozen' | 'columnWidths' | 'rowHeights'>;

export const EMPTY_SHAPE: SheetShape = {
  rows: 0,
  columns: 0,
  frozen: { rows: 0, columns: 0 },
  columnWidths: [],
  rowHeights: [],
};

export function shapeOf({ rows, columns, frozen, columnWidths, rowHeights }: SheetLayout): SheetShape {
  return { rows, columns, frozen, columnWidths, rowHeights };
}

/** Rows and columns of a block whose merged ranges are kept together. */
const BLOCK_ROWS = 64;
const BLOCK_COLUMNS = 16;
const BLOCKS_ACROSS = MAX_COLUMNS / BLOCK_COLUMNS;

/** The merged ranges of a sheet. Each cell that is drawn asks for its own, and a file may have tens of thousands. */
export class MergedRanges {
  private readonly areas: readonly Area[];
  private readonly blocks = new Map<number, readonly Area[]>();

  /** `texts`: as the layout has them. */
  constructor(texts: readonly string[]) {
    this.areas = texts.flatMap((text) => parseArea(text) ?? []);
  }

  /** The one that a cell is in; null: none. */
  at(row: number, column: number): Area | null {
    if (this.areas.length === 0) return null;
    return this.nearby(row, column).find((area) => contains(area, row, column)) ?? null;
  }

  /** An area with all of the merged ranges that it has a part of. */
  expand(area: Area): Area {
    let grown = area;
    for (;;) {
      const next = this.areas.filter((merged) => intersects(merged, grown)).reduce(union, grown);
      if (areaText(next) === areaText(grown)) return grown;
      grown = next;
    }
  }

  private nearby(row: number, column: number): readonly Area[] {
    const top = row - (row % BLOCK_ROWS);
    const left = column - (column % BLOCK_COLUMNS);
    const key = (top / BLOCK_ROWS) * BLOCKS_ACROSS + left / BLOCK_COLUMNS;
    let near = this.blocks.get(key);
    if (near === undefined) {
      const block = { top, left, bottom: top + BLOCK_ROWS - 1, right: left + BLOCK_COLUMNS - 1 };
      near = this.areas.filter((area) => intersects(area, block));
      this.blocks.set(key, near);
    }
    return near;
  }
}

/** Sizes with those of some lines on top; both are sorted. */
export function withSizes(lines: readonly SizedLines[], top: readonly SizedLines[]): readonly SizedLines[] {
  return [...withoutSpans(lines, top), ...top].sort((a, b) => a.first - b.first);
}
