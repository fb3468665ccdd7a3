const MIN_CAPACITY = 1_024;

/** Rows as they are found, one after another: a list of numbers would take three times as long, and twice the memory. */
export class RowList {
  private held = new Uint32Array(MIN_CAPACITY);
  private length = 0;

  /** Takes in the rows of a block that are marked, the first of which is `first`. */
  add(marked: Uint8Array, first: number): void {
    if (this.length + marked.length > this.held.length) {
      const more = new Uint32Array(2 * this.held.length);
      more.set(this.held);
      this.held = more;
    }
    const { held } = this;
    let { length } = this;
    // Every row is written down, and stays where it is marked.
    for (let at = 0; at < marked.length; at++) {
      held[length] = first + at;
      length += marked[at]!;
    }
    this.length = length;
  }

  rows(): Uint32Array {
    return this.held.subarray(0, this.length);
  }
}
