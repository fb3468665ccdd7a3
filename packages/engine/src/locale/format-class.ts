import {
  getFormatDateInfo,
  getFormatInfo,
  TOKEN_CURRENCY,
  TOKEN_DURATION,
  TOKEN_ESCAPED,
  TOKEN_LOCALE,
  TOKEN_STRING,
  type Token,
  tokenize,
} from 'numfmt';
import { isFormat } from './format-library.ts';
import { LOCALES, type LocaleId } from './locales.ts';

export type FormatClass =
  | 'general'
  | 'number'
  | 'percent'
  | 'currency'
  | 'date'
  | 'time'
  | 'datetime'
  | 'text'
  | 'scientific'
  | 'fraction';

/** Maximum number of cached classes. An Excel workbook has at most about 4,000 custom codes. */
const MAX_CACHED_CLASSES = 4096;

const classes = new Map<string, FormatClass>();

/** The kind of a format code; `general` for the empty code and for invalid codes. */
export function formatClass(code: string): FormatClass {
  let formatKind = classes.get(code);
  if (formatKind === undefined) {
    formatKind = classifyFormat(code);
    if (classes.size >= MAX_CACHED_CLASSES) classes.clear();
    classes.set(code, formatKind);
  }
  return formatKind;
}

/** True if a cell with this format shows a date, a time or both. The API reports it as `t: d`. */
export function isDateFormat(code: string): boolean {
  if (code === '' || code === 'General') return false;
  const kind = formatClass(code);
  return kind === 'date' || kind === 'time' || kind === 'datetime';
}

/** True if a format shows elapsed time, such as `[h]:mm`. */
export function isElapsedFormat(code: string): boolean {
  return code.includes('[') && isFormat(code) && tokenize(code).some(({ type }) => type === TOKEN_DURATION);
}

function classifyFormat(code: string): FormatClass {
  if (code === '' || !isFormat(code)) return 'general';
  const { type, isDate } = getFormatInfo(code);
  if (isDate) return classifyDateFormat(code, type);
  if (type === 'text') return 'text';
  if (tokenize(code).some(isCurrency)) return 'currency';
  if (type === 'grouped') return 'number';
  return type === 'error' || type === 'date' || type === 'datetime' || type === 'time' ? 'general' : type;
}

/**
 * The library distinguishes dates and times by their fields, but misses elapsed times (`[h]`) or reports them as dates.
 */
function classifyDateFormat(code: string, type: string): FormatClass {
  if (type === 'datetime' || type === 'time') return type;
  const info = getFormatDateInfo(code);
  if (!info.hours && !info.minutes && !info.seconds) return 'date';
  return info.year || info.month || info.day ? 'datetime' : 'time';
}

const CURRENCY_SIGN = /\p{Sc}/u;
/** Matches the rouble sign as a word, as in older Russian formats of Excel (`#,##0.00"р."`). */
const CURRENCY_WORD = /^\s*(?:р|руб)\.?\s*$/i;

function isCurrency(token: Token): boolean {
  if (token.type === TOKEN_CURRENCY) return true;
  if (token.type === TOKEN_LOCALE) return !token.value.startsWith('-');
  const literal = token.type === TOKEN_STRING || token.type === TOKEN_ESCAPED;
  return literal && (CURRENCY_SIGN.test(token.value) || CURRENCY_WORD.test(token.value));
}

/** The kind of format that a formula's result suggests for a General cell. */
export type FormatHint = 'date' | 'datetime' | 'time' | 'percent' | 'currency';

/** The format code of a hint. */
export function getDefaultFormat(hint: FormatHint, locale: LocaleId): string {
  switch (hint) {
    case 'date':
      return LOCALES[locale].dateFormat;
    case 'datetime':
      return `${LOCALES[locale].dateFormat} hh:mm`;
    case 'time':
      return 'hh:mm:ss';
    case 'percent':
      return '0%';
    case 'currency':
      return LOCALES[locale].currencyFormat;
  }
}
