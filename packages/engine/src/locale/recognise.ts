import { createGroupPattern, isBlank, readAmount, toNearestNumber, trimBlanks } from './amount.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALES, type Locale, type LocaleId } from './locales.ts';
import { readTypedDate } from './typed-date.ts';

/** The value of a typed string, and the number format that it gives to its cell, if any. */
export interface RecognisedInput {
  readonly value: number | boolean | string;
  readonly format?: string;
}

/** Maximum significant digits of a number. A longer string is an account or card number and stays a text. */
const MAX_DIGITS = 15;
/** Maximum number of decimals of an amount of money. Three digits after the comma are a group. */
const MONEY_DECIMALS = 2;
/** Minimum number of digits after the `+` of a telephone number. */
const PHONE_DIGITS = 7;

const APOSTROPHE = 0x27;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Reads a string that a user types into a cell and that does not begin with `=`. The grammar is the same for every
 * locale: the decimal mark is the comma, never a dot. If the whole string is not recognised, it is a text, unchanged.
 * Blanks around it are ignored. The typographic minus (U+2212) is not a sign. In a percent cell (`percentCell`) a
 * number without a percent sign is a percentage: `7` is 0.07.
 */
export function recognise(text: string, localeId: LocaleId, system: DateSystem, percentCell = false): RecognisedInput {
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

/** Maximum length of a word for a boolean in any locale. */
const MAX_BOOLEAN_LENGTH = 9;

export function readBoolean(text: string, locale: Locale): RecognisedInput | null {
  if (text.length > MAX_BOOLEAN_LENGTH || text.length < 4) return null;
  const word = text.toUpperCase();
  if (word === 'TRUE' || locale.trueWords.includes(word)) return { value: true };
  return word === 'FALSE' || locale.falseWords.includes(word) ? { value: false } : null;
}

/**
 * Reads a typed date, time or both. The format is always the locale's short date. `slashOrder`: order of slash dates;
 * by default that of the locale.
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

/** The syntax of numbers in a grammar. */
export interface NumberMarks {
  /** Matches digits with optional groups of three; decimals; sign and digits of an exponent. */
  readonly number: RegExp;
  readonly groups: RegExp;
  /** Maximum number of decimals of an amount of money. */
  readonly moneyDecimals: number;
}

/** The API's grammar: blanks and a comma. */
const WIRE_MARKS = createNumberMarks(' ', ',', MONEY_DECIMALS);

export function createNumberMarks(group: string, decimal: string, moneyDecimals: number): NumberMarks {
  const mark = createGroupPattern(group);
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
): RecognisedInput | null {
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
  const value = toNearestNumber(whole, fraction, power);
  if (value === null) return null;
  const signed = amount.sign === '-' && value !== 0 ? -value : value;
  if (amount.percent) return { value: signed, format: fraction === '' ? '0%' : '0.00%' };
  return amount.currency ? { value: signed, format: locale.currencyFormat } : { value: signed };
}

/**
 * True if a number cannot preserve every digit of the text: leading zeros as in `007`, or more than fifteen significant
 * digits.
 */
function losesDigits(wholeDigits: string, fraction: string): boolean {
  if (wholeDigits.length > 1 && wholeDigits.charCodeAt(0) === ZERO) return true;
  if (wholeDigits.length + fraction.length <= MAX_DIGITS) return false;
  let end = fraction.length;
  while (end > 0 && fraction.charCodeAt(end - 1) === ZERO) end--;
  return (wholeDigits + fraction.slice(0, end)).replace(LEADING_ZEROS, '').length > MAX_DIGITS;
}

/**
 * Reads a text that consists only of digits, an optional minus sign and an optional decimal mark. Returns the number if
 * every cell without a text or percent format reads it so; else null, and `recogniseAs` must read it. It is faster than
 * `recogniseAs`.
 */
export function readPlainNumber(text: string, decimal: string): number | null {
  if (text.length > MAX_DIGITS) return null;
  const mark = decimal.charCodeAt(0);
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  let digits = 0;
  let markAt = -1;
  for (let i = start; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= ZERO && unit <= NINE) digits = digits * 10 + (unit - ZERO);
    else if (unit === mark && markAt < 0) markAt = i;
    else return null;
  }
  const wholeEnd = markAt < 0 ? text.length : markAt;
  const isWritten = wholeEnd > start && markAt !== text.length - 1;
  const hasLeadingZero = wholeEnd - start > 1 && text.charCodeAt(start) === ZERO;
  if (!isWritten || hasLeadingZero) return null;
  // Both operands are exact, so that the quotient is the number nearest to the text.
  const number = markAt < 0 ? digits : digits / 10 ** (text.length - 1 - markAt);
  return start === 0 || number === 0 ? number : -number;
}
