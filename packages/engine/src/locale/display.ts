import { TOKEN_BREAK, TOKEN_DATETIME, TOKEN_DURATION, TOKEN_LOCALE, TOKEN_TEXT, type Token, tokenize } from 'numfmt';
import { CellError } from '../value/errors.ts';
import type { Scalar } from '../value/scalar.ts';
import { createDateFormatter } from './date-format.ts';
import type { DateSystem } from './date-system.ts';
import { createFixedFormatter, type NumberFormatter } from './fixed-format.ts';
import { formatClass, isDateFormat } from './format-class.ts';
import {
  type DateUse,
  formatNumberByLibrary,
  formatTextByLibrary,
  isFormat,
  MAX_FORMAT_LENGTH,
} from './format-library.ts';
import { translateForLibrary } from './format-terms.ts';
import { createFractionFormatter } from './fraction-format.ts';
import { toEnglishCode } from './local-code.ts';
import { LOCALES, type Locale, type LocaleId } from './locales.ts';
import { formatGeneralDisplay } from './number-text.ts';

/** Maximum number of compiled formats that are cached for each locale and date system. */
const MAX_CACHED_FORMATS = 4096;

/** A format code that was compiled for one locale and date system. */
interface CompiledFormat {
  /** False if the code is not a valid format. Values are then shown as General. */
  readonly valid: boolean;
  /**
   * Returns null if a number must be shown as General, because the code says so or because the format cannot show it.
   */
  readonly number: NumberFormatter;
  /** Null if texts are shown unchanged. */
  readonly text: ((text: string) => string) | null;
}

const INVALID: CompiledFormat = { valid: false, number: () => null, text: null };

const caches = new Map<LocaleId, Map<DateSystem, Map<string, CompiledFormat>>>();

let lastCode = '';
let lastLocale: LocaleId | null = null;
let lastSystem: DateSystem | null = null;
let lastCompiled: CompiledFormat | null = null;

/**
 * Returns the compiled format. Cells are read column by column, so that most calls have the same code as the previous
 * call.
 */
function getCompiled(code: string, locale: LocaleId, system: DateSystem): CompiledFormat {
  if (lastCompiled !== null && code === lastCode && locale === lastLocale && system === lastSystem) return lastCompiled;
  const cache = getCache(locale, system);
  let compiled = cache.get(code);
  if (compiled === undefined) {
    compiled = compileFormat(code, locale, system);
    if (cache.size >= MAX_CACHED_FORMATS) cache.clear();
    cache.set(code, compiled);
  }
  lastCode = code;
  lastLocale = locale;
  lastSystem = system;
  lastCompiled = compiled;
  return compiled;
}

function getCache(locale: LocaleId, system: DateSystem): Map<string, CompiledFormat> {
  let bySystem = caches.get(locale);
  if (bySystem === undefined) {
    bySystem = new Map();
    caches.set(locale, bySystem);
  }
  let cache = bySystem.get(system);
  if (cache === undefined) {
    cache = new Map();
    bySystem.set(system, cache);
  }
  return cache;
}

function compileFormat(formatCode: string, locale: LocaleId, system: DateSystem): CompiledFormat {
  if (formatCode.length > MAX_FORMAT_LENGTH) return INVALID;
  const { code, scale, finish } = translateForLibrary(formatCode);
  if (!isFormat(code)) return INVALID;
  const tokens = tokenize(code);
  const date = isDateFormat(code);
  const use: DateUse = { calendar: date, elapsed: tokens.some((token) => token.type === TOKEN_DURATION) };
  const bare = date ? code : removeLocales(tokens);
  // Some codes are valid only with their locale.
  const general = isFormat(bare) ? bare : code;
  const fast =
    finish !== null ? null : date ? createDateFormatter(tokens, system) : createPlainFormatter(tokens, LOCALES[locale]);
  const slow: NumberFormatter = (value) => {
    const text = formatNumberByLibrary(general, value * scale, locale, system, use);
    return text === null || finish === null ? text : finish(text);
  };
  const number: NumberFormatter = fast === null ? slow : (value) => fast(value) ?? slow(value);
  const elapsed = findElapsedCode(code, tokens);
  const elapsedUse: DateUse = { calendar: true, elapsed: true };
  return {
    valid: true,
    number:
      elapsed === null
        ? number
        : (value) =>
            value < 0
              ? removeSignOfZero(formatNumberByLibrary(elapsed, value, locale, system, elapsedUse))
              : number(value),
    text: hasTextSection(tokens) ? (text) => formatTextByLibrary(general, text, locale) : null,
  };
}

const HALF_DAY = /^(?:am\/pm|a\/p)$/i;

/**
 * Returns the code with which a negative time is shown as elapsed time: there is no time of day before midnight, and
 * `22:30` for `01:00 − 02:30` would hide the sign. Null for codes that show anything but a 24-hour time of day.
 */
function findElapsedCode(code: string, tokens: readonly Token[]): string | null {
  if (formatClass(code) !== 'time') return null;
  if (tokens.some(({ type, raw }) => type === TOKEN_DURATION || type === TOKEN_BREAK || HALF_DAY.test(raw)))
    return null;
  const largest = tokens.findIndex(({ type, raw }) => type === TOKEN_DATETIME && /^[hms]+$/i.test(raw));
  if (largest < 0) return null;
  return tokens.map(({ raw }, i) => (i === largest ? `[${raw}]` : raw)).join('');
}

/** Removes the sign of a number that is shown as zero. */
function removeSignOfZero(text: string | null): string | null {
  return text !== null && !/[1-9]/.test(text) ? text.replace(/^-/, '') : text;
}

function createPlainFormatter(tokens: readonly Token[], locale: Locale): NumberFormatter | null {
  return createFixedFormatter(tokens, locale) ?? createFractionFormatter(tokens, locale);
}

/**
 * Returns the code without its locale numbers (`[$₽-419]` becomes `[$₽]`). Numbers are shown with the marks of the
 * document's locale; with locale numbers, the library would use other marks.
 */
function removeLocales(tokens: readonly Token[]): string {
  let code = '';
  for (const { type, raw, value } of tokens) {
    if (type !== TOKEN_LOCALE) code += raw;
    else {
      const dash = value.indexOf('-');
      const sign = dash < 0 ? value : value.slice(0, dash);
      if (sign !== '') code += `[$${sign}]`;
    }
  }
  return code;
}

function hasTextSection(tokens: readonly Token[]): boolean {
  let breaks = 0;
  for (const { type } of tokens) {
    if (type === TOKEN_TEXT) return true;
    if (type === TOKEN_BREAK) breaks++;
  }
  return breaks > 2;
}

/**
 * Returns the displayed text of a cell (`m`). Booleans are TRUE and FALSE in every locale, errors are their codes, and
 * empty cells are the empty text. A number is shown as General if the code is not a format, or if a date format cannot
 * show it (negative in the systems of 1900 and 1904, or after 9999). Excel shows `#` instead, but here cells have no
 * width to fill.
 */
export function formatForDisplay(value: Scalar, format: string, locale: LocaleId, system: DateSystem): string {
  if (typeof value === 'number') {
    if (format !== '' && format !== 'General') {
      const text = getCompiled(format, locale, system).number(value);
      if (text !== null) return text;
    }
    return formatGeneralDisplay(value, LOCALES[locale].decimal);
  }
  if (typeof value === 'string') {
    if (format === '' || format === 'General') return value;
    const { text } = getCompiled(format, locale, system);
    return text === null ? value : text(value);
  }
  if (value === null) return '';
  if (value instanceof CellError) return value.code;
  return value ? 'TRUE' : 'FALSE';
}

/**
 * Returns the result of TEXT: the text of `formatForDisplay`, but null if the code is not a format or if a date format
 * cannot show the number. An empty code gives the empty text; an empty cell counts as 0. Codes may be in the locale's
 * form or in English; see `toEnglishCode`.
 */
export function formatText(value: Scalar, formatCode: string, locale: LocaleId, system: DateSystem): string | null {
  if (formatCode === '') return '';
  const code = toEnglishCode(formatCode, locale);
  const number = value === null ? 0 : value;
  if (typeof number === 'number' && code.toLowerCase() === 'general') {
    return formatGeneralDisplay(number, LOCALES[locale].decimal);
  }
  const compiled = getCompiled(code, locale, system);
  if (!compiled.valid) return null;
  // Excel's 1900 system has no times before its first day, not even elapsed times. Cells display them nevertheless.
  if (typeof number === 'number' && number < 0 && system === '1900' && isDateFormat(code)) return null;
  if (typeof number === 'number') return compiled.number(number);
  // The text section of a format applies to the word for a boolean.
  const shown = typeof number === 'boolean' ? formatForDisplay(number, '', locale, system) : number;
  return formatForDisplay(shown, code, locale, system);
}
