/** Longest text a formula may make, in UTF-16 units, as in Excel; longer is `#VALUE!`. */
export const MAX_TEXT_LENGTH = 32_767;
