import type { Area } from '@cellwire/engine';
import type { Cell } from '../data/types.ts';

/** What a selection holds. */
export interface Statistics {
  readonly filled: number;
  readonly numbers: number;
  readonly sum: number;
  readonly least: number;
  readonly greatest: number;
}

/** Of areas without a cell in common; null where not all cells are known. */
export function statisticsOf(
  areas: readonly Area[],
  cellAt: (row: number, column: number) => Cell | null | undefined,
): Statistics | null {
  let filled = 0;
  let numbers = 0;
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const area of areas) {
    for (let row = area.top; row <= area.bottom; row++) {
      for (let column = area.left; column <= area.right; column++) {
        const cell = cellAt(row, column);
        if (cell === undefined) return null;
        if (cell === null) continue;
        filled++;
        if (typeof cell.v !== 'number') continue;
        numbers++;
        sum += cell.v;
        if (cell.v < least) least = cell.v;
        if (cell.v > greatest) greatest = cell.v;
      }
    }
  }
  return { filled, numbers, sum, least, greatest };
}
