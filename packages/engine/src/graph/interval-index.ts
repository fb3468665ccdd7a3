/** What the index holds: a row span that may be declared dead, which takes it out at the next rebuild. */
export interface Interval {
  readonly first: number;
  readonly last: number;
  dead: boolean;
}

/** New intervals are searched one by one until there are this many. */
const MOST_LOOSE = 32;

/**
 * Intervals by row, found by the rows they meet. Insertions gather in a short list that is merged into sorted levels
 * of doubling size (the logarithmic method), so that loading is one sort, an insertion costs O(log n) amortised, and
 * a query O(log² n + hits).
 */
export class IntervalIndex<T extends Interval> {
  private loose: T[] = [];
  private levels: Level<T>[] = [];
  private live = 0;
  private dead = 0;

  get size(): number {
    return this.live;
  }

  add(interval: T): void {
    this.loose.push(interval);
    this.live++;
  }

  /** Takes an interval out; it must be in. */
  remove(interval: T): void {
    interval.dead = true;
    this.live--;
    this.dead++;
    if (this.dead > 64 && this.dead > this.live) this.rebuild();
  }

  /** Visits every interval that meets rows `first` to `last`. */
  query(first: number, last: number, visit: (interval: T) => void): void {
    if (this.loose.length > MOST_LOOSE) this.merge();
    for (const interval of this.loose) {
      if (!interval.dead && interval.first <= last && interval.last >= first) visit(interval);
    }
    for (const level of this.levels) level.query(first, last, visit);
  }

  private merge(): void {
    let items = this.loose;
    while (
      this.levels.length > 0 &&
      (this.levels[this.levels.length - 1] as Level<T>).items.length <= items.length * 2
    ) {
      items = items.concat((this.levels.pop() as Level<T>).items);
    }
    this.levels.push(new Level(items.filter((item) => !item.dead)));
    this.loose = [];
  }

  private rebuild(): void {
    const all = this.loose.concat(...this.levels.map((level) => level.items));
    this.levels = [new Level(all.filter((item) => !item.dead))];
    this.loose = [];
    this.dead = 0;
  }
}

/** Intervals sorted by first row, with the greatest last row of every subtree of the implicit balanced tree. */
class Level<T extends Interval> {
  readonly items: T[];
  private readonly reach: Int32Array;

  constructor(items: T[]) {
    this.items = items.sort((a, b) => a.first - b.first);
    this.reach = new Int32Array(items.length);
    this.fill(0, items.length);
  }

  private fill(from: number, to: number): number {
    if (from >= to) return -1;
    const middle = (from + to) >> 1;
    const reach = Math.max((this.items[middle] as T).last, this.fill(from, middle), this.fill(middle + 1, to));
    this.reach[middle] = reach;
    return reach;
  }

  query(first: number, last: number, visit: (interval: T) => void): void {
    this.search(0, this.items.length, first, last, visit);
  }

  private search(from: number, to: number, first: number, last: number, visit: (interval: T) => void): void {
    if (from >= to) return;
    const middle = (from + to) >> 1;
    if ((this.reach[middle] as number) < first) return;
    this.search(from, middle, first, last, visit);
    const item = this.items[middle] as T;
    if (item.first > last) return;
    if (!item.dead && item.last >= first) visit(item);
    this.search(middle + 1, to, first, last, visit);
  }
}
