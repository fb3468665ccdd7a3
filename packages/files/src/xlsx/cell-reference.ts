import { MAX_COLUMNS, MAX_ROWS } from '@cellwire/engine';

/** Parses a reference such as `B7` to zero-based coordinates; null if it is outside the grid. */
export function parseCellReference(reference: string): { readonly row: number; readonly column: number } | null {
  let column = 0;
  let i = 0;
  for (; i < reference.length; i++) {
    const letter = reference.charCodeAt(i) & ~32;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
  }
  const row = Number(reference.slice(i)) - 1;
  return column < 1 || column > MAX_COLUMNS || !isRowInGrid(row) ? null : { row, column: column - 1 };
}

/** True if a zero-based row is in the grid. */
export function isRowInGrid(row: number): boolean {
  return Number.isInteger(row) && row >= 0 && row < MAX_ROWS;
}
