import { type Area, intersects } from '../../grid/area.ts';
import { CHUNK_MASK, CHUNK_ROWS, CHUNK_SHIFT } from '../../sheet/chunk.ts';

/** The number of no circle. It is greater than the number of each circle. */
export const NO_CIRCLE = 2 ** 31 - 1;

/** The numbers of the circles to which the cells of a chunk belong. */
class ChunkMembers {
  private readonly circles = new Int32Array(CHUNK_ROWS).fill(NO_CIRCLE);
  /** The least of the numbers; null after a cell was removed. */
  private least: number | null = NO_CIRCLE;

  set(row: number, circle: number): void {
    this.circles[row] = circle;
    this.least = circle === NO_CIRCLE || this.least === null ? null : Math.min(this.least, circle);
  }

  /** The least number of rows `from` to `to`. */
  findLeast(from: number, to: number): number {
    const isWhole = from === 0 && to === CHUNK_ROWS - 1;
    if (isWhole && this.least !== null) return this.least;
    let least = NO_CIRCLE;
    for (let row = from; row <= to; row++) least = Math.min(least, this.circles[row]!);
    if (isWhole) this.least = least;
    return least;
  }
}

interface MemberArea {
  readonly sheet: number;
  readonly area: Area;
  readonly circle: number;
}

/** Cells of circles that are being calculated, by position. Circles have numbers; a later circle has a greater number. */
export class CircularMembers {
  private readonly sheets = new Map<number, (ChunkMembers | undefined)[][]>();
  /** Areas that array formulas of the circles filled. */
  private areas: MemberArea[] = [];

  addCell(sheet: number, row: number, column: number, circle: number): void {
    const columns = this.sheets.get(sheet) ?? [];
    this.sheets.set(sheet, columns);
    columns[column] ??= [];
    const chunks = columns[column];
    chunks[row >> CHUNK_SHIFT] ??= new ChunkMembers();
    chunks[row >> CHUNK_SHIFT]?.set(row & CHUNK_MASK, circle);
  }

  removeCell(sheet: number, row: number, column: number): void {
    this.sheets.get(sheet)?.[column]?.[row >> CHUNK_SHIFT]?.set(row & CHUNK_MASK, NO_CIRCLE);
  }

  addArea(sheet: number, area: Area, circle: number): void {
    this.areas.push({ sheet, area, circle });
  }

  /** Removes the areas of a circle and of all later circles. */
  removeAreasFrom(circle: number): void {
    this.areas = this.areas.filter((each) => each.circle < circle);
  }

  /** The first circle that has a cell in an area; `NO_CIRCLE` for none. */
  findFirstCircle(sheet: number, area: Area): number {
    let first = NO_CIRCLE;
    for (const each of this.areas) {
      if (each.sheet === sheet && intersects(each.area, area)) first = Math.min(first, each.circle);
    }
    const columns = this.sheets.get(sheet) ?? [];
    for (let column = area.left; column <= area.right && column < columns.length; column++) {
      const chunks = columns[column] ?? [];
      for (let at = area.top >> CHUNK_SHIFT; at <= area.bottom >> CHUNK_SHIFT && at < chunks.length; at++) {
        const from = Math.max(area.top - at * CHUNK_ROWS, 0);
        const to = Math.min(area.bottom - at * CHUNK_ROWS, CHUNK_ROWS - 1);
        first = Math.min(first, chunks[at]?.findLeast(from, to) ?? NO_CIRCLE);
      }
    }
    return first;
  }
}
