/** Longest text a formula may make, in UTF-16 units, as in Excel; longer is `#VALUE!`. */
export const MAX_TEXT_LENGTH = 32_767;
/** Multiplications that count as the evaluation of one cell in the budget of a recalculation. */
export const OPERATIONS_PER_CELL = 16;
/** As a power of two: so many characters of a text result count as much against the budget as a cell. */
const CHARACTERS_PER_CELL_LOG2 = 3;

/** What a text result takes off the budget, in cells: millions of long ones would take the memory otherwise. */
export function textCells(text: string): number {
  return text.length >> CHARACTERS_PER_CELL_LOG2;
}
