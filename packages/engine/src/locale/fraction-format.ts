import {
  TOKEN_CONDITION,
  TOKEN_DIGIT,
  TOKEN_GROUP,
  TOKEN_HASH,
  TOKEN_PERCENT,
  TOKEN_QMARK,
  TOKEN_SLASH,
  TOKEN_ZERO,
  type Token,
} from 'numfmt';
import { groupDigits, type NumberFormatter, parseLiteral, splitSections } from './fixed-format.ts';
import type { Locale } from './locales.ts';

/** The first number that is shown without a fraction. */
const MAX_WITH_FRACTION = 1e15;
/** Maximum number of digits of a denominator. A double is not exact enough for more. */
const MAX_DENOMINATOR_DIGITS = 7;

/** A section such as `# ??/??`, `?/?` or `0 0/16`, as patterns of `#`, `0` and `?`. */
interface FractionSection {
  readonly prefix: string;
  /** The pattern of the whole part; null if the numerator includes it. */
  readonly whole: string | null;
  readonly isGrouped: boolean;
  /** The text between the whole part and the numerator. */
  readonly gap: string;
  readonly numerator: string;
  /** Placeholders of the denominator, or a fixed denominator. */
  readonly denominator: string | number;
  readonly suffix: string;
}

/** A fraction split from its whole part. */
interface MixedNumber {
  readonly whole: number;
  readonly numerator: number;
  readonly denominator: number;
}

/**
 * Creates a formatter for codes with fractions; null for other codes. It replaces the library, which rounds the whole
 * part up if the fraction is at least 0.95, and then counts it again as a fraction.
 */
export function createFractionFormatter(tokens: readonly Token[], locale: Locale): NumberFormatter | null {
  const parts = splitSections(tokens);
  const isPlain = parts.length <= 4 && !tokens.some(({ type }) => type === TOKEN_CONDITION || type === TOKEN_PERCENT);
  if (!isPlain || !tokens.some(({ type }) => type === TOKEN_SLASH)) return null;
  const sections = parts.slice(0, 3).map(readSection);
  const [positive = null, negative = null, zero = null] = sections;
  return (value) => {
    const size = Math.abs(value);
    if (size >= MAX_WITH_FRACTION) return null;
    const hasOwnSign = value < 0 && sections.length > 1;
    const section = value === 0 && sections.length > 2 ? zero : hasOwnSign ? negative : positive;
    return section && writeFraction(section, size, value < 0 && !hasOwnSign ? '-' : '', locale);
  };
}

/** Reads one section of a format code; null if it is not a fraction. */
function readSection(tokens: readonly Token[]): FractionSection | null {
  const slash = tokens.findIndex(({ type }) => type === TOKEN_SLASH);
  if (slash < 0 || tokens.some(({ type }, i) => type === TOKEN_SLASH && i !== slash)) return null;
  const left = splitPieces(tokens.slice(0, slash));
  const right = splitPieces(tokens.slice(slash + 1));
  if (left === null || right === null) return null;
  const [prefix, ...groups] = left;
  const [before, last, suffix = '', ...more] = right;
  if (before !== '' || last === undefined || more.length > 0) return null;
  const denominator = /^[1-9][0-9]*$/.test(last) ? Number(last) : last;
  if (typeof denominator === 'string' && !PLACEHOLDERS.test(denominator)) return null;
  if (groups.length === 2 && groups[1] === '') {
    return createFractionSection(groups[0]!, {
      prefix: prefix!,
      whole: null,
      isGrouped: false,
      gap: '',
      denominator,
      suffix,
    });
  }
  const [whole, gap, numerator, end] = groups;
  if (groups.length !== 4 || end !== '') return null;
  const plain = whole!.replaceAll(',', '');
  if (!PLACEHOLDERS.test(plain)) return null;
  const isGrouped = plain !== whole;
  return createFractionSection(numerator!, {
    prefix: prefix!,
    whole: plain,
    isGrouped,
    gap: gap!,
    denominator,
    suffix,
  });
}

const PLACEHOLDERS = /^[#0?]+$/;

function createFractionSection(numerator: string, others: Omit<FractionSection, 'numerator'>): FractionSection | null {
  return PLACEHOLDERS.test(numerator) ? { ...others, numerator } : null;
}

/**
 * Splits tokens into literals and groups of digits, alternating; the first and the last piece are literals. Null if the
 * code contains anything else.
 */
function splitPieces(tokens: readonly Token[]): readonly string[] | null {
  const pieces = [''];
  for (const token of tokens) {
    const digit = isDigitToken(token);
    const literal = digit ? token.raw : parseLiteral(token);
    if (literal === null) return null;
    if (digit !== (pieces.length % 2 === 0)) pieces.push('');
    pieces[pieces.length - 1] += literal;
  }
  if (pieces.length % 2 === 0) pieces.push('');
  return pieces;
}

function isDigitToken({ type }: Token): boolean {
  return (
    type === TOKEN_HASH || type === TOKEN_ZERO || type === TOKEN_QMARK || type === TOKEN_DIGIT || type === TOKEN_GROUP
  );
}

function writeFraction(section: FractionSection, size: number, sign: string, locale: Locale): string {
  const { prefix, whole, isGrouped, gap, numerator, denominator, suffix } = section;
  const mixed = toMixedNumber(size, denominator);
  const isZero = mixed.whole === 0 && mixed.numerator === 0;
  const above = whole === null ? mixed.whole * mixed.denominator + mixed.numerator : mixed.numerator;
  const isShown = whole === null || above > 0 || numerator.includes('0');
  const width = typeof denominator === 'number' ? String(denominator).length : denominator.length;
  const start = (isZero ? '' : sign) + prefix;
  const wholeText = whole === null ? '' : formatWholePart(whole, mixed.whole, isGrouped && locale.group, !isShown);
  if (!isShown) {
    const blank = numerator.includes('?') ? gap + ' '.repeat(numerator.length + 1 + width) : '';
    return start + wholeText + blank + suffix;
  }
  // If the whole part shows no digits, there is no gap after it, unless something is padded.
  const between = wholeText === '' && !numerator.includes('?') && whole === '#' ? '' : gap;
  const below =
    typeof denominator === 'number' ? String(denominator) : formatDenominator(denominator, mixed.denominator);
  return `${start}${wholeText}${between}${padDigits(numerator, String(above))}/${below}${suffix}`;
}

/**
 * Formats the whole number before a fraction. `isAlone`: no fraction follows, so that a zero is shown. `group`: mark
 * between thousands; false for none.
 */
function formatWholePart(pattern: string, wholeNumber: number, group: string | false, isAlone: boolean): string {
  // `#` does not show a zero next to a fraction.
  const digits = wholeNumber === 0 && !isAlone && !pattern.includes('0') ? '' : String(wholeNumber);
  const text = group !== false && digits.length > 3 ? groupDigits(digits, group) : digits;
  return padDigits(pattern, text);
}

/** Fits digits into a pattern. In a place without a digit, `0` shows a zero and `?` a blank. */
function padDigits(pattern: string, digits: string): string {
  let text = digits;
  for (let place = pattern.length - digits.length - 1; place >= 0; place--) {
    const mark = pattern.charAt(place);
    if (mark === '0') text = `0${text}`;
    else if (mark === '?') text = ` ${text}`;
  }
  return text;
}

/** Formats a denominator, aligned at the first digit. */
function formatDenominator(pattern: string, denominator: number): string {
  const digits = String(denominator);
  if (pattern.includes('0')) return padDigits(pattern, digits);
  return pattern.includes('?') ? digits.padEnd(pattern.length) : digits;
}

function toMixedNumber(size: number, denominator: string | number): MixedNumber {
  const whole = Math.floor(size);
  const rest = size - whole;
  const fraction =
    typeof denominator === 'number'
      ? { numerator: Math.round(rest * denominator), denominator }
      : findConvergent(rest, 10 ** Math.min(denominator.length, MAX_DENOMINATOR_DIGITS) - 1);
  if (fraction.numerator !== fraction.denominator) return { whole, ...fraction };
  return { whole: whole + 1, numerator: 0, denominator: typeof denominator === 'number' ? denominator : 1 };
}

/** If a remainder is smaller than this, it is the rounding error of a continued fraction that has ended. */
const CONVERGENCE_LIMIT = 5e-8;

/**
 * Returns the last convergent of a number's continued fraction whose denominator is at most `maxDenominator`, as Excel
 * shows fractions. `value`: from 0 to 1.
 */
function findConvergent(value: number, maxDenominator: number): Omit<MixedNumber, 'whole'> {
  let [numeratorBefore, denominatorBefore] = [1, 0];
  let [numerator, denominator] = [0, 1];
  for (let rest = value; rest >= CONVERGENCE_LIMIT; ) {
    const inverse = 1 / rest;
    const step = Math.floor(inverse);
    const next = step * denominator + denominatorBefore;
    if (next > maxDenominator) break;
    [numeratorBefore, numerator] = [numerator, step * numerator + numeratorBefore];
    [denominatorBefore, denominator] = [denominator, next];
    rest = inverse - step;
  }
  return { numerator, denominator };
}
