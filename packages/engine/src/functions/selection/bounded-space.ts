import type { NumberBound } from '../criteria.ts';
import type { CriteriaStatistics } from './criteria-statistics.ts';
import { type Box, type SpacePoints, SpaceTree } from './space-tree.ts';

/** Maximum number of new points that are searched one by one. If there are more, they become a tree. */
const MAX_UNSORTED = 256;
/** The work of adding one point to a tree, in units of evaluating one cell. */
const BUILDING_WORK = 8;
/** Number of visited nodes and points that count as the work of one cell, as a power of two. */
const VISITS_PER_CELL_LOG2 = 3;

/** Calls that report work; see `FunctionContext.reportWork`. */
export type ReportWork = (work: number) => void;

/** The bounds of the keys in each dimension. */
export type SpaceBounds = readonly (readonly NumberBound[])[];

/**
 * Computes sums, counts and extremes of the numbers whose keys lie within bounds in two or more dimensions. Points can be
 * added between searches: a tree is made of them and of the points of smaller or equally large trees, so that each point gets
 * into a logarithmic number of trees. Sums are exact to about 32 digits, so that the order of the additions does not matter.
 */
export class BoundedSpace {
  private readonly dimensions: number;
  /** Trees, each with more than twice as many points as the next one. */
  private readonly trees: SpaceTree[] = [];
  /** Points that are in no tree. */
  private newPoints: { readonly keys: readonly number[][]; readonly values: number[] };

  constructor(dimensions: number) {
    this.dimensions = dimensions;
    this.newPoints = createPoints(dimensions);
  }

  /** Adds a number with its keys. */
  add(keys: readonly number[], value: number): void {
    const { newPoints } = this;
    for (let i = 0; i < keys.length; i++) newPoints.keys[i]!.push(keys[i]!);
    newPoints.values.push(value);
  }

  /** Counts the numbers whose keys are within all bounds. */
  countWithin(bounds: SpaceBounds, reportWork: ReportWork): number {
    let count = 0;
    this.visit(
      toBox(bounds),
      reportWork,
      (tree, node) => {
        count += tree.countPoints(node);
      },
      () => count++,
    );
    return count;
  }

  /** Adds all numbers whose keys are within the bounds to `figures`. */
  addStatistics(figures: CriteriaStatistics, bounds: SpaceBounds, reportWork: ReportWork): void {
    this.visit(
      toBox(bounds),
      reportWork,
      (tree, node) => tree.addNode(figures, node),
      (value) => figures.add(value, 0),
    );
  }

  private visit(
    box: Box,
    reportWork: ReportWork,
    visitNode: (tree: SpaceTree, node: number) => void,
    visitPoint: (value: number) => void,
  ): void {
    if (this.newPoints.values.length > MAX_UNSORTED) this.buildTree(reportWork);
    const { keys, values } = this.newPoints;
    let visits = values.length;
    for (const tree of this.trees) visits += tree.visit(box, (node) => visitNode(tree, node), visitPoint);
    for (let point = 0; point < values.length; point++) if (isWithinBox(box, keys, point)) visitPoint(values[point]!);
    reportWork(visits >> VISITS_PER_CELL_LOG2);
  }

  private buildTree(reportWork: ReportWork): void {
    const parts: SpacePoints[] = [this.newPoints];
    let points = this.newPoints.values.length;
    while (this.trees.length > 0 && this.trees.at(-1)!.values.length <= 2 * points) {
      const tree = this.trees.pop()!;
      points += tree.values.length;
      parts.push(tree);
    }
    reportWork(points * BUILDING_WORK);
    this.trees.push(new SpaceTree(this.dimensions, parts));
    this.newPoints = createPoints(this.dimensions);
  }
}

function createPoints(dimensions: number) {
  return { keys: Array.from({ length: dimensions }, (): number[] => []), values: [] };
}

/** True if the keys of a point are within a box. */
function isWithinBox({ least, greatest }: Box, keys: readonly (readonly number[])[], point: number): boolean {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]![point]!;
    if (key < least[i]! || key > greatest[i]!) return false;
  }
  return true;
}

function toBox(bounds: SpaceBounds): Box {
  const least = new Float64Array(bounds.length).fill(Number.NEGATIVE_INFINITY);
  const greatest = new Float64Array(bounds.length).fill(Number.POSITIVE_INFINITY);
  for (const [i, list] of bounds.entries()) {
    for (const { operator, number } of list) {
      if (operator === '>') least[i] = Math.max(least[i]!, findNextNumber(number));
      else if (operator === '>=') least[i] = Math.max(least[i]!, number);
      else if (operator === '<') greatest[i] = Math.min(greatest[i]!, -findNextNumber(-number));
      else greatest[i] = Math.min(greatest[i]!, number);
    }
  }
  return { least, greatest };
}

const NUMBER = new Float64Array(1);
const BITS = new BigInt64Array(NUMBER.buffer);

/** The least double that is greater than a finite number. */
function findNextNumber(number: number): number {
  if (number === 0) return Number.MIN_VALUE;
  NUMBER[0] = number;
  BITS[0] = BITS[0]! + (number > 0 ? 1n : -1n);
  return NUMBER[0];
}
