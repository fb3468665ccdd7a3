import { LOCALES, type LocaleId } from '../locale/locales.ts';
import { areTextsEqual, compareCodePoints, foldCase } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';

type CompareTexts = Intl.Collator['compare'];

const compares = new Map<LocaleId, CompareTexts>();
/** The last collator. The next request is usually for the same locale. */
let last: { readonly locale: LocaleId; readonly compare: CompareTexts } | null = null;

function getCollator(locale: LocaleId): CompareTexts {
  if (last?.locale === locale) return last.compare;
  const compare = compares.get(locale) ?? new Intl.Collator(LOCALES[locale].tag, { sensitivity: 'accent' }).compare;
  compares.set(locale, compare);
  last = { locale, compare };
  return compare;
}

/**
 * Letters that are compared without a collator, because no locale has accents on them or other letters between them.
 */
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абвгджзиклмнопрстуфхцчшщъыьэюя';
/** Characters before all letters, in the order of every locale. */
const BEFORE_LETTERS = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789';
/** One past the last UTF-16 unit with a weight. */
const WEIGHTED_END = 0x450;

/** Computes the ranks of plain characters in a locale, by UTF-16 unit; 0 for others, which need a collator. */
function computeWeights(alphabets: string): Uint8Array {
  const weights = new Uint8Array(WEIGHTED_END);
  for (const [i, character] of [...BEFORE_LETTERS, ...alphabets].entries()) {
    weights[character.charCodeAt(0)] = i + 1;
    weights[character.toUpperCase().charCodeAt(0)] = i + 1;
  }
  return weights;
}

const LATIN_FIRST = computeWeights(LATIN + CYRILLIC);
const CYRILLIC_FIRST = computeWeights(CYRILLIC + LATIN);

/**
 * Ranks of plain characters by UTF-16 unit; 0 for all others. Texts that contain only plain characters are ordered by
 * these ranks (`compareTexts`).
 */
export function getPlainWeights(locale: LocaleId): Uint8Array {
  return locale === 'ru-RU' ? CYRILLIC_FIRST : LATIN_FIRST;
}

/** Number of ranks. Ranks are less than this. */
export const PLAIN_WEIGHTS = 128;

/**
 * Compares two texts by their first different characters if these are plain and no combining mark follows. Returns NaN
 * if a collator must compare the texts.
 */
function comparePlain(a: string, b: string, locale: LocaleId): number {
  const weights = getPlainWeights(locale);
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const first = a.charCodeAt(i);
    const second = b.charCodeAt(i);
    if (first === second) continue;
    const x = weights[first] ?? 0;
    const y = weights[second] ?? 0;
    if (x === 0 || y === 0) return Number.NaN;
    if (x !== y) return isPlainAt(weights, a, i + 1) && isPlainAt(weights, b, i + 1) ? x - y : Number.NaN;
  }
  return isPlainAt(weights, a, end) && isPlainAt(weights, b, end) ? a.length - b.length : Number.NaN;
}

/** True if the text ends before `index`, or has a character there that `weights` can order. */
function isPlainAt(weights: Uint8Array, text: string, index: number): boolean {
  return index >= text.length || (weights[text.charCodeAt(index)] ?? 0) !== 0;
}

/** Characters whose order differs from the order of their folded form. */
const COLLATES_APART = /[\u0345ſẛ\ufb05]/;
const HAS_CYRILLIC = /[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/;
/** No UTF-16 unit below this one is such a character. */
const LATIN_END = 0x17f;

/** True if all characters are below `LATIN_END`, so that the text needs no other form and has no Cyrillic letters. */
function isLatin(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= LATIN_END) return false;
  return true;
}

/**
 * Compares texts by the dictionary order of a locale, ignoring letter case. Returns 0 only for equal texts
 * (`areTextsEqual`): different texts with equal order are compared by code points.
 */
export function compareTexts(a: string, b: string, locale: LocaleId): number {
  if (a === b) return 0;
  const plain = comparePlain(a, b, locale);
  if (!Number.isNaN(plain)) return plain;
  const order = collateTexts(a, b, locale);
  return order === 0 ? compareCodePoints(foldCase(a), foldCase(b)) : order;
}

/** Compares two texts with the locale's collator. */
function collateTexts(a: string, b: string, locale: LocaleId): number {
  // The Russian collator only differs in that it orders Cyrillic letters before others. For texts without them, a
  // faster collator gives the same order.
  if (isLatin(a) && isLatin(b)) return getCollator(locale === 'ru-RU' ? 'en-US' : locale)(a, b);
  const hasCyrillic = HAS_CYRILLIC.test(a) || HAS_CYRILLIC.test(b);
  return getCollator(locale === 'ru-RU' && !hasCyrillic ? 'en-US' : locale)(toCollatedForm(a), toCollatedForm(b));
}

/** Returns the form of a text that is passed to the collator. Texts with equal foldings must have the same form. */
function toCollatedForm(text: string): string {
  return COLLATES_APART.test(text) ? foldCase(text) : text;
}

/** The position of a value's type in the sort order. */
function getTypeRank(value: Scalar): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return isError(value) ? 3 : 4;
}

/** The order for sorting: numbers, texts, booleans, errors, blanks. Does not convert blanks. */
export function compareScalars(a: Scalar, b: Scalar, locale: LocaleId): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const ra = getTypeRank(a);
  const rb = getTypeRank(b);
  if (ra !== rb) return ra - rb;
  if (typeof a === 'string') return compareTexts(a, b as string, locale);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return 0;
}

/** Returns the value of a blank operand in a comparison: the zero of the other operand's type. */
function convertBlank(other: Scalar): Scalar {
  if (typeof other === 'string') return '';
  if (typeof other === 'boolean') return false;
  return 0;
}

/** If two numbers differ by less than this share, they may be equal in fifteen significant digits. */
const NEARBY = 1e-14;
const COMPARED_DIGITS = 15;

/**
 * Compares numbers by fifteen significant digits, as comparison operators do: `=0,1+0,2=0,3` is TRUE as in Excel.
 * Lookups and sorting compare all digits (`compareScalars`).
 */
export function compareNumbers(a: number, b: number): number {
  const difference = a - b;
  if (Math.abs(difference) > Math.abs(a) * NEARBY || difference === 0) return difference;
  // Compares the texts, not the rounded numbers, because rounding the largest numbers may give infinity.
  return a.toPrecision(COMPARED_DIGITS) === b.toPrecision(COMPARED_DIGITS) ? 0 : difference;
}

/**
 * Compares two values as the operators `<`, `>=`, … do: like `compareScalars`, but a blank equals 0, "" and FALSE. The
 * values must not be errors.
 */
export function compareOperands(a: Scalar, b: Scalar, locale: LocaleId): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (a === null) return b === null ? 0 : compareScalars(convertBlank(b), b, locale);
  if (b === null) return compareScalars(a, convertBlank(a), locale);
  return compareScalars(a, b, locale);
}

/** True if the operator `=` returns TRUE, in any locale. The values must not be errors. */
export function areOperandsEqual(a: Scalar, b: Scalar): boolean {
  if (typeof a === 'string' && typeof b === 'string') return areTextsEqual(a, b);
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b) === 0;
  if (a === null) return b === null || convertBlank(b) === b;
  if (b === null) return convertBlank(a) === a;
  return a === b;
}
