import { getLineCount, type LineMove, type Move, type Span } from './move.ts';

/** Consecutive lines (rows or columns) that stay together. */
interface LineGroup {
  /** Origin of the lines: the common state (`both`), or the change that inserted them. */
  readonly origin: 'both' | 'first' | 'second';
  /**
   * Position of the first line in the common state. For inserted lines: the number of lines that the same change
   * inserted before it.
   */
  readonly from: number;
  readonly count: number;
}

type LineOrder = readonly LineGroup[];

/** The lines of a sheet after a list of moves. */
interface LineChange {
  readonly order: LineOrder;
  /** Lines that were reordered, by their positions before. */
  readonly moved: readonly Span[];
}

/** Two changes of the order of lines. Each is rewritten so that it can be applied after the other one. */
interface MergedLineMoves {
  readonly first: readonly Move[];
  readonly second: readonly Move[];
}

/** Lists of moves of lines of one sheet and axis. */
export type LineMoves = readonly [LineMove, ...LineMove[]];

/**
 * Merges two changes of the order of lines that start from the same state. The result has the lines that neither change
 * deletes and the lines that either change inserts. If both changes reorder a line, it has the position of `second`.
 * New lines of `first` are placed before the line that followed them; if that line is deleted, after the line that
 * preceded them. Null if moves cannot express the result: lines cannot be reordered within a part of the other axis.
 */
export function mergeLineMoves(first: LineMoves, second: LineMoves, across?: Span): MergedLineMoves | null {
  const [{ sheet, axis }] = first;
  const place = { sheet, axis, ...(across ? { across } : {}) };
  const [one, other] = splitAtSameLines(applyMoves(first, 'first'), applyMoves(second, 'second'));
  const both = mergeOrders(other, one);
  const asFirst = findMoves(other.order, both, place, one.moved);
  const asSecond = findMoves(one.order, both, place, other.moved);
  return asFirst === null || asSecond === null ? null : { first: asFirst, second: asSecond };
}

function applyMoves(moves: LineMoves, origin: 'first' | 'second'): LineChange {
  let order: LineOrder = [{ origin: 'both', from: 0, count: getLineCount(moves[0].axis) }];
  const moved: Span[] = [];
  let insertedCount = 0;
  for (const move of moves) {
    const { at, count } = move;
    if (move.kind === 'insert') {
      const [above, below] = splitAt(order, at);
      order = [...above, { origin, from: insertedCount, count }, ...below];
      insertedCount += count;
      continue;
    }
    const [above, rest] = splitAt(order, at);
    const [block, below] = splitAt(rest, count);
    order = [...above, ...below];
    if (move.kind === 'reorder') {
      for (const { origin: source, from, count: lines } of block) {
        if (source === 'both') moved.push({ first: from, last: from + lines - 1 });
      }
      const [before, behind] = splitAt(order, move.to > at ? move.to - count : move.to);
      order = [...before, ...block, ...behind];
    }
  }
  return { order, moved };
}

/** Splits an order before the position `line`. */
function splitAt(order: LineOrder, line: number): readonly [LineOrder, LineOrder] {
  let at = 0;
  for (const [i, one] of order.entries()) {
    if (at === line) return [order.slice(0, i), order.slice(i)];
    if (at + one.count > line) {
      const count = line - at;
      const rest = { ...one, from: one.from + count, count: one.count - count };
      return [
        [...order.slice(0, i), { ...one, count }],
        [rest, ...order.slice(i + 1)],
      ];
    }
    at += one.count;
  }
  return [order, []];
}

/** Splits both changes at the same lines of the common state. Groups with the same lines become the same object. */
function splitAtSameLines(...changes: readonly [LineChange, LineChange]): readonly [LineChange, LineChange] {
  const cuts = new Set<number>();
  for (const { order, moved } of changes) {
    for (const { origin, from, count } of order) if (origin === 'both') cuts.add(from).add(from + count);
    for (const { first, last } of moved) cuts.add(first).add(last + 1);
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const pieceByStart = new Map<number, LineGroup>();
  const pieces = (one: LineGroup): readonly LineGroup[] => {
    if (one.origin !== 'both') return [one];
    const end = one.from + one.count;
    const starts = sorted.filter((cut) => cut >= one.from && cut < end);
    return starts.map((from, i) => {
      const piece = pieceByStart.get(from) ?? { origin: 'both', from, count: (starts[i + 1] ?? end) - from };
      pieceByStart.set(from, piece);
      return piece;
    });
  };
  const [one, other] = changes.map(({ order, moved }) => ({ order: order.flatMap(pieces), moved }));
  return [one!, other!];
}

/** True if the lines of a group are in both orders and begin in one of the moved spans. */
function isWithinSpans({ origin, from }: LineGroup, moved: readonly Span[]): boolean {
  return origin === 'both' && moved.some(({ first, last }) => from >= first && from <= last);
}

/** Applies `ours` to the order of lines after `theirs`. */
function mergeOrders(theirs: LineChange, ours: LineChange): LineOrder {
  const kept = new Set(ours.order);
  const isPlaced = (one: LineGroup) =>
    one.origin === 'first' || (isWithinSpans(one, ours.moved) && !isWithinSpans(one, theirs.moved));
  const isTaken = (one: LineGroup | undefined) => one?.origin === 'both' && isPlaced(one);
  // Lines that `theirs` inserted between two lines that move together must move with them.
  const along = new Map<LineGroup, LineGroup>();
  theirs.order.forEach((one, i) => {
    const [above, below] = [theirs.order[i - 1], theirs.order[i + 1]];
    if (one.origin === 'second' && above && isTaken(above) && isTaken(below)) along.set(above, one);
  });
  const going = new Set(along.values());
  const rest = theirs.order.filter(
    (one) => !going.has(one) && (one.origin === 'second' || (kept.has(one) && !isPlaced(one))),
  );
  const staying = new Set(rest.filter((one) => !isWithinSpans(one, theirs.moved)));
  const present = new Set(theirs.order);
  let order: LineOrder = rest;
  for (const { lines: placed, above, below } of findPlacedBlocks(ours.order, isPlaced)) {
    const lines = placed.flatMap((one) =>
      one.origin === 'first' ? [one] : present.has(one) ? [one, ...(along.has(one) ? [along.get(one)!] : [])] : [],
    );
    const at = findInsertionIndex(order, above, below, staying);
    order = [...order.slice(0, at), ...lines, ...order.slice(at)];
  }
  return order;
}

/**
 * Lines that a change moved or inserted. `above`: the lines directly above them. `below`: the following lines that the
 * change did not move or insert.
 */
interface PlacedBlock {
  readonly lines: LineOrder;
  readonly above: LineGroup | undefined;
  readonly below: LineOrder;
}

function* findPlacedBlocks(order: LineOrder, isPlaced: (one: LineGroup) => boolean): Generator<PlacedBlock> {
  for (let i = 0; i < order.length; i++) {
    let end = i;
    while (end < order.length && isPlaced(order[end]!)) end++;
    if (end === i) continue;
    const below = order.slice(end).filter((one) => !isPlaced(one));
    yield { lines: order.slice(i, end), above: order[i - 1], below };
    i = end;
  }
}

/**
 * The index in `order` at which new lines are inserted: before the line that followed them, or after the one before
 * them, or before the next line that stays; else at the end.
 */
function findInsertionIndex(
  order: LineOrder,
  last: LineGroup | undefined,
  following: LineOrder,
  staying: ReadonlySet<LineGroup>,
): number {
  const [next] = following;
  if (next !== undefined && staying.has(next)) return order.indexOf(next);
  if (last !== undefined && staying.has(last)) return order.indexOf(last) + 1;
  const nearest = following.find((one) => staying.has(one));
  return nearest === undefined ? order.length : order.indexOf(nearest);
}

type LineAxis = Pick<LineMove, 'sheet' | 'axis'> & { readonly across?: Span };

/**
 * Returns the moves that convert one order to another. Null if lines would be reordered within a part of the other
 * axis.
 */
function findMoves(from: LineOrder, to: LineOrder, lineAxis: LineAxis, ours: readonly Span[]): readonly Move[] | null {
  const [old, now] = [new Set(from), new Set(to)];
  const kept = from.filter((one) => now.has(one));
  const keptInNewOrder = to.filter((one) => old.has(one));
  const { across, ...lines } = lineAxis;
  const orders = findReorders(kept, keptInNewOrder, ours);
  if (across !== undefined && orders.length > 0) return null;
  const deleted = [...findMissing(from, now)].reverse();
  return [
    ...deleted.map(({ at, count }): Move => ({ kind: 'delete', ...lineAxis, at, count })),
    ...orders.map((order): Move => ({ kind: 'reorder', ...lines, ...order })),
    ...findMissing(to, old).map(({ at, count }): Move => ({ kind: 'insert', ...lineAxis, at, count })),
  ];
}

interface LineRange {
  readonly at: number;
  readonly count: number;
}

/** Returns the positions, as ranges, of the groups in `order` that are not in `others`. */
function findMissing(order: LineOrder, others: ReadonlySet<LineGroup>): readonly LineRange[] {
  const ranges: { at: number; count: number }[] = [];
  let at = 0;
  for (const one of order) {
    const last = ranges.at(-1);
    if (!others.has(one)) {
      if (last !== undefined && last.at + last.count === at) last.count += one.count;
      else ranges.push({ at, count: one.count });
    }
    at += one.count;
  }
  return ranges;
}

/** Reorders blocks until the order is `target`. Prefers to move lines in `ours`. */
function findReorders(
  order: LineOrder,
  target: LineOrder,
  ours: readonly Span[],
): readonly (LineRange & { readonly to: number })[] {
  const reorders: (LineRange & { readonly to: number })[] = [];
  let current = order;
  for (const [i, one] of target.entries()) {
    const from = current.indexOf(one);
    if (from === i) continue;
    let end = from + 1;
    while (end < current.length && current[end] === target[i + end - from]) end++;
    const others = current.slice(i, from);
    const [at, middle, to] = [i, from, end].map((index) => countLines(current.slice(0, index))) as [
      number,
      number,
      number,
    ];
    if (others.every((lineGroup) => isWithinSpans(lineGroup, ours))) reorders.push({ at, count: middle - at, to });
    else reorders.push({ at: middle, count: to - middle, to: at });
    current = [...current.slice(0, i), ...current.slice(from, end), ...others, ...current.slice(end)];
  }
  return reorders;
}

/** The number of lines in all groups. */
function countLines(order: LineOrder): number {
  return order.reduce((sum, { count }) => sum + count, 0);
}
