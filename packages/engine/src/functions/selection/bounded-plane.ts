import { findIndexRange, isWithin, type NumberBound } from '../criteria.ts';
import type { ReportWork, SpaceBounds } from './bounded-space.ts';
import type { CriteriaStatistics } from './criteria-statistics.ts';
import { SortedArray } from './ordered-numbers.ts';
import { StatisticsTree } from './statistics-tree.ts';

/** Number of points of the smallest sorted block, as a power of two. Parts of a block are searched one by one. */
const LEAF_SHIFT = 4;
/** Number of blocks of a level that one block of the next level contains, as a power of two. */
const FAN_OUT_SHIFT = 2;
/** Maximum number of new points that are searched one by one. If there are more, they are sorted. */
const MAX_UNSORTED = 256;
/** The work of sorting one point, in units of evaluating one cell. */
const SORTING_WORK = 8;

/** The points of a plane in the order of x, cut into blocks. Each block has its points in the order of y. */
interface Level {
  /** Number of points of a block, as a power of two. */
  readonly shift: number;
  readonly ys: Float64Array;
  readonly values: Float64Array;
  /** Sums and extremes of `values`. Counts need no tree. */
  tree: StatisticsTree | null;
}

/** Points with a value that do not change. A range of x consists of a few blocks, in which y is found by bisection. */
class SortedPlane {
  private readonly xs: SortedArray;
  private readonly ys: Float64Array;
  private readonly values: Float64Array;
  /** Levels of blocks: the first has the smallest blocks, the last a single block with all points. */
  private readonly levels: Level[] = [];

  constructor(points: readonly PlanePoint[]) {
    const byX = points.toSorted((a, b) => a.x - b.x);
    this.xs = new SortedArray(Float64Array.from(byX, ({ x }) => x));
    this.ys = Float64Array.from(byX, ({ y }) => y);
    this.values = Float64Array.from(byX, ({ value }) => value);
    const byY = Uint32Array.from(byX, (_, i) => i).sort((a, b) => this.ys[a]! - this.ys[b]!);
    for (let shift = LEAF_SHIFT; ; shift += FAN_OUT_SHIFT) {
      this.levels.push(this.createLevel(shift, byY));
      if (1 << shift >= points.length) break;
    }
  }

  get length(): number {
    return this.values.length;
  }

  /** Distributes the points, which come in the order of y, to the blocks of a level. */
  private createLevel(shift: number, byY: Uint32Array): Level {
    const { length } = this;
    const ys = new Float64Array(length);
    const values = new Float64Array(length);
    const next = Uint32Array.from({ length: (length >> shift) + 1 }, (_, block) => block << shift);
    for (const at of byY) {
      const target = next[at >> shift]!++;
      ys[target] = this.ys[at]!;
      values[target] = this.values[at]!;
    }
    return { shift, ys, values, tree: null };
  }

  /** Calls `addBlock` or `addPoint` with all parts of the points within the bounds. */
  visit(
    xBounds: readonly NumberBound[],
    yBounds: readonly NumberBound[],
    addBlock: (level: Level, from: number, to: number) => void,
    addPoint: (value: number) => void,
  ): void {
    const { from, to } = findIndexRange(xBounds, this.xs);
    for (let at = from; at < to; ) {
      const level = this.findLevel(at, to);
      if (level === null) {
        if (yBounds.every((bound) => isWithin(bound, this.ys[at]!))) addPoint(this.values[at]!);
        at++;
        continue;
      }
      const end = Math.min(at + (1 << level.shift), this.length);
      const block = level.ys.subarray(at, end);
      const inside = findIndexRange(yBounds, new SortedArray(block));
      if (inside.to > inside.from) addBlock(level, at + inside.from, at + inside.to);
      at = end;
    }
  }

  /** The level of the greatest block that begins at an index and ends at `to` or before; null for none. */
  private findLevel(at: number, to: number): Level | null {
    let best: Level | null = null;
    for (const level of this.levels) {
      const size = 1 << level.shift;
      if ((at & (size - 1)) !== 0 || Math.min(at + size, this.length) > to) break;
      best = level;
    }
    return best;
  }
}

interface PlanePoint {
  readonly x: number;
  readonly y: number;
  readonly value: number;
}

/**
 * Computes sums, counts and extremes of the numbers whose two keys lie within bounds. Points can be added between searches:
 * they are sorted together with the points of smaller or equally large sets, so that each point is sorted a
 * logarithmic number of times. Sums are exact to about 32 digits, so that the order of the additions does not matter.
 * `BoundedSpace` does the same for more keys. With two keys it takes 2.6 times as long for 100,000 random rows.
 */
export class BoundedPlane {
  /** Sorted sets of points, each more than twice as large as the next one. */
  private planes: { readonly points: readonly PlanePoint[]; readonly sorted: SortedPlane }[] = [];
  private newPoints: PlanePoint[] = [];

  /** Adds a number with its two keys. */
  add([x, y]: readonly number[], value: number): void {
    this.newPoints.push({ x: x!, y: y!, value });
  }

  /** Counts the numbers whose keys are within all bounds. */
  countWithin(bounds: SpaceBounds, reportWork: ReportWork): number {
    let count = 0;
    this.visit(
      bounds,
      reportWork,
      (_, from, to) => (count += to - from),
      () => count++,
    );
    return count;
  }

  /** Adds all numbers whose keys are within the bounds to `figures`. */
  addStatistics(figures: CriteriaStatistics, bounds: SpaceBounds, reportWork: ReportWork): void {
    const addBlock = (level: Level, from: number, to: number) => {
      level.tree ??= new StatisticsTree(level.values);
      level.tree.addRange(figures, from, to);
    };
    this.visit(bounds, reportWork, addBlock, (value) => figures.add(value, 0));
  }

  private visit(
    [xBounds = [], yBounds = []]: SpaceBounds,
    reportWork: ReportWork,
    addBlock: (level: Level, from: number, to: number) => void,
    addPoint: (value: number) => void,
  ): void {
    if (this.newPoints.length > MAX_UNSORTED) this.sortNewPoints(reportWork);
    reportWork((this.newPoints.length >> 2) + this.planes.length);
    for (const { sorted } of this.planes) sorted.visit(xBounds, yBounds, addBlock, addPoint);
    for (const { x, y, value } of this.newPoints) {
      if (xBounds.every((bound) => isWithin(bound, x)) && yBounds.every((bound) => isWithin(bound, y))) addPoint(value);
    }
  }

  private sortNewPoints(reportWork: ReportWork): void {
    let points = this.newPoints;
    this.newPoints = [];
    while (this.planes.length > 0 && this.planes.at(-1)!.points.length <= 2 * points.length) {
      points = [...this.planes.pop()!.points, ...points];
    }
    reportWork(points.length * SORTING_WORK);
    this.planes.push({ points, sorted: new SortedPlane(points) });
  }
}
