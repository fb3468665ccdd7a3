import { MAX_BODY_DEPTH, MAX_BODY_LISTS, MAX_BODY_NAMES } from '../limits/http.ts';

const QUOTE = 34;
const BACKSLASH = 92;

/** What a byte outside of texts means for the shape. */
const PLAIN = 0;
const TEXT = 1;
const OPENS = 2;
const CLOSES = 3;
const NAMES = 4;
const MEANING = new Uint8Array(256);
for (const [characters, meaning] of [
  ['"', TEXT],
  ['[{', OPENS],
  [']}', CLOSES],
  [':', NAMES],
] as const) {
  for (const character of characters) MEANING[character.charCodeAt(0)] = meaning;
}

/**
 * What is wrong with the shape of a JSON text, as a sentence; null: nothing. Parsing ten megabytes of brackets, or of
 * names that are all different, takes seconds in which nobody else is served; looking over them takes some milliseconds.
 * Whether the text is JSON at all is for the parser to say.
 */
export function shapeProblem(bytes: Uint8Array): string | null {
  if (bytes.length < LOOKED_OVER_BYTES) return null;
  let depth = 0;
  let lists = 0;
  let names = 0;
  for (let i = 0; i < bytes.length; i++) {
    const meaning = MEANING[bytes[i] as number];
    if (meaning === PLAIN) continue;
    if (meaning === TEXT) i = endOfText(bytes, i);
    else if (meaning === CLOSES) depth--;
    else if (meaning === NAMES) names++;
    else {
      depth++;
      lists++;
      if (depth > MAX_BODY_DEPTH) return `The body must not be nested deeper than ${MAX_BODY_DEPTH} levels`;
    }
  }
  if (lists > MAX_BODY_LISTS) return `The body must not have more than ${MAX_BODY_LISTS} lists and objects`;
  return names > MAX_BODY_NAMES ? `The body must not have more than ${MAX_BODY_NAMES} names` : null;
}

/** Shorter bodies are parsed in no time whatever their shape. */
const LOOKED_OVER_BYTES = 64 * 1024;

/** Where the quote stands that ends the text which begins at `from`. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
