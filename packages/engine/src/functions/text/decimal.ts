/** Number of significant decimal digits of a number in spreadsheets. */
const PRECISION = 15;
/** Maximum number of places before the decimal point. Rounding to more places gives 0 for every number. */
const MAX_PLACES = 400;

/**
 * Formats a number in plain decimal notation with a fixed number of decimals. Rounds its fifteen significant digits,
 * half away from zero. Negative `decimals` round to tens, hundreds, … `group` is inserted between groups of three
 * digits.
 */
export function formatFixed(value: number, decimals: number, marks: { decimal: string; group: string }): string {
  const { digits, point } = splitDecimalDigits(Math.abs(value));
  const rounded = roundDigits(digits, point, Math.max(decimals, -MAX_PLACES));
  const sign = value < 0 && /[1-9]/.test(rounded.integer + rounded.fraction) ? '-' : '';
  const integer = marks.group === '' ? rounded.integer : groupDigits(rounded.integer, marks.group);
  return sign + integer + (rounded.fraction === '' ? '' : marks.decimal + rounded.fraction);
}

/** The digits of a number ≥ 0, and the number of digits before the decimal point: 12.5 is `125` and 2. */
function splitDecimalDigits(value: number): { digits: string; point: number } {
  const [mantissa, exponent] = value.toExponential(PRECISION - 1).split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** Rounds digits with a decimal point to a number of decimals. */
function roundDigits(digits: string, point: number, decimals: number): { integer: string; fraction: string } {
  const padded = '0'.repeat(Math.max(0, 1 - point)) + digits;
  const at = Math.max(point, 1);
  const keep = at + decimals;
  const whole = roundKept(padded.padEnd(Math.max(at, keep), '0'), keep);
  const shift = whole.length - Math.max(keep, 0);
  const all = decimals < 0 ? whole + '0'.repeat(-decimals) : whole;
  const split = decimals < 0 ? all.length : at + shift;
  const integer = all.slice(0, split).replace(/^0+(?=\d)/, '');
  return { integer: integer === '' ? '0' : integer, fraction: decimals > 0 ? all.slice(split) : '' };
}

/** Rounds digits to the first `keep`. The result is one digit longer if the carry passes the first digit. */
function roundKept(digits: string, keep: number): string {
  if (keep < 0) return '';
  const head = digits.slice(0, keep);
  if ((digits.charCodeAt(keep) || 48) < 53) return head;
  const out = [...head];
  for (let i = out.length - 1; i >= 0; i--) {
    if (out[i] !== '9') {
      out[i] = String(Number(out[i]) + 1);
      return out.join('');
    }
    out[i] = '0';
  }
  return `1${out.join('')}`;
}

/** Inserts a mark between groups of three digits. */
function groupDigits(integer: string, mark: string): string {
  const parts: string[] = [];
  for (let end = integer.length; end > 0; end -= 3) parts.unshift(integer.slice(Math.max(end - 3, 0), end));
  return parts.join(mark);
}
