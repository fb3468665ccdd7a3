/** Part of ECMAScript 2026. The TypeScript library does not declare it yet. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/**
 * The smallest positive integer that a double may not represent exactly. The API refuses such integers without an
 * exponent, because the sender may mean another number.
 */
export const MIN_INEXACT = Number.MAX_SAFE_INTEGER + 1;
/** Matches a text that may contain such an integer. */
const MAY_BE_LONG = /\d{16}/;

/** A finite number as JSON text that the API accepts. Numbers from 2^53 on have an exponent. */
export function jsonNumberText(value: number): string {
  return Math.abs(value) < MIN_INEXACT ? String(value + 0) : value.toExponential();
}

/** Returns JSON text as `JSON.stringify` does, but formats numbers as `jsonNumberText` does. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  // Most texts contain no such number, and `JSON.stringify` with a replacer takes several times as long.
  return text !== undefined && MAY_BE_LONG.test(text) ? JSON.stringify(value, replaceLongNumber) : text;
}

function replaceLongNumber(_key: string, value: unknown): unknown {
  const isLong = typeof value === 'number' && Math.abs(value) >= MIN_INEXACT && Number.isFinite(value);
  return isLong ? JSON.rawJSON(jsonNumberText(value)) : value;
}
