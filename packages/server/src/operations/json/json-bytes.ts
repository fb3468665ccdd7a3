// Bytes of JSON texts.
export const QUOTE = 34;
export const COMMA = 44;
export const LIST = 91;
export const BACKSLASH = 92;
export const LIST_END = 93;

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];

/** Offset of the first byte from `from` that is not a blank. */
export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && isBlank(bytes[at] as number)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

/** Offset of the quote that ends the string which starts at `from`. */
export function findEndOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
