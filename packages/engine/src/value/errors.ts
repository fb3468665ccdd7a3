/** The error values of cells, by their English codes. */
export const ERROR_CODES = [
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#SPILL!',
  '#CALC!',
  '#ERROR!',
] as const;

/** One of `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A cell error. There is one shared instance for each code, so that errors can be compared with `===`. */
export class CellError {
  readonly code: ErrorCode;
  /** Position in `ERROR_CODES`. Columns store this number for the error. */
  readonly index: number;

  constructor(code: ErrorCode, index: number) {
    this.code = code;
    this.index = index;
  }

  toString(): string {
    return this.code;
  }
}

const ALL: readonly CellError[] = ERROR_CODES.map((code, index) => new CellError(code, index));

/**
 * The error of two ranges without a common cell, `=A1:A2 C1:C2`. The other constants are the errors with the same
 * names.
 */
export const NULL_ERROR = ALL[0]!;
export const DIV0 = ALL[1]!;
export const VALUE = ALL[2]!;
export const REF = ALL[3]!;
export const NAME = ALL[4]!;
export const NUM = ALL[5]!;
export const NA = ALL[6]!;
export const SPILL = ALL[7]!;
export const CALC = ALL[8]!;
/** The error of a formula that cannot be parsed (`#ERROR!`). Excel refuses such a formula and has no error for it. */
export const SYNTAX = ALL[9]!;

/** Returns the error at a position of `ERROR_CODES`. */
export function errorByIndex(index: number): CellError {
  return ALL[index]!;
}

/** Returns the error with a code, in any letter case; undefined for other texts. */
export function errorByCode(code: string): CellError | undefined {
  const upper = code.toUpperCase();
  return ALL.find((error) => error.code === upper);
}
