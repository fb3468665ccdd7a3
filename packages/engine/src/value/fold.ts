/**
 * Characters whose simple case folding is not their lower case, with what they fold to. Source: Unicode Character
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
/** A sequence whose NFC differs needs one of these: combining marks, Hangul jamo, or a character that decomposes. */
const MAY_DECOMPOSE = /[^\0-\u02ff\u0400-\u047f]/;

/**
 * The simple case folding of a text (Unicode, C + S): two texts are equal for formulas if their foldings are. `ß` is
 * `ẞ` but not `ss`; nothing else is equal: `м²` is not `м2`. The length in UTF-16 units stays, so that positions in
 * the folding are positions in the text.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // A Σ at the end of a word became ς; the lower case of İ is two characters, its simple folding is itself.
  return lower.length === text.length && !HAS_SPECIAL.test(lower) ? lower : text.split('İ').map(foldPart).join('İ');
}

function foldPart(text: string): string {
  return text.toLowerCase().replace(SPECIAL, (one) => FOLDED.get(one)!);
}

/** Whether two texts are equal for formulas. */
export function areTextsEqual(a: string, b: string): boolean {
  return a === b || (a.length === b.length && foldCase(a) === foldCase(b));
}

/** Whether the composed form of a text may differ from it. */
export function mayDecompose(text: string): boolean {
  return MAY_DECOMPOSE.test(text);
}

/** The composed form (NFC) of a text: neither of the two spellings of `é` tells records and names apart. */
export function composeText(text: string): string {
  return mayDecompose(text) ? text.normalize('NFC') : text;
}

/** What texts share that are equal as names of sheets and in headers, keys and filters of records: folded NFC. */
export function foldName(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : foldCase(composeText(text));
}

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** The order by code points: negative, 0 or positive. */
export function compareCodePoints(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points beyond all others.
    return Number(isSurrogate(x)) - Number(isSurrogate(y)) || x - y;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE;
}
