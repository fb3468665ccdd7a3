import type { Area } from '@cellwire/engine';

/** Row intervals of one column, `[first, last, first, last, …]`, ascending, with gaps between them. */
type Intervals = number[];

interface RegionCell {
  readonly row: number;
  readonly column: number;
}

/** A set of cells of one sheet. */
export class CellSet {
  private readonly columns = new Map<number, Intervals>();

  /** Adds a rectangle; zero-based, both corners included. */
  addArea(top: number, left: number, bottom: number, right: number): void {
    for (let column = left; column <= right; column++) {
      const intervals = this.columns.get(column);
      if (intervals === undefined) this.columns.set(column, [top, bottom]);
      else insertInterval(intervals, top, bottom);
    }
  }

  has(row: number, column: number): boolean {
    const intervals = this.columns.get(column);
    if (intervals === undefined) return false;
    const at = findFirstEndingFrom(intervals, row);
    return at < intervals.length && (intervals[at] as number) <= row;
  }

  /** Number of cells. */
  get count(): number {
    let count = 0;
    for (const intervals of this.columns.values()) {
      for (let i = 0; i < intervals.length; i += 2)
        count += (intervals[i + 1] as number) - (intervals[i] as number) + 1;
    }
    return count;
  }

  /** All cells as areas of one column each. */
  *listAreas(): Iterable<Area> {
    for (const [column, intervals] of this.columns) {
      for (let i = 0; i < intervals.length; i += 2) {
        yield { top: intervals[i] as number, left: column, bottom: intervals[i + 1] as number, right: column };
      }
    }
  }

  /** The first cells in row order. */
  listFirstCells(limit: number): RegionCell[] {
    const waiting = this.listTopIntervals(limit);
    const cells: RegionCell[] = [];
    let active: ColumnInterval[] = [];
    let next = 0;
    let row = 0;
    while (cells.length < limit && (active.length > 0 || next < waiting.length)) {
      if (active.length === 0) row = (waiting[next] as ColumnInterval).first;
      const before = active.length;
      while (next < waiting.length && (waiting[next] as ColumnInterval).first <= row)
        active.push(waiting[next++] as ColumnInterval);
      if (active.length > before) active.sort((a, b) => a.column - b.column);
      for (const { column } of active) if (cells.length < limit) cells.push({ row, column });
      row++;
      const current = row;
      active = active.filter(({ last }) => last >= current);
    }
    return cells;
  }

  /** The intervals that can contain one of the first `limit` cells, the topmost first. */
  private listTopIntervals(limit: number): ColumnInterval[] {
    const spans: ColumnInterval[] = [];
    for (const [column, intervals] of this.columns) {
      for (let i = 0; i < intervals.length && i < 2 * limit; i += 2) {
        spans.push({ column, first: intervals[i] as number, last: intervals[i + 1] as number });
      }
    }
    return spans.sort((a, b) => a.first - b.first || a.column - b.column);
  }
}

interface ColumnInterval {
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** Adds an interval and merges intervals that overlap or touch. */
function insertInterval(intervals: Intervals, first: number, last: number): void {
  const end = intervals.length;
  if (first > (intervals[end - 1] as number) + 1) {
    intervals.push(first, last);
    return;
  }
  const from = findFirstEndingFrom(intervals, first - 1);
  let to = from;
  let low = first;
  let high = last;
  while (to < end && (intervals[to] as number) <= last + 1) {
    low = Math.min(low, intervals[to] as number);
    high = Math.max(high, intervals[to + 1] as number);
    to += 2;
  }
  if (to === from + 2) {
    intervals[from] = low;
    intervals[from + 1] = high;
  } else {
    intervals.splice(from, to - from, low, high);
  }
}

/** Index of the first interval that ends at `row` or below it; the array's length if there is none. */
function findFirstEndingFrom(intervals: Intervals, row: number): number {
  let low = 0;
  let high = intervals.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[2 * middle + 1] as number) < row) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
