import { format, round } from 'numfmt';
import { LOCALES, type LocaleId } from './locales.ts';

/** Maximum number of characters of a General number in a cell, with the decimal mark and without the sign. */
const GENERAL_WIDTH = 11;
/** Number of significant digits of a number that is converted to a text. */
const TEXT_DIGITS = 15;
/** Maximum number of characters without the sign; longer numbers get an exponent. */
const TEXT_WIDTH = 20;
/** Maximum exponent of numbers that are shown with all digits. For greater exponents Excel shows one digit less. */
const FULL_PRECISION_EXPONENT = 98;
/** The smallest normal number. Excel turns subnormal numbers into 0. */
const MIN_NORMAL = 2.2250738585072014e-308;
/**
 * A scaled number whose distance from a half is at most this is rounded by its 15-digit decimal form, as spreadsheets
 * do.
 */
const TIE_MARGIN = 1e-5;

/** From this number on, General shows an exponent, because the whole digits do not fit. */
const MAX_IN_FULL = 10 ** GENERAL_WIDTH;
/** Number of significant digits of a General number with an exponent. */
const EXPONENT_DIGITS = 6;

const TRAILING_ZEROS = /0+$/;

/**
 * Formats a number as the General format shows it in a wide cell: at most eleven characters without the sign, integers
 * of up to eleven digits without an exponent, other numbers with an exponent and six significant digits (ECMA-376 part
 * 1, 18.8.30).
 */
export function formatGeneralDisplay(value: number, decimal: ',' | '.'): string {
  const a = Math.abs(value);
  if (a < MAX_IN_FULL && Number.isInteger(value)) return String(value === 0 ? 0 : value);
  if (a < MIN_ROUNDED || a >= MAX_IN_FULL)
    return replaceDecimalPoint((value < 0 ? '-' : '') + formatExtremeDisplay(a), decimal);
  if (a >= MAX_ROUNDED) return replaceDecimalPoint(format('General', value), decimal);
  const decimals = countGeneralDecimals(a);
  const scaled = scaleToWhole(a, decimals);
  const rounded = scaled < 0 ? round(a, decimals) : scaled / POWERS[decimals]!;
  return replaceDecimalPoint(String(value < 0 ? -rounded : rounded), decimal);
}

/** Bounds of the numbers that General rounds to `countGeneralDecimals` decimals; the upper bound is exclusive. */
export const MIN_ROUNDED = 1e-4;
export const MAX_ROUNDED = 1e9;

/** Returns the number of decimals that fit after the whole digits of a number, `MIN_ROUNDED` ≤ a < `MAX_ROUNDED`. */
export function countGeneralDecimals(a: number): number {
  let decimals = GENERAL_WIDTH - 2;
  for (let limit = 10; a >= limit; limit *= 10) decimals--;
  return decimals;
}

/**
 * Returns `a × 10^decimals` rounded to a whole number. Returns -1 near a half, because the decimal form of `a` must be
 * rounded then.
 */
export function scaleToWhole(a: number, decimals: number): number {
  const scaled = a * POWERS[decimals]!;
  const whole = Math.floor(scaled);
  const rest = scaled - whole;
  if (Math.abs(rest - 0.5) < TIE_MARGIN) return -1;
  return rest < 0.5 ? whole : whole + 1;
}

const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

function replaceDecimalPoint(text: string, decimal: ',' | '.'): string {
  if (decimal === '.') return text;
  const point = text.indexOf('.');
  return point < 0 ? text : `${text.slice(0, point)},${text.slice(point + 1)}`;
}

/**
 * Converts a number to a text as formulas do (`=A1&""`), with a decimal point: fifteen significant digits, without an
 * exponent if that takes at most twenty characters without the sign, else with one. Follows the table of Excel
 * conversions in the documentation of Apache POI's NumberToTextConverter. 1E-07 is `0.0000001`, 1E+20 is `1E+20`.
 */
export function formatGeneralText(value: number): string {
  if (value === 0) return '0';
  const a = Math.abs(value);
  if (a < 1e15 && Number.isInteger(value)) return String(value);
  if (a < MIN_NORMAL) return '0';
  const sign = value < 0 ? '-' : '';
  return sign + (a >= 1e-4 && a < 1e14 ? String(Number(a.toPrecision(TEXT_DIGITS))) : formatExtremeText(a));
}

/** Formats a very large or very small positive number, with or without an exponent. */
function formatExtremeText(a: number): string {
  const { digits, exponent } = toDecimal(a, TEXT_DIGITS);
  if (exponent >= 0 && exponent < TEXT_WIDTH) return writeInFull(digits, exponent);
  if (exponent < 0 && 1 - exponent + digits.length <= TEXT_WIDTH) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (Math.abs(exponent) <= FULL_PRECISION_EXPONENT) return writeWithExponent(digits, exponent);
  const shorter = toDecimal(a, TEXT_DIGITS - 1);
  return writeWithExponent(shorter.digits, shorter.exponent);
}

interface Decimal {
  /** Significant digits without trailing zeros. */
  readonly digits: string;
  /** The power of ten of the first digit's place. */
  readonly exponent: number;
}

function toDecimal(a: number, significant: number): Decimal {
  const text = a.toExponential(significant - 1);
  const e = text.indexOf('e');
  return { digits: text.slice(0, e).replace('.', '').replace(TRAILING_ZEROS, ''), exponent: Number(text.slice(e + 1)) };
}

function writeInFull(digits: string, exponent: number): string {
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return digits.length > exponent + 1 ? `${whole}.${digits.slice(exponent + 1)}` : whole;
}

/** Writes a number with an exponent of at least two digits: `1.23457E+11`. */
function writeWithExponent(digits: string, exponent: number): string {
  const mantissa = digits.length > 1 ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  return `${mantissa}E${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/**
 * Formats a positive number below 0.0001 or with many digits as General shows it. The library is not used because it
 * rounds 9.9999999E-5 to `10E-05` and 9.9999999E+11 to `10E+11`.
 */
function formatExtremeDisplay(a: number): string {
  const full = toDecimal(a, TEXT_DIGITS);
  const zeros = -full.exponent - 1;
  if (zeros >= 0 && 2 + zeros + full.digits.length <= GENERAL_WIDTH) return `0.${'0'.repeat(zeros)}${full.digits}`;
  // Halves are rounded up in the decimal form, not in the binary one.
  const shown = Math.round(Number(full.digits.padEnd(TEXT_DIGITS, '0')) / 10 ** (TEXT_DIGITS - EXPONENT_DIGITS));
  const carried = shown === 10 ** EXPONENT_DIGITS;
  return writeWithExponent(String(shown).replace(TRAILING_ZEROS, ''), full.exponent + (carried ? 1 : 0));
}

/** Converts a number to a text as `formatGeneralText` does, with the locale's decimal mark. */
export function formatLocalNumber(value: number, locale: LocaleId): string {
  return replaceDecimalPoint(formatGeneralText(value), LOCALES[locale].decimal);
}
