import { ERROR, NUMBER, TYPE_MASK } from './cell-kind.ts';

/** Sums of a chunk's numbers. Cached until the chunk changes. */
export interface ChunkTotals {
  readonly sum: number;
  readonly count: number;
  /** Index in the chunk of the first error, or -1. */
  readonly firstError: number;
}

/** `areAllNumbers`: every kind is a number. */
export function sumNumbers(kinds: Uint8Array, numbers: Float64Array, areAllNumbers: boolean): ChunkTotals {
  if (areAllNumbers) {
    let sum = 0;
    for (let row = 0; row < numbers.length; row++) sum += numbers[row]!;
    return { sum, count: numbers.length, firstError: -1 };
  }
  let sum = 0;
  let count = 0;
  let firstError = -1;
  for (let row = 0; row < kinds.length; row++) {
    const type = kinds[row]! & TYPE_MASK;
    if (type === NUMBER) {
      sum += numbers[row]!;
      count++;
    } else if (type === ERROR && firstError < 0) firstError = row;
  }
  return { sum, count, firstError };
}
