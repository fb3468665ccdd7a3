/** `count` rows of a source, beginning with its row `from`. In the rope they begin at position `to`. */
export interface RopePart<S> {
  readonly source: S;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** True if the rows are at their original positions. */
  readonly stays: boolean;
}

/**
 * A sequence of rows. Each row comes from a source or is new. It is a rope (Boehm et al., 1995): a tree of parts,
 * balanced by height. Immutable. Cutting and joining take O(log n). Parts are never merged, even if they are adjacent
 * in their source. Null is the empty sequence.
 */
export type Rope<S> = RopeLeaf<S> | RopeBranch<S> | null;

interface RopeNode {
  readonly height: number;
  readonly rows: number;
  /** One past the last row that has a source. */
  readonly filled: number;
  /** True if all rows moved. It overrides `stays` of the children. */
  readonly hasMoved: boolean;
}

interface RopeLeaf<S> extends RopeNode {
  readonly height: 0;
  /** The source of the rows; null for new rows. */
  readonly source: S | null;
  readonly from: number;
}

interface RopeBranch<S> extends RopeNode {
  readonly left: RopeLeaf<S> | RopeBranch<S>;
  readonly right: RopeLeaf<S> | RopeBranch<S>;
}

type NonEmptyRope<S> = RopeLeaf<S> | RopeBranch<S>;

/** Creates a rope of rows of one source. `stays`: they are at their original positions. */
export function createRope<S>(source: S, from: number, count: number, stays: boolean): Rope<S> {
  return count > 0 ? createLeaf(source, from, count, !stays) : null;
}

/** Creates a rope from parts in order of position. Gaps between them become rows without a source. */
export function createRopeFromParts<S, P extends { readonly to: number }>(
  parts: readonly P[],
  rowsOf: (part: P) => Rope<S>,
): Rope<S> {
  let rope: Rope<S> = null;
  for (const part of parts) {
    const gap: number = part.to - countRopeRows(rope);
    if (gap > 0) rope = joinRopes(rope, createLeaf<S>(null, 0, gap, false));
    rope = joinRopes(rope, rowsOf(part));
  }
  return rope;
}

function countRopeRows<S>(rope: Rope<S>): number {
  return rope === null ? 0 : rope.rows;
}

/** One past the last row that has a source. */
export function countFilledRopeRows<S>(rope: Rope<S>): number {
  return rope === null ? 0 : rope.filled;
}

/** Returns a rope of at most `count` rows from row `from` on. `stays`: true if their positions do not change. */
export function sliceRope<S>(rope: Rope<S>, from: number, count: number, stays: boolean): Rope<S> {
  const part = cutRope(rope, from, count);
  return part === null || stays ? part : markMoved(part);
}

/** The part of a rope from row `from` on, with `count` rows. */
function cutRope<S>(rope: Rope<S>, from: number, count: number): Rope<S> {
  if (rope === null || count <= 0 || from >= rope.rows || from + count <= 0) return null;
  const first = Math.max(from, 0);
  const end = Math.min(from + count, rope.rows);
  if (first === 0 && end === rope.rows) return rope;
  if (!('left' in rope)) return createLeaf(rope.source, rope.from + first, end - first, rope.hasMoved);
  const [left, right] = splitBranch(rope);
  return joinRopes(cutRope(left, first, end - first), cutRope(right, first - left.rows, end - first));
}

/** Appends one rope to another. */
export function joinRopes<S>(above: Rope<S>, below: Rope<S>): Rope<S> {
  if (above === null) return below;
  if (below === null) return above;
  return joinNodes(above, below);
}

function joinNodes<S>(above: NonEmptyRope<S>, below: NonEmptyRope<S>): NonEmptyRope<S> {
  if ('left' in above && above.height > below.height + 1) {
    const [left, right] = splitBranch(above);
    return balanceRope(left, joinNodes(right, below));
  }
  if ('left' in below && below.height > above.height + 1) {
    const [left, right] = splitBranch(below);
    return balanceRope(joinNodes(above, left), right);
  }
  return createBranch(above, below);
}

/** Balances two trees whose heights differ by at most two. */
function balanceRope<S>(left: NonEmptyRope<S>, right: NonEmptyRope<S>): NonEmptyRope<S> {
  if ('left' in left && left.height > right.height + 1) {
    const [outer, inner] = splitBranch(left);
    if (!('left' in inner) || outer.height >= inner.height) return createBranch(outer, createBranch(inner, right));
    const [first, second] = splitBranch(inner);
    return createBranch(createBranch(outer, first), createBranch(second, right));
  }
  if ('left' in right && right.height > left.height + 1) {
    const [inner, outer] = splitBranch(right);
    if (!('left' in inner) || outer.height >= inner.height) return createBranch(createBranch(left, inner), outer);
    const [first, second] = splitBranch(inner);
    return createBranch(createBranch(left, first), createBranch(second, outer));
  }
  return createBranch(left, right);
}

/** Returns the parts with a source that intersect rows `first` to `end - 1`, in order. Parts are not clipped. */
export function listRopeParts<S>(rope: Rope<S>, first = 0, end: number = countRopeRows(rope)): readonly RopePart<S>[] {
  const parts: RopePart<S>[] = [];
  const collect = (part: NonEmptyRope<S>, to: number, stays: boolean) => {
    if (to >= end || to + part.filled <= first) return;
    const isStill = stays && !part.hasMoved;
    if ('left' in part) {
      collect(part.left, to, isStill);
      collect(part.right, to + part.left.rows, isStill);
    } else if (part.source !== null) {
      parts.push({ source: part.source, from: part.from, to, count: part.rows, stays: isStill });
    }
  };
  if (rope !== null) collect(rope, 0, true);
  return parts;
}

/** Visits the parts with a source, the last one first, and returns the first result above 0; 0 if there is none. */
export function findFromLast<S>(rope: Rope<S>, visit: (stretch: Omit<RopePart<S>, 'stays'>) => number): number {
  const search = (part: NonEmptyRope<S>, to: number): number => {
    if (part.filled === 0) return 0;
    if ('left' in part) return search(part.right, to + part.left.rows) || search(part.left, to);
    return part.source === null ? 0 : visit({ source: part.source, from: part.from, to, count: part.rows });
  };
  return rope === null ? 0 : search(rope, 0);
}

function createLeaf<S>(source: S | null, from: number, rows: number, hasMoved: boolean): RopeLeaf<S> {
  return { height: 0, rows, filled: source === null ? 0 : rows, hasMoved, source, from };
}

function createBranch<S>(left: NonEmptyRope<S>, right: NonEmptyRope<S>): RopeBranch<S> {
  const filled = right.filled > 0 ? left.rows + right.filled : left.filled;
  const height = 1 + Math.max(left.height, right.height);
  return { height, rows: left.rows + right.rows, filled, hasMoved: false, left, right };
}

/** The same part, marked as moved. */
function markMoved<S>(part: NonEmptyRope<S>): NonEmptyRope<S> {
  return part.hasMoved ? part : { ...part, hasMoved: true };
}

function splitBranch<S>({ left, right, hasMoved }: RopeBranch<S>): readonly [NonEmptyRope<S>, NonEmptyRope<S>] {
  return hasMoved ? [markMoved(left), markMoved(right)] : [left, right];
}
