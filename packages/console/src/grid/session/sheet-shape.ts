import {
  type Area,
  areaText,
  contains,
  intersects,
  MAX_COLUMNS,
  parseArea,
  subtractSpans,
  union,
} from '@cellwire/engine';
import type { SheetLayout, SizedLines } from '../../data/types.ts';

/** Layout of a sheet before its cells are loaded. `rows` and `columns` are the size of the used area. */
export type SheetShape = Pick<SheetLayout, 'rows' | 'columns' | 'frozen' | 'columnWidths' | 'rowHeights'>;

export const EMPTY_SHAPE: SheetShape = {
  rows: 0,
  columns: 0,
  frozen: { rows: 0, columns: 0 },
  columnWidths: [],
  rowHeights: [],
};

export function toSheetShape({ rows, columns, frozen, columnWidths, rowHeights }: SheetLayout): SheetShape {
  return { rows, columns, frozen, columnWidths, rowHeights };
}

/** Rows and columns of a block, for which merged ranges are indexed. */
const BLOCK_ROWS = 64;
const BLOCK_COLUMNS = 16;
const BLOCKS_ACROSS = MAX_COLUMNS / BLOCK_COLUMNS;

/**
 * Merged ranges of a sheet, indexed by block, because each drawn cell looks up its merged range and a file may have
 * tens of thousands of them.
 */
export class MergedRanges {
  private readonly areas: readonly Area[];
  private readonly blocks = new Map<number, readonly Area[]>();

  /** `texts`: ranges in A1 notation. */
  constructor(texts: readonly string[]) {
    this.areas = texts.flatMap((text) => parseArea(text) ?? []);
  }

  /** The merged range of a cell; null if none. */
  findArea(row: number, column: number): Area | null {
    if (this.areas.length === 0) return null;
    return this.listBlockAreas(row, column).find((area) => contains(area, row, column)) ?? null;
  }

  /** Extends an area to include merged ranges that overlap it. */
  expandArea(area: Area): Area {
    let expanded = area;
    for (;;) {
      const next = this.areas.filter((merged) => intersects(merged, expanded)).reduce(union, expanded);
      if (areaText(next) === areaText(expanded)) return expanded;
      expanded = next;
    }
  }

  private listBlockAreas(row: number, column: number): readonly Area[] {
    const top = row - (row % BLOCK_ROWS);
    const left = column - (column % BLOCK_COLUMNS);
    const key = (top / BLOCK_ROWS) * BLOCKS_ACROSS + left / BLOCK_COLUMNS;
    let blockAreas = this.blocks.get(key);
    if (blockAreas === undefined) {
      const block = { top, left, bottom: top + BLOCK_ROWS - 1, right: left + BLOCK_COLUMNS - 1 };
      blockAreas = this.areas.filter((area) => intersects(area, block));
      this.blocks.set(key, blockAreas);
    }
    return blockAreas;
  }
}

/** Overrides the sizes of some lines; both lists are sorted. */
export function overrideSizes(lines: readonly SizedLines[], overrides: readonly SizedLines[]): readonly SizedLines[] {
  return [...subtractSpans(lines, overrides), ...overrides].sort((a, b) => a.first - b.first);
}
