import { EMPTY, ERROR, NUMBER, TEXT, TYPE_MASK } from './cell-kind.ts';
import type { Texts } from './texts.ts';

/** Sums of a chunk's numbers. */
export interface ChunkTotals {
  readonly sum: number;
  readonly count: number;
  /** Number of cells that are not empty. */
  readonly filled: number;
  /** Number of empty texts, which COUNTBLANK counts as blank. */
  readonly emptyTexts: number;
  /** Index in the chunk of the first error, or -1. */
  readonly firstError: number;
}

/** The cells of a chunk. */
export interface ChunkCells {
  readonly kinds: Uint8Array;
  readonly numbers: Float64Array;
  readonly texts: Texts;
  readonly isAllNumbers: boolean;
}

/** Computes the totals of a chunk. */
export function computeChunkTotals({ kinds, numbers, texts, isAllNumbers }: ChunkCells): ChunkTotals {
  if (isAllNumbers) {
    let sum = 0;
    for (let row = 0; row < numbers.length; row++) sum += numbers[row]!;
    return { sum, count: numbers.length, filled: numbers.length, emptyTexts: 0, firstError: -1 };
  }
  let sum = 0;
  let count = 0;
  let filled = 0;
  let emptyTexts = 0;
  let firstError = -1;
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] === EMPTY) continue;
    filled++;
    const type = kinds[row]! & TYPE_MASK;
    if (type === NUMBER) {
      sum += numbers[row]!;
      count++;
    } else if (type === TEXT) emptyTexts += Number(texts.isEmpty(numbers[row]!));
    else if (type === ERROR && firstError < 0) firstError = row;
  }
  return { sum, count, filled, emptyTexts, firstError };
}

/** The least and the greatest number of a chunk; infinite if it contains none. */
export interface ChunkExtremes {
  readonly least: number;
  readonly greatest: number;
}

/** Returns the extremes of the numbers in rows `first` to `last` of a chunk. */
export function findExtremes(
  kinds: Uint8Array,
  numbers: Float64Array,
  areAllNumbers: boolean,
  first: number,
  last: number,
): ChunkExtremes {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let row = first; row <= last; row++) {
    if (!areAllNumbers && (kinds[row]! & TYPE_MASK) !== NUMBER) continue;
    const number = numbers[row]!;
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return { least, greatest };
}
