/** A range of rows. An interval with `dead` set is removed at the next rebuild. */
export interface Interval {
  readonly first: number;
  readonly last: number;
  dead: boolean;
}

/** Receives the intervals that a search finds. */
export interface IntervalVisitor<T> {
  visitInterval(interval: T): void;
}

/** Puts found intervals into a list. */
class IntervalCollector<T> implements IntervalVisitor<T> {
  private readonly matches: T[];

  constructor(matches: T[]) {
    this.matches = matches;
  }

  visitInterval(interval: T): void {
    this.matches.push(interval);
  }
}

/** Maximum number of new intervals that are searched one by one. */
const MAX_LOOSE = 32;

/**
 * Finds intervals by the rows that they intersect. New intervals are added to a short list, which is merged into sorted
 * levels of doubling size (the logarithmic method). Loading takes one sort, an insertion O(log n) amortised, a query
 * O(log² n + hits).
 */
export class IntervalIndex<T extends Interval> {
  private loose: T[] = [];
  private levels: SortedLevel<T>[] = [];
  private live = 0;
  private dead = 0;

  get size(): number {
    return this.live;
  }

  add(interval: T): void {
    this.loose.push(interval);
    this.live++;
  }

  /** Removes an interval, which must be in the index. */
  remove(interval: T): void {
    interval.dead = true;
    this.live--;
    this.dead++;
    if (this.dead > 64 && this.dead > this.live) this.rebuild();
  }

  /** Adds every interval that intersects rows `first` to `last` to `matches`. */
  collectIntersecting(first: number, last: number, matches: T[]): void {
    this.visitIntersecting(first, last, new IntervalCollector(matches));
  }

  /** Passes every interval that intersects rows `first` to `last` to `visitor`, which must not change the index. */
  visitIntersecting(first: number, last: number, visitor: IntervalVisitor<T>): void {
    if (this.loose.length > MAX_LOOSE) this.merge();
    for (const interval of this.loose) {
      if (!interval.dead && interval.first <= last && interval.last >= first) visitor.visitInterval(interval);
    }
    for (const level of this.levels) level.visitIntersecting(first, last, visitor);
  }

  /**
   * Reads the rows of all intervals again and sorts them if their order changed. Call it after the rows of intervals
   * changed.
   */
  refresh(): void {
    if (this.dead === 0) {
      for (const level of this.levels) level.readRows();
      return;
    }
    this.levels = this.levels.map(({ items }) => new SortedLevel(items.filter((item) => !item.dead)));
    this.loose = this.loose.filter((item) => !item.dead);
    this.dead = 0;
  }

  /** Merges small sorted levels into larger ones. */
  private merge(): void {
    let items = this.loose;
    while (this.levels.length > 0 && this.levels[this.levels.length - 1]!.items.length <= items.length * 2) {
      items = items.concat(this.levels.pop()!.items);
    }
    this.levels.push(new SortedLevel(items.filter((item) => !item.dead)));
    this.loose = [];
  }

  private rebuild(): void {
    const all = this.loose.concat(...this.levels.map((level) => level.items));
    this.levels = [new SortedLevel(all.filter((item) => !item.dead))];
    this.loose = [];
    this.dead = 0;
  }
}

/**
 * Maximum length of short intervals in rows. A search among short intervals checks all intervals that begin in the
 * searched rows, or above them by at most the length of the longest interval.
 */
const MAX_SHORT_LENGTH = 16;

const NO_GROUPS = new Int32Array(0);

/**
 * Intervals sorted by first row, as an implicit balanced tree with the greatest last row of every subtree. Rows are
 * copied to arrays, so that a search reads only the intervals that it finds.
 */
class SortedLevel<T extends Interval> {
  readonly items: T[];
  private readonly firsts: Int32Array;
  private readonly lasts: Int32Array;
  /** For each interval, the greatest last row in its subtree; null if all intervals are short. */
  private greatestLastRows: Int32Array | null = null;
  /** Length of the longest interval in rows, minus one. */
  private longest = 0;
  /**
   * For each group of rows, the index of the first interval that begins in the group or below it. There are about as
   * many groups as intervals. The first search of short intervals creates this array.
   */
  private groupStarts: Int32Array = NO_GROUPS;
  /** Number of rows of a group, as a power of two. */
  private groupShift = 0;

  constructor(items: T[]) {
    this.items = items;
    this.firsts = new Int32Array(items.length);
    this.lasts = new Int32Array(items.length);
    this.readRows();
  }

  /** Reads the rows of its intervals and sorts the intervals if they are out of order. */
  readRows(): void {
    const { items, firsts, lasts } = this;
    if (!isSorted(items)) items.sort((a, b) => a.first - b.first);
    let longest = 0;
    for (let i = 0; i < items.length; i++) {
      const { first, last } = items[i]!;
      firsts[i] = first;
      lasts[i] = last;
      if (last - first > longest) longest = last - first;
    }
    this.longest = longest;
    this.greatestLastRows = longest < MAX_SHORT_LENGTH ? null : new Int32Array(items.length);
    this.fillGreatestLastRows(0, items.length);
    this.groupStarts = NO_GROUPS;
  }

  /** Creates `groupStarts`. */
  private groupRows(): void {
    const { firsts } = this;
    const lastRow = firsts[firsts.length - 1]!;
    this.groupShift = 0;
    while (lastRow >> this.groupShift > firsts.length) this.groupShift++;
    const starts = new Int32Array((lastRow >> this.groupShift) + 2);
    for (let group = 0, i = 0; group < starts.length; group++) {
      while (i < firsts.length && firsts[i]! >> this.groupShift < group) i++;
      starts[group] = i;
    }
    this.groupStarts = starts;
  }

  /** Index of the first interval that begins at `row` or below; the number of intervals for none. */
  private findFirst(row: number): number {
    const { firsts } = this;
    if (row <= 0 || firsts.length === 0) return 0;
    if (row > firsts[firsts.length - 1]!) return firsts.length;
    if (this.groupStarts === NO_GROUPS) this.groupRows();
    const group = row >> this.groupShift;
    let low = this.groupStarts[group]!;
    let high = this.groupStarts[group + 1]!;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (firsts[middle]! < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private fillGreatestLastRows(from: number, to: number): number {
    if (from >= to || this.greatestLastRows === null) return -1;
    const middle = (from + to) >> 1;
    const reach = Math.max(
      this.lasts[middle]!,
      this.fillGreatestLastRows(from, middle),
      this.fillGreatestLastRows(middle + 1, to),
    );
    this.greatestLastRows[middle] = reach;
    return reach;
  }

  /** Passes the intervals that intersect `first` to `last` to `visitor`. */
  visitIntersecting(first: number, last: number, visitor: IntervalVisitor<T>): void {
    if (this.greatestLastRows !== null)
      return this.searchTree(this.greatestLastRows, 0, this.items.length, first, last, visitor);
    const { firsts, lasts } = this;
    for (let i = this.findFirst(first - this.longest); i < firsts.length && firsts[i]! <= last; i++) {
      if (lasts[i]! >= first) this.visitItem(i, visitor);
    }
  }

  /**
   * Visits the items from `from` to before `to` that meet rows `first` to `last`. `reach`: the greatest last row of
   * each subtree.
   */
  private searchTree(
    reach: Int32Array,
    from: number,
    to: number,
    first: number,
    last: number,
    visitor: IntervalVisitor<T>,
  ): void {
    if (from >= to) return;
    const middle = (from + to) >> 1;
    if (reach[middle]! < first) return;
    this.searchTree(reach, from, middle, first, last, visitor);
    if (this.firsts[middle]! > last) return;
    if (this.lasts[middle]! >= first) this.visitItem(middle, visitor);
    this.searchTree(reach, middle + 1, to, first, last, visitor);
  }

  private visitItem(index: number, visitor: IntervalVisitor<T>): void {
    const item = this.items[index]!;
    if (!item.dead) visitor.visitInterval(item);
  }
}

function isSorted(items: readonly Interval[]): boolean {
  for (let i = 1; i < items.length; i++) {
    if (items[i - 1]!.first > items[i]!.first) return false;
  }
  return true;
}
