import { groupPattern, isBlank, nearestNumber, readAmount, trimBlanks } from './amount.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALES, type Locale, type LocaleId } from './locales.ts';
import { readTypedDate } from './typed-date.ts';

/** What a typed string means, and the number format it sets on its cell, if any. */
export interface Recognised {
  readonly value: number | boolean | string;
  readonly format?: string;
}

/** More significant digits than a number keeps: such a string is an account or card number and stays text. */
const MAX_DIGITS = 15;
/** An amount of money has this many decimals at most: three digits after its comma are meant as a group. */
const MONEY_DECIMALS = 2;
/** `+` and this many digits is a telephone number. */
const PHONE_DIGITS = 7;

const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads a string as if typed into a cell; for strings that do not start with `=`. One grammar for every locale: the
 * decimal mark is the comma, a dot never is. What is not recognised as a whole is text and stays as sent, blanks around
 * it included; for recognition those blanks don't count. The typographic minus (U+2212) is no sign. In a cell with a
 * percent format (`percentCell`) a number without a sign of its own is that many percent: `7` is 0.07.
 */
export function recognise(text: string, localeId: LocaleId, system: DateSystem, percentCell = false): Recognised {
  if (text.charCodeAt(0) === APOSTROPHE) return { value: text.slice(1) };
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  const typed = isBlank(first) || isBlank(last) ? trimBlanks(text) : text;
  const locale = LOCALES[localeId];
  if (!startsNumber(typed, locale)) return readBoolean(typed, locale) ?? { value: text };
  return readNumber(typed, locale, percentCell) ?? recogniseDate(typed, localeId, system) ?? { value: text };
}

function startsNumber(text: string, locale: Locale): boolean {
  const first = text.charCodeAt(0);
  if (first >= ZERO && first <= NINE) return true;
  return first === MINUS || first === PLUS || first === COMMA || text.startsWith(locale.currencySign);
}

/** Longest word for a truth value in any locale. */
const MAX_BOOLEAN_LENGTH = 9;

export function readBoolean(text: string, locale: Locale): Recognised | null {
  if (text.length > MAX_BOOLEAN_LENGTH || text.length < 4) return null;
  const word = text.toUpperCase();
  if (word === 'TRUE' || locale.trueWords.includes(word)) return { value: true };
  return word === 'FALSE' || locale.falseWords.includes(word) ? { value: false } : null;
}

/**
 * Reads a date, a time or both as typed, and shows it by the short date of the locale, however it was written. Slash
 * dates are read in the locale's order unless another is known.
 */
export function recogniseDate(
  text: string,
  localeId: LocaleId,
  system: DateSystem,
  slashOrder: Locale['slashOrder'] = LOCALES[localeId].slashOrder,
): { readonly value: number; readonly format: string } | null {
  const date = readTypedDate(text, slashOrder, system);
  if (date === null) return null;
  const day = date.dated ? LOCALES[localeId].dateFormat : '';
  return { value: date.serial, format: `${day} ${date.timeFormat}`.trim() };
}

/** How the numbers of a grammar are written. */
export interface NumberMarks {
  /** Digits, in groups of three or not; decimals; an exponent's sign and digits. */
  readonly number: RegExp;
  readonly groups: RegExp;
  /** Decimals that an amount of money may have. */
  readonly moneyDecimals: number;
}

/** The API's own: blanks and a comma. */
const WIRE_MARKS = numberMarks(' ', ',', MONEY_DECIMALS);

export function numberMarks(group: string, decimal: string, moneyDecimals: number): NumberMarks {
  const mark = groupPattern(group);
  return {
    number: new RegExp(`^(\\d{1,3}(?:${mark}\\d{3})+|\\d*)(?:\\${decimal}(\\d+))?(?:[eE]([+-]?)(\\d{1,4}))?$`),
    groups: new RegExp(mark, 'g'),
    moneyDecimals,
  };
}

const LEADING_ZEROS = /^0+/;

export function readNumber(
  text: string,
  locale: Locale,
  percentCell: boolean,
  marks: NumberMarks = WIRE_MARKS,
): Recognised | null {
  const amount = readAmount(text, locale.currencySign);
  const match = amount && marks.number.exec(amount.body);
  if (!match) return null;
  const written = match[1]!;
  const whole = written.replace(marks.groups, '');
  const fraction = match[2] ?? '';
  const exponent = match[4];
  if (whole === '' && fraction === '') return null;
  if (exponent !== undefined) {
    const marked = fraction !== '' || match[3] !== '';
    if (!marked || whole === '' || whole !== written || amount.percent || amount.currency) return null;
  }
  if (amount.currency && fraction.length > marks.moneyDecimals) return null;
  if (losesDigits(whole, fraction) || (amount.sign === '+' && whole.length >= PHONE_DIGITS)) return null;
  const hundredths = amount.percent || (percentCell && !amount.currency);
  const power = Number(`${match[3] ?? ''}${exponent ?? '0'}`) - (hundredths ? 2 : 0);
  const value = nearestNumber(whole, fraction, power);
  if (value === null) return null;
  const signed = amount.sign === '-' && value !== 0 ? -value : value;
  if (amount.percent) return { value: signed, format: fraction === '' ? '0%' : '0.00%' };
  return amount.currency ? { value: signed, format: locale.currencyFormat } : { value: signed };
}

/** Whether a number would not keep every digit: leading zeros, as of `007`, or more than fifteen significant ones. */
function losesDigits(whole: string, fraction: string): boolean {
  if (whole.length > 1 && whole.charCodeAt(0) === ZERO) return true;
  if (whole.length + fraction.length <= MAX_DIGITS) return false;
  let end = fraction.length;
  while (end > 0 && fraction.charCodeAt(end - 1) === ZERO) end--;
  return (whole + fraction.slice(0, end)).replace(LEADING_ZEROS, '').length > MAX_DIGITS;
}
