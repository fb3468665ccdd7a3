/** Longest text a formula may make, in UTF-16 units, as in Excel; longer is `#VALUE!`. */
export const MAX_TEXT_LENGTH = 32_767;
/** Multiplications that count as the evaluation of one cell in the budget of a recalculation. */
export const OPERATIONS_PER_CELL = 16;
