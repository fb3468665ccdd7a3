import {
  TOKEN_BREAK,
  TOKEN_CHAR,
  TOKEN_COLOR,
  TOKEN_CONDITION,
  TOKEN_CURRENCY,
  TOKEN_ESCAPED,
  TOKEN_FILL,
  TOKEN_GROUP,
  TOKEN_HASH,
  TOKEN_LOCALE,
  TOKEN_MINUS,
  TOKEN_PAREN,
  TOKEN_PERCENT,
  TOKEN_PLUS,
  TOKEN_POINT,
  TOKEN_SKIP,
  TOKEN_SPACE,
  TOKEN_STRING,
  TOKEN_ZERO,
  type Token,
} from 'numfmt';
import type { Locale } from './locales.ts';

/** Formats a number. Returns null if the general formatter must format it. */
export type NumberFormatter = (value: number) => string | null;

/** Maximum scaled number. Larger ones have no exact fraction for rounding. */
const MAX_SCALED = 1e15;
/** Maximum number of decimals that the fast formatter supports. */
const MAX_DECIMALS = 9;
/**
 * If the distance of a scaled number from a half is less than `TIE_MINIMUM` plus this share of the number, it must be
 * rounded by its decimal form. The general formatter does that.
 */
const TIE_RELATIVE = 1e-14;
const TIE_MINIMUM = 1e-9;

const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/**
 * One section of a code such as `#,##0.00 "₽"`: literal, digits, literal. If a section has no digits, only `prefix` is
 * set.
 */
interface FixedSection {
  readonly prefix: string;
  readonly suffix: string;
  readonly digits: boolean;
  /** Minimum digits before the decimal mark. */
  readonly integers: number;
  readonly grouped: boolean;
  readonly decimals: number;
  readonly percent: boolean;
}

/** Splits the tokens of a code into its sections. */
export function splitSections(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const sections: Token[][] = [[]];
  for (const token of tokens) {
    if (token.type === TOKEN_BREAK) sections.push([]);
    else sections[sections.length - 1]!.push(token);
  }
  return sections;
}

/**
 * Creates a fast formatter for the most common number codes: fixed decimals, groups of three, percent, literals and
 * currency signs, up to four sections by sign. It is several times faster than the general formatter. Null for all
 * other codes.
 */
export function createFixedFormatter(tokens: readonly Token[], locale: Locale): NumberFormatter | null {
  const parts = splitSections(tokens);
  if (parts.length > 4 || tokens.some((token) => token.type === TOKEN_CONDITION)) return null;
  const sections = parts.slice(0, 3).map(readSection);
  const [positive, negative, zero] = sections;
  if (!positive?.digits) return null;
  const second = sections.length > 1 ? (negative ?? null) : undefined;
  const third = sections.length > 2 ? (zero ?? null) : positive;
  return (value) => {
    if (value > 0) return writeFixed(positive, value, '', locale);
    if (value === 0) return third && writeFixed(third, 0, '', locale);
    if (second === undefined) return writeFixed(positive, -value, '-', locale);
    return second && writeFixed(second, -value, '', locale);
  };
}

/** The literal text of a token; null if the token is not a literal. */
export function parseLiteral(token: Token): string | null {
  switch (token.type) {
    case TOKEN_STRING:
    case TOKEN_ESCAPED:
    case TOKEN_CHAR:
    case TOKEN_CURRENCY:
    case TOKEN_MINUS:
    case TOKEN_PLUS:
    case TOKEN_PAREN:
    case TOKEN_PERCENT:
      return token.value;
    case TOKEN_SPACE:
    case TOKEN_SKIP:
      return ' ';
    case TOKEN_FILL:
    case TOKEN_COLOR:
      return '';
    case TOKEN_LOCALE: {
      const dash = token.value.indexOf('-');
      return dash < 0 ? token.value : token.value.slice(0, dash);
    }
    default:
      return null;
  }
}

function readSection(tokens: readonly Token[]): FixedSection | null {
  let prefix = '';
  let suffix = '';
  let pattern = '';
  let percent = false;
  let closed = false;
  for (const token of tokens) {
    const literal = parseLiteral(token);
    if (literal === null) {
      if (closed || !isDigitToken(token)) return null;
      pattern += token.raw;
      continue;
    }
    if (token.type === TOKEN_PERCENT) {
      if (percent) return null;
      percent = true;
    }
    if (pattern === '') prefix += literal;
    else {
      closed = true;
      suffix += literal;
    }
  }
  if (pattern === '') {
    return percent ? null : { prefix, suffix, digits: false, integers: 0, grouped: false, decimals: 0, percent };
  }
  const match = DIGITS.exec(pattern);
  if (!match) return null;
  const decimals = match[3]?.length ?? 0;
  if (decimals > MAX_DECIMALS) return null;
  return {
    prefix,
    suffix,
    digits: true,
    integers: match[2] === undefined ? 1 : match[2].length,
    grouped: match[1] !== undefined,
    decimals,
    percent,
  };
}

/** Matches the digits of a code: `#,##0` or zeros, then optional decimals that are all zeros. */
const DIGITS = /^(?:(#,##0)|#*(0+))(?:\.(0+))?$/;

function isDigitToken(token: Token): boolean {
  const { type } = token;
  return type === TOKEN_ZERO || type === TOKEN_HASH || type === TOKEN_GROUP || type === TOKEN_POINT;
}

/** Writes the number `a` ≥ 0 in a section. Omits `sign` if all digits shown are zeros. */
function writeFixed(section: FixedSection, a: number, sign: string, locale: Locale): string | null {
  if (!section.digits) return section.prefix;
  const power = POWERS[section.decimals]!;
  const scaled = section.percent ? a * 100 * power : a * power;
  if (scaled >= MAX_SCALED) return null;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  const margin = scaled * TIE_RELATIVE + TIE_MINIMUM;
  if (rest > 0.5 - margin && rest < 0.5 + margin) return null;
  const rounded = rest < 0.5 ? floor : floor + 1;
  const whole = section.decimals === 0 ? rounded : Math.floor(rounded / power);
  let text = String(whole);
  if (text.length < section.integers) text = text.padStart(section.integers, '0');
  if (section.grouped && whole >= 1000) text = groupDigits(text, locale.group);
  if (section.decimals > 0) {
    text += locale.decimal + String(rounded - whole * power + power).slice(1);
  }
  return (rounded === 0 ? '' : sign) + section.prefix + text + section.suffix;
}

/** Puts a mark before every three digits. */
export function groupDigits(digits: string, mark: string): string {
  let first = digits.length % 3 || 3;
  let text = digits.slice(0, first);
  for (; first < digits.length; first += 3) text += mark + digits.slice(first, first + 3);
  return text;
}
