import { CriteriaStatistics } from './criteria-statistics.ts';
import { splitAtMedian } from './split-at-median.ts';

/** Maximum number of points of a leaf. */
const LEAF_POINTS = 16;

/** An interval of keys in each dimension, both ends included. */
export interface Box {
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/** Points with a value and one key for each dimension. */
export interface SpacePoints {
  /** The keys of all points, for each dimension. */
  readonly keys: readonly ArrayLike<number>[];
  readonly values: ArrayLike<number>;
}

/**
 * Points that do not change, in a k-d tree (Bentley 1975). Node 1 is the root, node i has the children 2i and 2i + 1, which
 * contain the points below and above the median of one dimension. A node knows the box around its points, their sum and
 * their extremes. A sum has two parts: a double, and the remainder that was lost by rounding.
 */
export class SpaceTree implements SpacePoints {
  readonly keys: readonly Float64Array[];
  readonly values: Float64Array;
  private readonly dimensions: number;
  private readonly firstLeaf: number;
  /** The first point of each node, and the point after its last one. */
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  /** The least and the greatest key of each node, for one dimension after the other. */
  private readonly boxes: Float64Array;
  private readonly sum: Float64Array;
  private readonly lost: Float64Array;
  private readonly least: Float64Array;
  private readonly greatest: Float64Array;

  constructor(dimensions: number, parts: readonly SpacePoints[]) {
    const points = parts.reduce((count, { values }) => count + values.length, 0);
    let levels = 0;
    while (points >> levels > LEAF_POINTS) levels++;
    const nodes = 2 << levels;
    this.dimensions = dimensions;
    this.firstLeaf = 1 << levels;
    this.starts = new Int32Array(nodes);
    this.ends = new Int32Array(nodes);
    this.boxes = new Float64Array(nodes * 2 * dimensions);
    this.sum = new Float64Array(nodes);
    this.lost = new Float64Array(nodes);
    this.least = new Float64Array(nodes);
    this.greatest = new Float64Array(nodes);
    const keys = Array.from({ length: dimensions }, (_, i) => joinParts(parts.map((part) => part.keys[i]!)));
    const values = joinParts(parts.map((part) => part.values));
    const order = this.orderPoints(keys, points);
    this.keys = keys.map((each) => Float64Array.from(order, (point) => each[point]!));
    this.values = Float64Array.from(order, (point) => values[point]!);
    for (let node = nodes - 1; node > 0; node--) this.summarize(node);
  }

  countPoints(node: number): number {
    return this.ends[node]! - this.starts[node]!;
  }

  /** Adds the numbers of all points of a node to figures. */
  addNode(figures: CriteriaStatistics, node: number): void {
    figures.count += this.countPoints(node);
    figures.addSum(this.sum[node]!);
    figures.addSum(this.lost[node]!);
    if (this.least[node]! < figures.least) figures.least = this.least[node]!;
    if (this.greatest[node]! > figures.greatest) figures.greatest = this.greatest[node]!;
  }

  /**
   * Calls `visitNode` or `visitPoint` with all parts of the points in a box. Returns the number of nodes and points that
   * were compared.
   */
  visit(box: Box, visitNode: (node: number) => void, visitPoint: (value: number) => void): number {
    const { firstLeaf, starts, ends } = this;
    let visits = 0;
    const visitPart = (node: number, crossed: number): void => {
      visits++;
      const stillCrossed = this.findCrossed(node, box, crossed);
      if (stillCrossed === OUTSIDE) return;
      if (stillCrossed === 0) return visitNode(node);
      if (node < firstLeaf) {
        visitPart(2 * node, stillCrossed);
        visitPart(2 * node + 1, stillCrossed);
        return;
      }
      visits += ends[node]! - starts[node]!;
      this.visitLeaf(node, box, stillCrossed, visitPoint);
    };
    visitPart(1, (1 << this.dimensions) - 1);
    return visits;
  }

  /**
   * The dimensions of `crossed` in which the box of a node is only partly within another box; `OUTSIDE` if the boxes are
   * disjoint. `crossed`: one bit for each dimension.
   */
  private findCrossed(node: number, { least, greatest }: Box, crossed: number): number {
    const { dimensions, boxes } = this;
    let found = 0;
    for (let i = 0, at = node * 2 * dimensions; i < dimensions; i++, at += 2) {
      if ((crossed & (1 << i)) === 0) continue;
      const from = boxes[at]!;
      const to = boxes[at + 1]!;
      if (from > greatest[i]! || to < least[i]!) return OUTSIDE;
      if (from < least[i]! || to > greatest[i]!) found |= 1 << i;
    }
    return found;
  }

  private visitLeaf(
    node: number,
    { least, greatest }: Box,
    crossed: number,
    visitPoint: (value: number) => void,
  ): void {
    const { keys, values } = this;
    const end = this.ends[node]!;
    const first = 31 - Math.clz32(crossed);
    const others = crossed & ~(1 << first);
    const firstKeys = keys[first]!;
    const from = least[first]!;
    const to = greatest[first]!;
    points: for (let point = this.starts[node]!; point < end; point++) {
      if (firstKeys[point]! < from || firstKeys[point]! > to) continue;
      for (let i = 0; others >> i !== 0; i++) {
        if ((others & (1 << i)) === 0) continue;
        const key = keys[i]![point]!;
        if (key < least[i]! || key > greatest[i]!) continue points;
      }
      visitPoint(values[point]!);
    }
  }

  /** The points in the order of the leaves. */
  private orderPoints(keys: readonly Float64Array[], points: number): Uint32Array {
    const { dimensions, firstLeaf, starts, ends } = this;
    const order = Uint32Array.from({ length: points }, (_, point) => point);
    ends[1] = points;
    for (let node = 1, dimension = 0; node < firstLeaf; node++) {
      const from = starts[node]!;
      const to = ends[node]!;
      const middle = (from + to) >> 1;
      splitAtMedian(order, from, to, middle, keys[dimension]!);
      starts[2 * node] = from;
      ends[2 * node] = middle;
      starts[2 * node + 1] = middle;
      ends[2 * node + 1] = to;
      // The next node is the first one of a level.
      if (((node + 1) & node) === 0) dimension = (dimension + 1) % dimensions;
    }
    return order;
  }

  /** Finds the box, the sum and the extremes of a node; its children have theirs. */
  private summarize(node: number): void {
    const { dimensions, boxes, firstLeaf } = this;
    const figures = new CriteriaStatistics(true);
    const box = boxes.subarray(node * 2 * dimensions, (node + 1) * 2 * dimensions);
    for (let i = 0; i < dimensions; i++) {
      box[2 * i] = Number.POSITIVE_INFINITY;
      box[2 * i + 1] = Number.NEGATIVE_INFINITY;
    }
    const extend = (i: number, from: number, to: number) => {
      box[2 * i] = Math.min(box[2 * i]!, from);
      box[2 * i + 1] = Math.max(box[2 * i + 1]!, to);
    };
    if (node >= firstLeaf) {
      for (let point = this.starts[node]!; point < this.ends[node]!; point++) {
        figures.add(this.values[point]!, 0);
        for (let i = 0; i < dimensions; i++) {
          const key = this.keys[i]![point]!;
          extend(i, key, key);
        }
      }
    } else {
      for (const child of [2 * node, 2 * node + 1]) {
        this.addNode(figures, child);
        for (let i = 0; i < dimensions; i++) {
          const at = 2 * (child * dimensions + i);
          extend(i, boxes[at]!, boxes[at + 1]!);
        }
      }
    }
    this.sum[node] = figures.total;
    this.lost[node] = figures.roundingError;
    this.least[node] = figures.least;
    this.greatest[node] = figures.greatest;
  }
}

/** Result of `findCrossed` for disjoint boxes. */
const OUTSIDE = -1;

function joinParts(parts: readonly ArrayLike<number>[]): Float64Array {
  const joined = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
