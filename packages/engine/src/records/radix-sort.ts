/** Number of values between two pauses: about a millisecond. */
export const NUMBERS_PER_STEP = 1 << 16;
/** The first bit of each pass, in each half of a number. */
const SHIFTS = [0, 11, 22] as const;
const RADIX = 1 << 11;
const HALVES = [0, 1] as const;

/** Returns a view of the halves of the numbers, the lower half first. */
export function toWords(numbers: Float64Array): Uint32Array {
  return new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length * 2);
}

/** Numbers, and the row of each number. */
export interface NumberedRows {
  readonly numbers: Float64Array;
  /** The row of each number; empty to sort only the numbers. */
  readonly rows: Uint32Array;
}

/**
 * Sorts numbers by their bits, together with their rows: positive numbers in ascending order, then negative ones in
 * descending order. Stable. Overwrites the given arrays. Pauses regularly.
 */
export function* sortByBits(unsorted: NumberedRows): Generator<void, NumberedRows> {
  const { length } = unsorted.numbers;
  const hasRows = unsorted.rows.length > 0;
  let from = unsorted;
  let to: NumberedRows = { numbers: new Float64Array(length), rows: new Uint32Array(unsorted.rows.length) };
  for (const half of HALVES) {
    for (const shift of SHIFTS) {
      const words = toWords(from.numbers);
      const starts = yield* computeDigitStarts(words, half, shift);
      if (starts === null) continue;
      for (let start = 0; start < length; start += NUMBERS_PER_STEP) {
        const end = Math.min(length, start + NUMBERS_PER_STEP);
        for (let i = start; i < end; i++) {
          const place = starts[(words[2 * i + half]! >>> shift) & (RADIX - 1)]!++;
          to.numbers[place] = from.numbers[i]!;
          if (hasRows) to.rows[place] = from.rows[i]!;
        }
        yield;
      }
      [from, to] = [to, from];
    }
  }
  return from;
}

/** Returns the first position of each digit in the sorted list; null if all numbers have the same digit. */
function* computeDigitStarts(words: Uint32Array, half: number, shift: number): Generator<void, Uint32Array | null> {
  const counts = new Uint32Array(RADIX);
  const length = words.length / 2;
  for (let start = 0; start < length; start += NUMBERS_PER_STEP) {
    const end = Math.min(length, start + NUMBERS_PER_STEP);
    for (let i = start; i < end; i++) counts[(words[2 * i + half]! >>> shift) & (RADIX - 1)]!++;
    yield;
  }
  let place = 0;
  for (let digit = 0; digit < RADIX; digit++) {
    const count = counts[digit]!;
    if (count === length) return null;
    counts[digit] = place;
    place += count;
  }
  return counts;
}

/**
 * Sorts numbers in ascending order, together with their rows. Stable. Overwrites the given arrays. Pauses regularly.
 */
export function* sortAscending(unsorted: NumberedRows): Generator<void, NumberedRows> {
  const { numbers, rows } = yield* sortByBits(unsorted);
  let negative = numbers.length;
  while (negative > 0 && numbers[negative - 1]! < 0) negative--;
  if (negative === numbers.length) return { numbers, rows };
  const count = numbers.length - negative;
  const ascending = { numbers: new Float64Array(numbers.length), rows: new Uint32Array(rows.length) };
  ascending.numbers.set(numbers.subarray(negative).reverse());
  ascending.numbers.set(numbers.subarray(0, negative), count);
  ascending.rows.set(rows.subarray(negative).reverse());
  ascending.rows.set(rows.subarray(0, negative), count);
  yield;
  // Reversing the negative numbers also reversed the rows of equal numbers; restore their order.
  let visited = 0;
  for (let first = 0; first < count; ) {
    let end = first + 1;
    while (end < count && ascending.numbers[end] === ascending.numbers[first]) end++;
    if (end - first > 1) ascending.rows.subarray(first, end).reverse();
    visited += end - first;
    first = end;
    if (visited < NUMBERS_PER_STEP) continue;
    visited = 0;
    yield;
  }
  return ascending;
}
