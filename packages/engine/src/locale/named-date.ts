import { getLocale, parseTime } from 'numfmt';
import { toValidSerial } from './calendar.ts';
import type { DateSystem } from './date-system.ts';
import type { Locale, LocaleId } from './locales.ts';
import { CENTURY_PIVOT } from './typed-date.ts';

/** Matches a word of letters with an optional point, a number, or a separator. */
const PIECES = /(\p{L}+)\.?|(\d{1,4})(?!\d)|[-/., \u00a0\u202f]+/gu;
const TIME = /[ \u00a0\u202f](\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d{1,9})?(?: ?[ap]m?)?|\d{1,2} [ap]m?)$/i;
/** Words in dates that are ignored, as in `20 ноября 2026 г.` and `5 de marzo de 2020`. */
const FILLERS: Readonly<Partial<Record<LocaleId, ReadonlySet<string>>>> = {
  'ru-RU': new Set(['г', 'года']),
  'es-ES': new Set(['de', 'del']),
};
const MAX_DAY = 31;

const months = new Map<LocaleId, ReadonlyMap<string, number>>();

/** Returns months (1–12) by their lower-case names: full and short names of the locale and in English. */
function getMonthNumbers(id: LocaleId): ReadonlyMap<string, number> {
  let words = months.get(id);
  if (words === undefined) {
    const monthByName = new Map<string, number>([['sept', 9]]);
    for (const locale of ['en-US', id]) {
      const { mmmm = [], mmm = [] } = getLocale(locale) ?? {};
      for (const names of [mmmm, mmm])
        names.forEach((name, index) => void monthByName.set(name.toLowerCase(), index + 1));
    }
    if (id === 'ru-RU') for (const [name, month] of [...monthByName]) monthByName.set(toGenitive(name), month);
    words = monthByName;
    months.set(id, words);
  }
  return words;
}

/** Returns the genitive of a month's name, in lower case: Февраль → февраля, март → марта, май → мая. */
export function toGenitive(month: string): string {
  const lower = month.toLowerCase();
  return /[ьй]$/.test(lower) ? `${lower.slice(0, -1)}я` : `${lower}а`;
}

/**
 * Returns the serial number of a date with a month name and an optional time. Accepts day, month and year in the orders
 * that Excel accepts (`5 March 2020`, `Mar-5-20`, `2020 March 5`); month and year without a day mean the first day. A
 * number over 31 is a year; otherwise the day comes before the year. A date without a year needs `currentYear`.
 * Two-digit years below 30 are in the 21st century. Null for other texts.
 */
export function readNamedDate(
  text: string,
  locale: Locale,
  system: DateSystem,
  currentYear: number | undefined,
): number | null {
  const timed = TIME.exec(text);
  const time = timed ? parseTime(timed[1]!.replace(',', '.'), { locale: 'en-US' })?.value : 0;
  const pieces = splitDateWords(timed ? text.slice(0, timed.index) : text, locale);
  if (time === undefined || pieces === null) return null;
  const date = orderParts(pieces, currentYear);
  const serial = date && toValidSerial(date.year, date.month, date.day, system);
  return serial === null ? null : serial + time;
}

interface DateWords {
  readonly month: number;
  /** Number of numbers that precede the month. */
  readonly before: number;
  /** The numbers of the text, unchanged. */
  readonly numbers: readonly string[];
}

function splitDateWords(text: string, locale: Locale): DateWords | null {
  const words = getMonthNumbers(locale.id);
  const numbers: string[] = [];
  let month: number | undefined;
  let before = 0;
  let end = 0;
  for (const piece of text.matchAll(PIECES)) {
    if (piece.index !== end) return null;
    end += piece[0].length;
    if (piece[2] !== undefined) numbers.push(piece[2]);
    const word = piece[1]?.toLowerCase();
    if (word === undefined || FILLERS[locale.id]?.has(word)) continue;
    if (month !== undefined || !words.has(word)) return null;
    month = words.get(word);
    before = numbers.length;
  }
  return month === undefined || end !== text.length ? null : { month, before, numbers };
}

function orderParts({ month, before, numbers }: DateWords, currentYear: number | undefined) {
  const [first, second] = numbers;
  if (first === undefined || numbers.length > 2) return null;
  if (second !== undefined) {
    if (isYear(first)) return { year: parseYear(first), month, day: Number(second) };
    // If there are two small numbers before the month, neither is a year.
    return before === 2 && !isYear(second) ? null : { year: parseYear(second), month, day: Number(first) };
  }
  if (isYear(first)) return { year: parseYear(first), month, day: 1 };
  return currentYear === undefined ? null : { year: currentYear, month, day: Number(first) };
}

function isYear(digits: string): boolean {
  return digits.length > 2 || Number(digits) > MAX_DAY;
}

/** Parses a year of two or four digits. Three digits are not a year: the result is 0, which the calendar refuses. */
function parseYear(digits: string): number {
  if (digits.length === 3) return 0;
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year + (year < CENTURY_PIVOT ? 2000 : 1900);
}
