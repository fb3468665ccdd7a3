/** Factor for numbering pairs. Greater than the number of distinct values that a column can have. */
const PAIRS = 2 ** 26;
/** Maximum number of entries in the table, 4 bytes each. */
const MAX_TABLE = 2 ** 22;
const NO_NUMBER = -1;

/**
 * Assigns numbers to pairs of numbers in the order in which they appear. Uses a table for small numbers, else a map.
 */
export class PairNumbers {
  private count = 0;
  private rows = 16;
  private columns = 16;
  /** Numbers of pairs, by the first and then the second number; null if the table would be too large. */
  private table: Int32Array | null = new Int32Array(16 * 16).fill(NO_NUMBER);
  private readonly map = new Map<number, number>();

  /** Replaces the first number of each pair by the number of the pair. */
  replaceByPairNumbers(firsts: Int32Array, seconds: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const { table, rows, columns } = this;
      const first = firsts[i]!;
      const second = seconds[i]!;
      const number = table !== null && first < rows && second < columns ? table[first * columns + second]! : NO_NUMBER;
      firsts[i] = number === NO_NUMBER ? this.getPairNumber(first, second) : number;
    }
  }

  /** The number of a pair; a new pair gets the next number. */
  private getPairNumber(first: number, second: number): number {
    if (first >= this.rows || second >= this.columns) this.growTable(first, second);
    if (this.table === null) return this.getNumberFromMap(first, second);
    const place = first * this.columns + second;
    if (this.table[place] === NO_NUMBER) this.table[place] = this.count++;
    return this.table[place]!;
  }

  /** The number of a pair in the map; a new pair gets the next number. */
  private getNumberFromMap(first: number, second: number): number {
    const pair = first * PAIRS + second;
    const existingNumber = this.map.get(pair);
    if (existingNumber !== undefined) return existingNumber;
    this.map.set(pair, this.count);
    return this.count++;
  }

  /** Enlarges the table for a pair, or copies it into a map if it would become too large. */
  private growTable(first: number, second: number): void {
    const { table, rows, columns } = this;
    while (first >= this.rows) this.rows *= 2;
    while (second >= this.columns) this.columns *= 2;
    const isTooLarge = this.rows * this.columns > MAX_TABLE;
    if (table !== null && isTooLarge) {
      for (let place = 0; place < table.length; place++) {
        const number = table[place]!;
        if (number !== NO_NUMBER) this.map.set(Math.floor(place / columns) * PAIRS + (place % columns), number);
      }
    }
    if (table === null || isTooLarge) {
      this.table = null;
      return;
    }
    this.table = new Int32Array(this.rows * this.columns).fill(NO_NUMBER);
    for (let row = 0; row < rows; row++) {
      this.table.set(table.subarray(row * columns, (row + 1) * columns), row * this.columns);
    }
  }
}
