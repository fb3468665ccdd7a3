/** Maximum length of a text result in UTF-16 units, as in Excel. Longer texts give `#VALUE!`. */
export const MAX_TEXT_LENGTH = 32_767;
/** Number of multiplications that count as one cell of the budget. */
export const OPERATIONS_PER_CELL = 16;
/** Number of characters of a text result that count as one cell of the budget, as a power of two. */
const CHARACTERS_PER_CELL_LOG2 = 3;

/** Returns the cost of a text result in cells, because millions of long texts would otherwise use up the memory. */
export function computeTextCost(text: string): number {
  return text.length >> CHARACTERS_PER_CELL_LOG2;
}
