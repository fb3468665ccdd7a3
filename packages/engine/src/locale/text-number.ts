import { type ParseDataNum, parseDate, parseTime } from 'numfmt';
import { createGroupPattern, readAmount, type TypedAmount, toNearestNumber, trimBlanks } from './amount.ts';
import { DAY_SECONDS, splitSerial, toValidSerial } from './calendar.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALES, type Locale, type LocaleId } from './locales.ts';
import { readNamedDate } from './named-date.ts';
import { readTypedDate } from './typed-date.ts';

/** Maximum length of a text that is read as a number or date, in characters. */
const MAX_NUMBER_TEXT = 255;

/** The patterns of numbers in texts of one locale. Built once per locale. */
interface TextGrammar {
  readonly number: RegExp;
  readonly groups: RegExp;
}

const grammars = new Map<LocaleId, TextGrammar>();

function getTextGrammar(locale: Locale): TextGrammar {
  let grammar = grammars.get(locale.id);
  if (grammar === undefined) {
    const group = createGroupPattern(locale.group);
    const decimal = `\\${locale.decimal}`;
    grammar = {
      number: new RegExp(`^(\\d{1,3}(?:${group}\\d{3})+|\\d*)(?:${decimal}(\\d*))?(?:[eE]([+-]?\\d{1,4}))?$`),
      groups: new RegExp(group, 'g'),
    };
    grammars.set(locale.id, grammar);
  }
  return grammar;
}

/** Matches a whole number with a fraction, such as `1 1/2`. */
const MIXED_FRACTION = /^(\d{1,15}) (\d{1,5})\/(\d{1,5})$/;
const LETTER = /\p{L}/u;
const DIGIT = /\d/;
/** Matches a word. AM and PM are too short to match. */
const LETTERS = /\p{L}{3}/u;
const LONG_TIME = /^(\d{3,4}):([0-5]\d)(?::([0-5]\d))?$/;
const DECIMAL_COMMA = /,(?=\d+(?:\s*[ap]m?)?$)/i;

/**
 * Returns the number of a text in a formula (`="12,5"+1`, VALUE), by Excel's rules for the document's locale: its
 * decimal and group marks, exponents, percent, its currency sign, parentheses for negative numbers, fractions, and the
 * dates and times of `parseDateText`. Null for other texts. Unlike typed input, `007` is 7. Blanks around a number are
 * ignored; a date with blanks around it is a text, as in Excel. A date without a year is not a number: only DATEVALUE
 * knows the current year.
 */
export function parseNumberText(text: string, localeId: LocaleId, system: DateSystem): number | null {
  const trimmed = trimBlanks(text);
  if (trimmed.length > MAX_NUMBER_TEXT || !DIGIT.test(trimmed)) return null;
  const locale = LOCALES[localeId];
  const number = readNumber(trimmed, locale);
  return number === null && trimmed === text ? readDate(text, locale, system) : number;
}

function readNumber(text: string, locale: Locale): number | null {
  const negated = text.startsWith('(') && text.endsWith(')');
  const amount = readMoney(negated ? trimBlanks(text.slice(1, -1)) : text, locale);
  if (amount === null || (negated && amount.sign !== '')) return null;
  const value = parseUnsigned(trimBlanks(amount.body), locale, amount.percent ? -2 : 0);
  if (value === null) return null;
  return (negated || amount.sign === '-') && value !== 0 ? -value : value;
}

/** The euro sign is valid in every locale, as in Excel. In Russian the rouble may also be a word. */
const EURO = '€';
const ROUBLE_WORD = /(?<=[\d\s\u00a0\u202f])(?:руб\.?|р\.)$/i;

function readMoney(text: string, { id, currencySign }: Locale): TypedAmount | null {
  const plain = id === 'ru-RU' ? text.replace(ROUBLE_WORD, currencySign) : text;
  return readAmount(plain, plain.includes(EURO) ? EURO : currencySign);
}

/** Reads a number without a sign, times a power of ten (-2 for a percentage); null for other texts. */
function parseUnsigned(body: string, locale: Locale, power: number): number | null {
  const grammar = getTextGrammar(locale);
  const match = grammar.number.exec(body);
  if (!match) return parseMixedFraction(body, power);
  const whole = match[1]!.replace(grammar.groups, '');
  const fraction = match[2] ?? '';
  if (whole === '' && fraction === '') return null;
  return toNearestNumber(whole, fraction, Number(match[3] ?? '0') + power);
}

function parseMixedFraction(body: string, power: number): number | null {
  const match = MIXED_FRACTION.exec(body);
  if (!match || Number(match[3]) === 0) return null;
  return (Number(match[1]) + Number(match[2]) / Number(match[3])) * 10 ** power;
}

/**
 * Returns the serial number of a text with a date, a time or both; null for other texts. Reads the forms of typed input
 * and the forms that Excel reads in the locale: month names (of the locale and English), `1/2/2020` in the locale's
 * order, `10:30 AM`. Two-digit years below 30 are in the 21st century. A date without a year needs `currentYear`.
 */
export function parseDateText(
  text: string,
  localeId: LocaleId,
  system: DateSystem,
  currentYear?: number,
): number | null {
  const trimmed = trimBlanks(text);
  if (trimmed.length > MAX_NUMBER_TEXT || !DIGIT.test(trimmed)) return null;
  return readDate(trimmed, LOCALES[localeId], system, currentYear);
}

/** The library's ids for day and month, and for month and year. */
const DAY_AND_MONTH = 16;
const MONTH_AND_YEAR = 17;

function readDate(text: string, locale: Locale, system: DateSystem, currentYear?: number): number | null {
  const typed = readTypedDate(text, locale.slashOrder, system);
  if (typed) return typed.serial;
  const named = LETTER.test(text) ? readNamedDate(text, locale, system, currentYear) : null;
  if (named !== null) return named;
  const date = parseDate(text, { locale: locale.tag });
  if (date) return LETTERS.test(text) ? null : libraryDateToSerial(text, date, system, currentYear);
  return readTime(text, locale);
}

/** Parses a time of day, or up to 9999 hours without AM or PM. */
function readTime(text: string, locale: Locale): number | null {
  const long = LONG_TIME.exec(text);
  if (long) return (Number(long[1]) * 3600 + Number(long[2]) * 60 + Number(long[3] ?? 0)) / DAY_SECONDS;
  const pointed = locale.decimal === ',' ? text.replace(DECIMAL_COMMA, '.') : text;
  return parseTime(pointed, { locale: 'en-US' })?.value ?? null;
}

/**
 * Returns the serial number of a date that the library parsed. The library uses the 1900 system and takes a missing
 * year from the clock; the engine must not read the clock.
 */
function libraryDateToSerial(
  text: string,
  date: ParseDataNum,
  system: DateSystem,
  currentYear: number | undefined,
): number | null {
  // Many decimal numbers and versions look like a month and year with a point (`1.2020`).
  if (date.formatId === MONTH_AND_YEAR && text.includes('.')) return null;
  const day = Math.floor(date.value);
  const { year, month, day: dayOfMonth } = splitSerial(day, '1900');
  const given = date.formatId === DAY_AND_MONTH ? currentYear : year;
  if (given === undefined) return null;
  const serial = toValidSerial(given, month, dayOfMonth, system);
  return serial === null ? null : serial + (date.value - day);
}
