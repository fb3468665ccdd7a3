/** The kind byte of a cell. The low bits are the type of its value; the flags tell where the value comes from. */
export const EMPTY = 0;

export const NUMBER = 1;

export const BOOLEAN = 2;

export const TEXT = 3;

export const ERROR = 4;

export const TYPE_MASK = 7;

/** A flag: the value is the result of the cell's own formula. */
export const FORMULA = 16;

/** A flag: the value was spilled into this cell by the formula of another cell. */
export const SPILLED = 32;

/** A number that is the result of the cell's own formula. */
export const RESULT = NUMBER | FORMULA;
