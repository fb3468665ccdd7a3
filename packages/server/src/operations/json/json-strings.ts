const QUOTE = 34;
const BACKSLASH = 92;

/** Offset of the quote that ends the JSON string which starts at `from`. */
export function findEndOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
