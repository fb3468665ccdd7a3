/** ECMAScript 2026, not yet among the compiler's types. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/** Integers from here on are not exact: the API refuses them in plain digits, since a sender may mean others. */
const MIN_INEXACT = Number.MAX_SAFE_INTEGER + 1;
/** So many digits in a row may be such an integer. */
const MAY_BE_LONG = /\d{16}/;

/** A finite number as JSON text that is accepted when it is sent back: from 2^53 on with an exponent. */
export function jsonNumberText(value: number): string {
  return Math.abs(value) < MIN_INEXACT ? String(value + 0) : value.toExponential();
}

/** `JSON.stringify` with numbers as `jsonNumberText` writes them. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  // Most texts have no such number, and a replacer takes several times as long.
  return text !== undefined && MAY_BE_LONG.test(text) ? JSON.stringify(value, replaceLongNumber) : text;
}

function replaceLongNumber(_key: string, value: unknown): unknown {
  const isLong = typeof value === 'number' && Math.abs(value) >= MIN_INEXACT && Number.isFinite(value);
  return isLong ? JSON.rawJSON(jsonNumberText(value)) : value;
}
