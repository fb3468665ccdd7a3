import { NUMBERS_PER_STEP, sortByBits, toWords } from './radix-sort.ts';

/** Maximum numbers in a batch. Sorting needs twice their memory, 8 bytes per number. */
const BATCH_NUMBERS = 1 << 20;
/** Numbers in the first batch. Each following batch is four times as large, up to `BATCH_NUMBERS`. */
const FIRST_BATCH_NUMBERS = 1 << 12;
const RECENT_BITS = 10;
const RECENT_NUMBERS = 2 ** RECENT_BITS;
const MIX = 0x9e3779b1;
const NO_ROWS = new Uint32Array(0);

/**
 * Counts distinct numbers. Sorts them by their bits (radix sort) instead of hashing them: sorting reads memory in order
 * and cannot be slowed down by numbers that were chosen to collide.
 */
export class DistinctNumbers {
  private batch = new Float64Array(FIRST_BATCH_NUMBERS);
  private words = toWords(this.batch);
  private count = 0;
  /** The last number of each slot. In columns with few distinct values, most repetitions are found here. */
  private readonly recent = new Float64Array(RECENT_NUMBERS).fill(Number.NaN);
  /** The distinct numbers of all earlier batches, sorted by their bits. */
  private earlierNumbers: Float64Array = new Float64Array(0);

  /** True if `countInSteps` must run before the next call of `add`. */
  get isFull(): boolean {
    return this.count === this.batch.length;
  }

  /** Adds a number. It must not be NaN. */
  add(value: number): void {
    // Converts -0 to 0.
    this.batch[this.count] = value + 0;
    const mixed = Math.imul(this.words[2 * this.count]! ^ Math.imul(this.words[2 * this.count + 1]!, MIX), MIX);
    const slot = mixed >>> (32 - RECENT_BITS);
    if (this.recent[slot] === value) return;
    this.recent[slot] = value;
    this.count++;
  }

  /** Returns the number of distinct numbers so far. Pauses between steps. */
  *countInSteps(): Generator<void, number> {
    if (this.count > 0) {
      const batch = { numbers: this.batch.subarray(0, this.count), rows: NO_ROWS };
      const { numbers } = yield* sortByBits(batch);
      this.earlierNumbers = yield* mergeDistinct(this.earlierNumbers, numbers);
      this.count = 0;
      const next = Math.min(BATCH_NUMBERS, this.batch.length * 4);
      if (next > this.batch.length) {
        this.batch = new Float64Array(next);
        this.words = toWords(this.batch);
      }
    }
    return this.earlierNumbers.length;
  }
}

/** Merges two lists in the order of their bits and removes repetitions. The first list must have no repetitions. */
function* mergeDistinct(earlier: Float64Array, sorted: Float64Array): Generator<void, Float64Array> {
  const both = new Float64Array(earlier.length + sorted.length);
  const [knownWords, words] = [toWords(earlier), toWords(sorted)];
  let [size, at, visited] = [0, 0, 0];
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i]!;
    if (i > 0 && value === sorted[i - 1]) continue;
    const [low, high] = [words[2 * i]!, words[2 * i + 1]!];
    while (at < earlier.length && isBefore(knownWords, at, low, high)) {
      both[size++] = earlier[at++]!;
      if (++visited % NUMBERS_PER_STEP === 0) yield;
    }
    if (at < earlier.length && earlier[at] === value) at++;
    both[size++] = value;
    if (++visited % NUMBERS_PER_STEP === 0) yield;
  }
  both.set(earlier.subarray(at), size);
  return both.slice(0, size + earlier.length - at);
}

/**
 * True if the number at an index comes before the number with the halves `low` and `high`, in the order of their bits.
 */
function isBefore(words: Uint32Array, index: number, low: number, high: number): boolean {
  const highWord = words[2 * index + 1]!;
  return highWord < high || (highWord === high && words[2 * index]! < low);
}
