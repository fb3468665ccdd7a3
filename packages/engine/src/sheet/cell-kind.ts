/** The kind byte of a cell: the type in the low bits, the origin of the value in the flags. */
export const EMPTY = 0;

export const NUMBER = 1;

export const BOOLEAN = 2;

export const TEXT = 3;

export const ERROR = 4;

export const TYPE_MASK = 7;

/** A flag: the value is the result of the cell's own formula. */
export const FORMULA = 16;

/** The value spilled here from a formula elsewhere. */
export const SPILLED = 32;

/** A number that is the result of the cell's own formula. */
export const RESULT = NUMBER | FORMULA;
