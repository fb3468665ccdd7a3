/**
 * Characters whose simple case folding differs from their lower case, and their foldings. Source: Unicode Character
 * Database, CaseFolding.txt, statuses C and S.
 */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ['µ', 'μ'],
  ['ſ', 's'],
  ['\u0345', 'ι'],
  ['ς', 'σ'],
  ['ϐ', 'β'],
  ['ϑ', 'θ'],
  ['ϕ', 'φ'],
  ['ϖ', 'π'],
  ['ϰ', 'κ'],
  ['ϱ', 'ρ'],
  ['ϵ', 'ε'],
  ['\u1c80', 'в'],
  ['\u1c81', 'д'],
  ['\u1c82', 'о'],
  ['\u1c83', 'с'],
  ['\u1c84', 'т'],
  ['\u1c85', 'т'],
  ['\u1c86', 'ъ'],
  ['\u1c87', 'ѣ'],
  ['\u1c88', '\ua64b'],
  ['ẛ', 'ṡ'],
  ['\u1fbe', 'ι'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);
const SPECIAL = new RegExp(`[${[...FOLDED.keys()].join('')}]`, 'g');
const HAS_SPECIAL = new RegExp(SPECIAL.source);
const ASCII = /^[\0-\x7f]*$/;
/** Matches texts whose NFC may differ: combining marks, Hangul jamo and characters that decompose. */
const MAY_DECOMPOSE = /[^\0-\u02ff\u0400-\u047f]/;

/**
 * Returns the simple case folding of a text (Unicode, C + S). Two texts are equal in formulas if their foldings are
 * equal. `ß` equals `ẞ` but not `ss`, and `м²` does not equal `м2`. The length in UTF-16 units does not change, so that
 * positions in the folding are positions in the text.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // `toLowerCase` converts a Σ at the end of a word to ς, and İ to two characters. The simple folding of İ is İ.
  return lower.length === text.length && !HAS_SPECIAL.test(lower) ? lower : text.split('İ').map(foldPart).join('İ');
}

function foldPart(text: string): string {
  return text.toLowerCase().replace(SPECIAL, (one) => FOLDED.get(one)!);
}

/** True if two texts are equal in formulas. */
export function areTextsEqual(a: string, b: string): boolean {
  return a === b || (a.length === b.length && foldCase(a) === foldCase(b));
}

/** True if the composed form of a text may differ from it. */
export function canDecompose(text: string): boolean {
  return MAY_DECOMPOSE.test(text);
}

/** Returns the composed form (NFC) of a text. In records and names, both spellings of `é` are equal. */
export function composeText(text: string): string {
  return canDecompose(text) ? text.normalize('NFC') : text;
}

/**
 * Returns the folded NFC of a text. It is equal for texts that are equal as sheet names, and in headers, keys and
 * filters of records.
 */
export function foldName(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : foldCase(composeText(text));
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Compares two texts by code points. Returns a negative number, 0 or a positive number. */
export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates belong to code points that are greater than all others.
    return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;
}
