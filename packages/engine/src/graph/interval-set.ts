/** Rows as sorted, disjoint, non-adjacent intervals. */
export class IntervalSet {
  /** First and last row of each interval, alternating, in order. */
  private edges: number[] = [];

  static fromRange(first: number, last: number): IntervalSet {
    const set = new IntervalSet();
    set.edges = [first, last];
    return set;
  }

  get isEmpty(): boolean {
    return this.edges.length === 0;
  }

  /** Number of intervals. */
  get intervalCount(): number {
    return this.edges.length / 2;
  }

  /** Total number of rows. */
  get rows(): number {
    let rows = 0;
    for (let i = 0; i < this.edges.length; i += 2) {
      rows += this.edges[i + 1]! - this.edges[i]! + 1;
    }
    return rows;
  }

  /** Adds rows. Calls `onAdded` for each part of them that was not in the set. */
  add(first: number, last: number, onAdded?: (first: number, last: number) => void): void {
    const { edges } = this;
    const length = edges.length;
    if (length === 0 || first > edges[length - 1]!) {
      // Rows usually come in order, and there is often only one interval. Its array is then created with its exact
      // size.
      if (length === 0) this.edges = [first, last];
      else if (first === edges[length - 1]! + 1) edges[length - 1] = last;
      else edges.push(first, last);
      onAdded?.(first, last);
      return;
    }
    const from = this.findInterval(first - 1);
    let to = from;
    let next = first;
    let low = first;
    let high = last;
    while (to < length && edges[to]! <= last + 1) {
      const a = edges[to]!;
      const b = edges[to + 1]!;
      if (a > next) onAdded?.(next, Math.min(a - 1, last));
      if (b + 1 > next) next = b + 1;
      if (a < low) low = a;
      if (b > high) high = b;
      to += 2;
    }
    if (next <= last) onAdded?.(next, last);
    edges.splice(from, to - from, low, high);
  }

  has(row: number): boolean {
    const at = this.findInterval(row);
    return at < this.edges.length && this.edges[at]! <= row;
  }

  /** True if any of the rows is in the set. */
  hasAnyRow(first: number, last: number): boolean {
    const at = this.findInterval(first);
    return at < this.edges.length && this.edges[at]! <= last;
  }

  /** The rows of this set that are not in `other`. */
  subtract(other: IntervalSet): IntervalSet {
    const rest = new IntervalSet();
    this.forEach((first, last) => {
      let from = first;
      for (let i = other.findInterval(first); i < other.edges.length && other.edges[i]! <= last; i += 2) {
        const start = other.edges[i]!;
        if (start > from) rest.add(from, start - 1);
        from = other.edges[i + 1]! + 1;
      }
      if (from <= last) rest.add(from, last);
    });
    return rest;
  }

  /** Returns a set with the first `parts` intervals. */
  takeFirstIntervals(parts: number): IntervalSet {
    if (parts >= this.intervalCount) return this;
    const first = new IntervalSet();
    first.edges = this.edges.slice(0, 2 * parts);
    return first;
  }

  /** The first and the last row. The set must not be empty. */
  getBounds(): { readonly first: number; readonly last: number } {
    return { first: this.edges[0]!, last: this.edges[this.edges.length - 1]! };
  }

  /** Returns the first row of the set, at `row` or later; -1 for none. */
  findNextRow(row: number): number {
    const at = this.findInterval(row);
    return at < this.edges.length ? Math.max(this.edges[at]!, row) : -1;
  }

  /** Returns the last row of the interval that contains a row; -1 for none. */
  findIntervalEnd(row: number): number {
    const at = this.findInterval(row);
    return at < this.edges.length && this.edges[at]! <= row ? this.edges[at + 1]! : -1;
  }

  /** Calls `visit` with the first and last row of each interval, in ascending order. */
  forEach(visit: (first: number, last: number) => void): void {
    for (let i = 0; i < this.edges.length; i += 2) visit(this.edges[i]!, this.edges[i + 1]!);
  }

  /** Index in `edges` of the first interval whose last row is at least `row`. */
  private findInterval(row: number): number {
    let low = 0;
    let high = this.edges.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.edges[2 * middle + 1]! < row) low = middle + 1;
      else high = middle;
    }
    return 2 * low;
  }
}
