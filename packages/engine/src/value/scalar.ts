import { CellError } from './errors.ts';

/** The value of one cell: a number, a text, a boolean, an error, or nothing (`null`). */
export type Scalar = number | string | boolean | null | CellError;

/** True for a cell error. */
export function isError(value: unknown): value is CellError {
  return value instanceof CellError;
}
