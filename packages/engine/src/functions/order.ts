import { LOCALES, type LocaleId } from '../locale/locales.ts';
import { areTextsEqual, compareCodePoints, foldCase } from '../value/fold.ts';
import { isError, type Scalar } from '../value/scalar.ts';

type CompareTexts = Intl.Collator['compare'];

const compares = new Map<LocaleId, CompareTexts>();
/** The last collator. The next request is usually for the same. */
let last: { readonly locale: LocaleId; readonly compare: CompareTexts } | null = null;

function getCollator(locale: LocaleId): CompareTexts {
  if (last?.locale === locale) return last.compare;
  const compare = compares.get(locale) ?? new Intl.Collator(LOCALES[locale].tag, { sensitivity: 'accent' }).compare;
  compares.set(locale, compare);
  last = { locale, compare };
  return compare;
}

/** Letters whose order needs no collator, from the first on: no locale has accents on them or letters between. */
const LATIN = 'abcdefghijklmnopqrstuvwxyz';
const CYRILLIC = 'абвгджзиклмнопрстуфхцчшщъыьэюя';
/** Characters before all letters, in the order of every locale. */
const BEFORE_LETTERS = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789';
/** One past the last UTF-16 unit with a weight. */
const WEIGHTED_END = 0x450;

/** Ranks of plain characters in a locale by UTF-16 unit; 0 for others, which need a collator. */
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
export function plainWeights(locale: LocaleId): Uint8Array {
  return locale === 'ru-RU' ? CYRILLIC_FIRST : LATIN_FIRST;
}

/** Number of ranks; greater than any rank. */
export const PLAIN_WEIGHTS = 128;

/**
 * Compares two texts if plain characters decide: the first different ones do, unless a combining mark may follow. NaN
 * if a collator must decide.
 */
function comparePlain(a: string, b: string, locale: LocaleId): number {
  const weights = plainWeights(locale);
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

function isPlainAt(weights: Uint8Array, text: string, index: number): boolean {
  return index >= text.length || (weights[text.charCodeAt(index)] ?? 0) !== 0;
}

/** Characters that collate differently from their folding. */
const COLLATES_APART = /[\u0345ſẛ\ufb05]/;
const HAS_CYRILLIC = /[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]/;
/** One past the last unit before the first of these characters. */
const LATIN_END = 0x17f;

function isLatin(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= LATIN_END) return false;
  return true;
}

/**
 * Compares texts by the dictionary order of a locale without letter case. 0 only for equal texts (`areTextsEqual`):
 * others that collate alike are ordered by code points.
 */
export function compareTexts(a: string, b: string, locale: LocaleId): number {
  if (a === b) return 0;
  const plain = comparePlain(a, b, locale);
  if (!Number.isNaN(plain)) return plain;
  const order = collateTexts(a, b, locale);
  return order === 0 ? compareCodePoints(foldCase(a), foldCase(b)) : order;
}

function collateTexts(a: string, b: string, locale: LocaleId): number {
  // Russian only puts Cyrillic letters before others. Without Cyrillic letters a faster collator gives the same order.
  if (isLatin(a) && isLatin(b)) return getCollator(locale === 'ru-RU' ? 'en-US' : locale)(a, b);
  const hasCyrillic = HAS_CYRILLIC.test(a) || HAS_CYRILLIC.test(b);
  return getCollator(locale === 'ru-RU' && !hasCyrillic ? 'en-US' : locale)(toCollated(a), toCollated(b));
}

/** The form of a text for the collator. Texts with equal foldings must have the same order. */
function toCollated(text: string): string {
  return COLLATES_APART.test(text) ? foldCase(text) : text;
}

function typeRank(value: Scalar): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  return isError(value) ? 3 : 4;
}

/** The order for sorting: numbers, texts, booleans, errors, blanks. Does not convert blanks. */
export function compareScalars(a: Scalar, b: Scalar, locale: LocaleId): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const ra = typeRank(a);
  const rb = typeRank(b);
  if (ra !== rb) return ra - rb;
  if (typeof a === 'string') return compareTexts(a, b as string, locale);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return 0;
}

/** A blank operand of a comparison becomes the zero of the other operand's type. */
function convertBlank(other: Scalar): Scalar {
  if (typeof other === 'string') return '';
  if (typeof other === 'boolean') return false;
  return 0;
}

/** Numbers that differ by less than this share may be equal in fifteen significant digits. */
const NEARBY = 1e-14;
const COMPARED_DIGITS = 15;

/**
 * Compares numbers as comparison operators do: in fifteen significant digits, so that `=0,1+0,2=0,3` is TRUE as in
 * Excel. Lookups and sorting compare all digits (`compareScalars`).
 */
export function compareNumbers(a: number, b: number): number {
  const difference = a - b;
  if (Math.abs(difference) > Math.abs(a) * NEARBY || difference === 0) return difference;
  // The texts are compared, because rounding may exceed the largest number.
  return a.toPrecision(COMPARED_DIGITS) === b.toPrecision(COMPARED_DIGITS) ? 0 : difference;
}

/**
 * Compares as `compareScalars` does, for the operators `<`, `>=`, …: a blank equals 0, "" and FALSE. Neither may be an
 * error.
 */
export function compareOperands(a: Scalar, b: Scalar, locale: LocaleId): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b);
  if (a === null) return b === null ? 0 : compareScalars(convertBlank(b), b, locale);
  if (b === null) return compareScalars(a, convertBlank(a), locale);
  return compareScalars(a, b, locale);
}

/** True if `=` holds: `compareOperands` gives 0 in any locale. Neither may be an error. */
export function areOperandsEqual(a: Scalar, b: Scalar): boolean {
  if (typeof a === 'string' && typeof b === 'string') return areTextsEqual(a, b);
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b) === 0;
  if (a === null) return b === null || convertBlank(b) === b;
  if (b === null) return convertBlank(a) === a;
  return a === b;
}
