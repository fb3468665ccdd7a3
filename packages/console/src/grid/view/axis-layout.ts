import type { SizedLines } from '../../data/types.ts';

/** Positions and sizes of rows or columns. Immutable. */
export class AxisLayout {
  readonly count: number;
  private readonly defaultSize: number;
  /** Lines with a size of their own, sorted and without overlaps. */
  private readonly lines: readonly SizedLines[];
  /** Offset of each entry of `lines`, in pixels. */
  private readonly starts: readonly number[];
  /** Total size, in pixels. */
  readonly total: number;

  constructor(count: number, common: number, lines: readonly SizedLines[]) {
    this.count = count;
    this.defaultSize = common;
    this.lines = lines.filter(({ first }) => first < count);
    const starts: number[] = [];
    let place = 0;
    let next = 0;
    for (const { first, last, size } of this.lines) {
      place += (first - next) * common;
      starts.push(place);
      place += (Math.min(last, count - 1) - first + 1) * size;
      next = Math.min(last, count - 1) + 1;
    }
    this.starts = starts;
    this.total = place + Math.max(0, count - next) * common;
  }

  getSize(line: number): number {
    const found = this.lines[this.findLastBefore(line)];
    return found !== undefined && line <= found.last ? found.size : this.defaultSize;
  }

  isHidden(line: number): boolean {
    return this.getSize(line) === 0;
  }

  /** Offset of a line, in pixels. */
  computeOffset(line: number): number {
    const place = this.findLastBefore(line);
    const found = this.lines[place];
    if (found === undefined) return line * this.defaultSize;
    const start = this.starts[place] ?? 0;
    const end = found.last + 1;
    if (line <= end) return start + (line - found.first) * found.size;
    return start + (end - found.first) * found.size + (line - end) * this.defaultSize;
  }

  /** The line at an offset, clamped to the grid. */
  findLineAt(pixels: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.computeOffset(middle) <= pixels) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The nearest visible line in a direction, including the given line; the given line if no line is visible. */
  findNearestVisible(line: number, step: 1 | -1): number {
    for (let at = line; at >= 0 && at < this.count; at += step) if (!this.isHidden(at)) return at;
    return line;
  }

  /** Index of the last element of `lines` that starts at or before a line; -1 if none. */
  private findLastBefore(line: number): number {
    let low = 0;
    let high = this.lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.lines[middle]?.first ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
