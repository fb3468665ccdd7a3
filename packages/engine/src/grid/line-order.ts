import { type LineMove, linesOf, type Move, type Span } from './move.ts';

/** Lines that stay together. */
interface Stretch {
  /** What has them: the state that both changes were made of, or one of the two, which brings them. */
  readonly of: 'both' | 'first' | 'second';
  /** The first one's place there; of new ones, how many the same change brought before. */
  readonly from: number;
  readonly count: number;
}

type Order = readonly Stretch[];

/** What moves make of the lines of a sheet. */
interface Changed {
  readonly order: Order;
  /** Lines that were put elsewhere, by their places before. */
  readonly moved: readonly Span[];
}

/** What each of two changes of the same lines is once the other has been made, as moves within the same lines across. */
export interface MergedLines {
  readonly first: readonly Move[];
  readonly second: readonly Move[];
}

/** Lists of moves of lines of one sheet and axis. */
export type LineMoves = readonly [LineMove, ...LineMove[]];

/**
 * Two changes of the order of lines, both made of the same state, put together: the lines that neither deletes, and those
 * that either brings. What both put elsewhere is where the second one put it. New lines of the first stand before the
 * line that they stood before, or behind the one that they stood behind where only that one has stayed. Null where moves
 * do not say it: lines cannot change places within some across.
 */
export function mergedLines(first: LineMoves, second: LineMoves, across?: Span): MergedLines | null {
  const [{ sheet, axis }] = first;
  const place = { sheet, axis, ...(across ? { across } : {}) };
  const [one, other] = cutAlike(changed(first, 'first'), changed(second, 'second'));
  const both = added(other, one);
  const asFirst = movesBetween(other.order, both, place, one.moved);
  const asSecond = movesBetween(one.order, both, place, other.moved);
  return asFirst === null || asSecond === null ? null : { first: asFirst, second: asSecond };
}

function changed(moves: LineMoves, of: 'first' | 'second'): Changed {
  let order: Order = [{ of: 'both', from: 0, count: linesOf(moves[0].axis) }];
  const moved: Span[] = [];
  let came = 0;
  for (const move of moves) {
    const { at, count } = move;
    if (move.kind === 'insert') {
      const [above, below] = cutAt(order, at);
      order = [...above, { of, from: came, count }, ...below];
      came += count;
      continue;
    }
    const [above, rest] = cutAt(order, at);
    const [block, below] = cutAt(rest, count);
    order = [...above, ...below];
    if (move.kind === 'reorder') {
      for (const { of: whose, from, count: lines } of block) {
        if (whose === 'both') moved.push({ first: from, last: from + lines - 1 });
      }
      const [before, behind] = cutAt(order, move.to > at ? move.to - count : move.to);
      order = [...before, ...block, ...behind];
    }
  }
  return { order, moved };
}

/** An order's lines before a place of it, and the others. */
function cutAt(order: Order, line: number): readonly [Order, Order] {
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

/** Both cut at the same lines of what they were made of, equal stretches being one. */
function cutAlike(...changes: readonly [Changed, Changed]): readonly [Changed, Changed] {
  const cuts = new Set<number>();
  for (const { order, moved } of changes) {
    for (const { of, from, count } of order) if (of === 'both') cuts.add(from).add(from + count);
    for (const { first, last } of moved) cuts.add(first).add(last + 1);
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const known = new Map<number, Stretch>();
  const pieces = (one: Stretch): readonly Stretch[] => {
    if (one.of !== 'both') return [one];
    const end = one.from + one.count;
    const starts = sorted.filter((cut) => cut >= one.from && cut < end);
    return starts.map((from, i) => {
      const piece = known.get(from) ?? { of: 'both', from, count: (starts[i + 1] ?? end) - from };
      known.set(from, piece);
      return piece;
    });
  };
  const [one, other] = changes.map(({ order, moved }) => ({ order: order.flatMap(pieces), moved }));
  return [one!, other!];
}

function isAmong({ of, from }: Stretch, moved: readonly Span[]): boolean {
  return of === 'both' && moved.some(({ first, last }) => from >= first && from <= last);
}

/** What one change makes of an order that another has made of the same lines. */
function added(theirs: Changed, ours: Changed): Order {
  const kept = new Set(ours.order);
  const isPlaced = (one: Stretch) => one.of === 'first' || (isAmong(one, ours.moved) && !isAmong(one, theirs.moved));
  const isTaken = (one: Stretch | undefined) => one?.of === 'both' && isPlaced(one);
  // What they have put between two lines that go elsewhere goes along.
  const along = new Map<Stretch, Stretch>();
  theirs.order.forEach((one, i) => {
    const [above, below] = [theirs.order[i - 1], theirs.order[i + 1]];
    if (one.of === 'second' && above && isTaken(above) && isTaken(below)) along.set(above, one);
  });
  const going = new Set(along.values());
  const rest = theirs.order.filter(
    (one) => !going.has(one) && (one.of === 'second' || (kept.has(one) && !isPlaced(one))),
  );
  const staying = new Set(rest.filter((one) => !isAmong(one, theirs.moved)));
  const present = new Set(theirs.order);
  let order: Order = rest;
  for (const { block, last, following } of blocksOf(ours.order, isPlaced)) {
    const lines = block.flatMap((one) =>
      one.of === 'first' ? [one] : present.has(one) ? [one, ...(along.has(one) ? [along.get(one)!] : [])] : [],
    );
    const at = indexOfPlace(order, last, following, staying);
    order = [...order.slice(0, at), ...lines, ...order.slice(at)];
  }
  return order;
}

/** Lines that a change has put somewhere, with the line above and those below that it has left in their order. */
interface Block {
  readonly block: Order;
  readonly last: Stretch | undefined;
  readonly following: Order;
}

function* blocksOf(order: Order, isPlaced: (one: Stretch) => boolean): Generator<Block> {
  for (let i = 0; i < order.length; i++) {
    let end = i;
    while (end < order.length && isPlaced(order[end]!)) end++;
    if (end === i) continue;
    const following = order.slice(end).filter((one) => !isPlaced(one));
    yield { block: order.slice(i, end), last: order[i - 1], following };
    i = end;
  }
}

function indexOfPlace(
  order: Order,
  last: Stretch | undefined,
  following: Order,
  staying: ReadonlySet<Stretch>,
): number {
  const [next] = following;
  if (next !== undefined && staying.has(next)) return order.indexOf(next);
  if (last !== undefined && staying.has(last)) return order.indexOf(last) + 1;
  const nearest = following.find((one) => staying.has(one));
  return nearest === undefined ? order.length : order.indexOf(nearest);
}

type Place = Pick<LineMove, 'sheet' | 'axis'> & { readonly across?: Span };

/** The moves that lead from one order to another; null where lines would change places within others only. */
function movesBetween(from: Order, to: Order, place: Place, ours: readonly Span[]): readonly Move[] | null {
  const [old, now] = [new Set(from), new Set(to)];
  const kept = from.filter((one) => now.has(one));
  const wanted = to.filter((one) => old.has(one));
  const { across, ...lines } = place;
  const orders = reorders(kept, wanted, ours);
  if (across !== undefined && orders.length > 0) return null;
  const deleted = [...missing(from, now)].reverse();
  return [
    ...deleted.map(({ at, count }): Move => ({ kind: 'delete', ...place, at, count })),
    ...orders.map((order): Move => ({ kind: 'reorder', ...lines, ...order })),
    ...missing(to, old).map(({ at, count }): Move => ({ kind: 'insert', ...place, at, count })),
  ];
}

interface Lines {
  readonly at: number;
  readonly count: number;
}

/** The lines of an order that are not among others, by where they stand in it. */
function missing(order: Order, others: ReadonlySet<Stretch>): readonly Lines[] {
  const found: { at: number; count: number }[] = [];
  let at = 0;
  for (const one of order) {
    const last = found.at(-1);
    if (!others.has(one)) {
      if (last !== undefined && last.at + last.count === at) last.count += one.count;
      else found.push({ at, count: one.count });
    }
    at += one.count;
  }
  return found;
}

/** Blocks of lines put elsewhere one after the other, until the order is the wanted one; `ours` rather than others. */
function reorders(order: Order, wanted: Order, ours: readonly Span[]): readonly (Lines & { readonly to: number })[] {
  const found: (Lines & { readonly to: number })[] = [];
  let current = order;
  for (const [i, one] of wanted.entries()) {
    const from = current.indexOf(one);
    if (from === i) continue;
    let end = from + 1;
    while (end < current.length && current[end] === wanted[i + end - from]) end++;
    const others = current.slice(i, from);
    const [at, middle, to] = [i, from, end].map((index) => lengthOf(current.slice(0, index))) as [
      number,
      number,
      number,
    ];
    if (others.every((held) => isAmong(held, ours))) found.push({ at, count: middle - at, to });
    else found.push({ at: middle, count: to - middle, to: at });
    current = [...current.slice(0, i), ...current.slice(from, end), ...others, ...current.slice(end)];
  }
  return found;
}

function lengthOf(order: Order): number {
  return order.reduce((sum, { count }) => sum + count, 0);
}
