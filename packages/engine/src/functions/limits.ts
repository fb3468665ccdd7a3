/** Maximum length of a text result in UTF-16 units, as in Excel. Longer ones are `#VALUE!`. */
export const MAX_TEXT_LENGTH = 32_767;
/** Multiplications per cell of the budget. */
export const OPERATIONS_PER_CELL = 16;
/** Characters of a text result per cell of the budget, as a power of two. */
const CHARACTERS_PER_CELL_LOG2 = 3;

/** The cost of a text result in cells: millions of long texts would use up the memory otherwise. */
export function computeTextCost(text: string): number {
  return text.length >> CHARACTERS_PER_CELL_LOG2;
}
