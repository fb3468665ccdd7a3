import { type FormatClass, formatClass, getDefaultFormat, type LocaleId } from '../locale/index.ts';

const GENERAL_CODE = 'General';

/** The format code that a result inherits from a cell. A text format does not apply to numbers. */
export function inheritCode(code: string): string {
  return formatClass(code) === 'text' ? GENERAL_CODE : code;
}

/**
 * The number format of an operator's result, as spreadsheets set it at entry: a date plus a number is a date, a date
 * minus a date is a number, percent and currency are kept.
 */
export function combineCodes(op: '+' | '-' | '*' | '/', left: string, right: string, locale: LocaleId): string {
  const a = formatClass(left);
  const b = formatClass(right);
  if (op === '+') return chooseSumFormat(left, a, right, b, locale);
  if (op === '-')
    return isDateOrTime(a) && isDateOrTime(b)
      ? chooseDateDifferenceFormat(left, a, b)
      : chooseDifferenceFormat(left, a, right, b);
  return chooseProductFormat(op, left, a, right, b);
}

/** True for the format classes of dates, times, and dates with a time. */
function isDateOrTime(kind: FormatClass): boolean {
  return kind === 'date' || kind === 'datetime' || kind === 'time';
}

function chooseSumFormat(left: string, a: FormatClass, right: string, b: FormatClass, locale: LocaleId): string {
  if ((a === 'date' && b === 'time') || (a === 'time' && b === 'date')) return getDefaultFormat('datetime', locale);
  if (isDateOrTime(a)) return left;
  if (isDateOrTime(b)) return right;
  return a === 'general' || (b === 'currency' && a === 'percent') ? right : left;
}

/**
 * The format of a difference of dates and times: a date minus a date is a number of days, a date minus a time is a
 * date, a time minus a time is a time.
 */
function chooseDateDifferenceFormat(left: string, a: FormatClass, b: FormatClass): string {
  if (a === 'time' && b === 'time') return left;
  return b === 'time' ? left : GENERAL_CODE;
}

function chooseDifferenceFormat(left: string, a: FormatClass, right: string, b: FormatClass): string {
  if (isDateOrTime(b)) return GENERAL_CODE;
  return a === 'general' || (b === 'currency' && a === 'percent') ? right : left;
}

function chooseProductFormat(op: '*' | '/', left: string, a: FormatClass, right: string, b: FormatClass): string {
  if (isDateOrTime(a) || isDateOrTime(b)) return GENERAL_CODE;
  if (op === '/') return a === 'currency' && b === 'currency' ? GENERAL_CODE : left;
  if (a === 'currency') return left;
  if (b === 'currency') return right;
  return a === 'general' ? right : left;
}
