/** Rows that come from rows `from` on of a source, to stand from row `to` on. */
export interface Stretch<S> {
  readonly source: S;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** They are where they were. */
  readonly stays: boolean;
}

/**
 * Rows one after another, each a row of some source or of none: a rope (Boehm et al., 1995), as a tree of stretches that
 * is kept balanced by height. Immutable; cutting and joining take O(log n) of its stretches, and cuts are never undone:
 * stretches that follow one another in their source stay two. Null has no rows.
 */
export type Rope<S> = Leaf<S> | Branch<S> | null;

interface Tree {
  readonly height: number;
  readonly rows: number;
  /** One past the last row that has a source. */
  readonly filled: number;
  /** All of it has moved, whatever its parts say. */
  readonly hasMoved: boolean;
}

interface Leaf<S> extends Tree {
  readonly height: 0;
  /** Null: rows that come from nowhere. */
  readonly source: S | null;
  readonly from: number;
}

interface Branch<S> extends Tree {
  readonly left: Leaf<S> | Branch<S>;
  readonly right: Leaf<S> | Branch<S>;
}

type Held<S> = Leaf<S> | Branch<S>;

/** Rows of one source; `stays`: they are where they were. */
export function ropeOf<S>(source: S, from: number, count: number, stays: boolean): Rope<S> {
  return count > 0 ? leaf(source, from, count, !stays) : null;
}

/** Stretches in order of their places as one rope, with rows from nowhere between them. */
export function ropeOfParts<S, P extends { readonly to: number }>(
  parts: readonly P[],
  rowsOf: (part: P) => Rope<S>,
): Rope<S> {
  let rope: Rope<S> = null;
  for (const part of parts) {
    const gap: number = part.to - rowsIn(rope);
    if (gap > 0) rope = joined(rope, leaf<S>(null, 0, gap, false));
    rope = joined(rope, rowsOf(part));
  }
  return rope;
}

function rowsIn<S>(rope: Rope<S>): number {
  return rope === null ? 0 : rope.rows;
}

/** One past the last row that has a source. */
export function filledIn<S>(rope: Rope<S>): number {
  return rope === null ? 0 : rope.filled;
}

/** So many rows from one on, as far as there are any; `stays`: they are put where they were. */
export function sliced<S>(rope: Rope<S>, from: number, count: number, stays: boolean): Rope<S> {
  const part = cut(rope, from, count);
  return part === null || stays ? part : moved(part);
}

function cut<S>(rope: Rope<S>, from: number, count: number): Rope<S> {
  if (rope === null || count <= 0 || from >= rope.rows || from + count <= 0) return null;
  const first = Math.max(from, 0);
  const end = Math.min(from + count, rope.rows);
  if (first === 0 && end === rope.rows) return rope;
  if (!('left' in rope)) return leaf(rope.source, rope.from + first, end - first, rope.hasMoved);
  const [left, right] = halves(rope);
  return joined(cut(left, first, end - first), cut(right, first - left.rows, end - first));
}

/** One rope after another. */
export function joined<S>(above: Rope<S>, below: Rope<S>): Rope<S> {
  if (above === null) return below;
  if (below === null) return above;
  return together(above, below);
}

function together<S>(above: Held<S>, below: Held<S>): Held<S> {
  if ('left' in above && above.height > below.height + 1) {
    const [left, right] = halves(above);
    return balanced(left, together(right, below));
  }
  if ('left' in below && below.height > above.height + 1) {
    const [left, right] = halves(below);
    return balanced(together(above, left), right);
  }
  return branch(above, below);
}

/** Of two whose heights differ by two at most. */
function balanced<S>(left: Held<S>, right: Held<S>): Held<S> {
  if ('left' in left && left.height > right.height + 1) {
    const [outer, inner] = halves(left);
    if (!('left' in inner) || outer.height >= inner.height) return branch(outer, branch(inner, right));
    const [first, second] = halves(inner);
    return branch(branch(outer, first), branch(second, right));
  }
  if ('left' in right && right.height > left.height + 1) {
    const [inner, outer] = halves(right);
    if (!('left' in inner) || outer.height >= inner.height) return branch(branch(left, inner), outer);
    const [first, second] = halves(inner);
    return branch(branch(left, first), branch(second, outer));
  }
  return branch(left, right);
}

/** The stretches with a source that meet rows `first` to before `end`, in order, whole. */
export function stretchesOf<S>(rope: Rope<S>, first = 0, end: number = rowsIn(rope)): readonly Stretch<S>[] {
  const found: Stretch<S>[] = [];
  const collect = (part: Held<S>, to: number, stays: boolean) => {
    if (to >= end || to + part.filled <= first) return;
    const isStill = stays && !part.hasMoved;
    if ('left' in part) {
      collect(part.left, to, isStill);
      collect(part.right, to + part.left.rows, isStill);
    } else if (part.source !== null) {
      found.push({ source: part.source, from: part.from, to, count: part.rows, stays: isStill });
    }
  };
  if (rope !== null) collect(rope, 0, true);
  return found;
}

/** From the last stretch with a source up: the first number over 0 that something gives for one; 0 where nothing does. */
export function fromLast<S>(rope: Rope<S>, visit: (stretch: Omit<Stretch<S>, 'stays'>) => number): number {
  const search = (part: Held<S>, to: number): number => {
    if (part.filled === 0) return 0;
    if ('left' in part) return search(part.right, to + part.left.rows) || search(part.left, to);
    return part.source === null ? 0 : visit({ source: part.source, from: part.from, to, count: part.rows });
  };
  return rope === null ? 0 : search(rope, 0);
}

function leaf<S>(source: S | null, from: number, rows: number, hasMoved: boolean): Leaf<S> {
  return { height: 0, rows, filled: source === null ? 0 : rows, hasMoved, source, from };
}

function branch<S>(left: Held<S>, right: Held<S>): Branch<S> {
  const filled = right.filled > 0 ? left.rows + right.filled : left.filled;
  const height = 1 + Math.max(left.height, right.height);
  return { height, rows: left.rows + right.rows, filled, hasMoved: false, left, right };
}

function moved<S>(part: Held<S>): Held<S> {
  return part.hasMoved ? part : { ...part, hasMoved: true };
}

function halves<S>({ left, right, hasMoved }: Branch<S>): readonly [Held<S>, Held<S>] {
  return hasMoved ? [moved(left), moved(right)] : [left, right];
}
