import { invalidRequest, type Refusal } from '../../service/refusal.ts';
import { isDigit, isExponent, MINUS, PLUS, POINT } from './number-scanner.ts';

/** The greatest integer that a double distinguishes from its neighbours, 2^53 − 1. */
const MAX_EXACT = String(Number.MAX_SAFE_INTEGER);
const DIGITS = MAX_EXACT.length;
/** Bytes that are scanned between two pauses: about 1 ms. */
const SCANNED_BYTES = 1024 * 1024;
/** Maximum digits of an integer in a refusal. */
const MAX_SHOWN_DIGITS = 40;

/**
 * Offset of the first digit of the first integer beyond ±(2^53 − 1) between two offsets, also within a string. Infinity if
 * there is none. `endOffset` must not be within a run of digits. Reads only every 16th byte between runs of digits,
 * because a run of 16 digits contains such a byte.
 */
export function findLongInteger(bytes: Uint8Array, fromOffset: number, endOffset = bytes.length): number {
  for (let at = fromOffset + DIGITS - 1; at < endOffset; at += DIGITS) {
    if (!isDigit(bytes[at])) continue;
    const start = findStartOfDigits(bytes, at);
    const end = findEndOfDigits(bytes, at);
    if (isLongInteger(bytes, start, end)) return start;
    at = end;
  }
  return Number.POSITIVE_INFINITY;
}

/** Like `findLongInteger` for the rest of the body, with pauses. */
export function* scanForLongInteger(bytes: Uint8Array, start: number): Generator<void, number> {
  let from = start;
  while (from + SCANNED_BYTES < bytes.length) {
    const end = findEndOfDigits(bytes, from + SCANNED_BYTES);
    const found = findLongInteger(bytes, from, end);
    if (found < Number.POSITIVE_INFINITY) return found;
    from = end;
    yield;
  }
  return findLongInteger(bytes, from);
}

/** The position of the first digit of the run that contains this digit. */
function findStartOfDigits(bytes: Uint8Array, digit: number): number {
  let start = digit;
  while (start > 0 && isDigit(bytes[start - 1])) start--;
  return start;
}

/** The first position from `from` that has no digit. */
function findEndOfDigits(bytes: Uint8Array, from: number): number {
  let end = from;
  while (isDigit(bytes[end])) end++;
  return end;
}

/** Whether digits form a whole JSON integer, without fraction or exponent, that cannot be stored exactly. */
function isLongInteger(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < DIGITS) return false;
  const before = bytes[start - 1];
  if (before === POINT || before === PLUS || isExponent(before)) return false;
  if (before === MINUS && isExponent(bytes[start - 2])) return false;
  const after = bytes[end];
  if (after === POINT || isExponent(after)) return false;
  if (end - start > DIGITS) return true;
  for (let i = 0; i < DIGITS; i++) {
    const difference = (bytes[start + i] as number) - MAX_EXACT.charCodeAt(i);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** The integer with its sign; a very long one is shortened. */
export function readIntegerText(bytes: Buffer, start: number): string {
  const signed = bytes[start - 1] === MINUS ? start - 1 : start;
  const end = findEndOfDigits(bytes, start);
  const shown = bytes.toString('latin1', signed, Math.min(end, start + MAX_SHOWN_DIGITS));
  return end > start + MAX_SHOWN_DIGITS ? `${shown}…` : shown;
}

/** Members whose errors name only the member as the field, and the columns in the message. */
const FILTERS: ReadonlySet<string | undefined> = new Set(['where', 'any', 'none']);

/** Refuses an integer that cannot be stored exactly. `path`: names and indexes from the body to the integer. */
export function createLongIntegerRefusal(path: readonly string[], integer: string): Refusal {
  const [root = 'body'] = path;
  const place = formatFieldPath(path);
  const message = `${place}: ${integer} cannot be stored exactly as a number; send it as text`;
  return invalidRequest(FILTERS.has(root) ? root : place, message);
}

/** The name of a field, in the form of other errors. */
function formatFieldPath(path: readonly string[]): string {
  const [root = 'body', ...rest] = path;
  if (root === 'operations') return [root, ...rest.toSpliced(1, 1)].join('.');
  if (!FILTERS.has(root)) return [root, ...rest].join('.');
  const [column, ...inner] = root === 'where' ? rest : rest.slice(1);
  return [root, ...(column === undefined ? [] : [`"${column}"`]), ...inner].join('.');
}
