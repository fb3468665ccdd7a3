import { type CellError, DIV0, NUM } from '../../value/errors.ts';

/** If the reciprocal of an exponent differs from an integer by at most this share, the exponent is a root. */
const ROOT_TOLERANCE = 1e-12;

/**
 * POWER and the operator `^`: 0^0 is `#NUM!`, a negative power of 0 is `#DIV/0!`, and an odd root of a negative number
 * is real, as in Excel.
 */
export function power(base: number, exponent: number): number | CellError {
  if (base === 0) {
    if (exponent === 0) return NUM;
    return exponent < 0 ? DIV0 : 0;
  }
  const result = base ** exponent;
  if (Number.isFinite(result)) return result;
  if (base < 0 && Math.abs(exponent) < 1) {
    const root = Math.round(1 / exponent);
    if (Math.abs(root) % 2 === 1 && Math.abs(1 / exponent - root) <= Math.abs(root) * ROOT_TOLERANCE) {
      return -((-base) ** exponent);
    }
  }
  return NUM;
}
