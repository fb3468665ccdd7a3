import { addLocale, format, getLocale, isValidFormat } from 'numfmt';
import { isShownDay } from './calendar.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALES, type LocaleId } from './locales.ts';

/** Maximum length of a format code in characters, as in Excel. A longer code is invalid. */
export const MAX_FORMAT_LENGTH = 255;

/** Difference between the serial numbers of a day in the 1900 system and in the 1904 system. */
const SHIFT_1904 = 1462;

for (const locale of Object.values(LOCALES)) {
  const data = getLocale(locale.id);
  addLocale({ ...data, decimal: locale.decimal, group: locale.group, bool: ['TRUE', 'FALSE'] }, locale.tag);
}

/** True if a code is a valid number format. */
export function isFormat(code: string): boolean {
  return code.length <= MAX_FORMAT_LENGTH && isValidFormat(code);
}

/** Applies the text section of a valid code. */
export function formatTextByLibrary(code: string, text: string, locale: LocaleId): string {
  return format(code, text, { locale: LOCALES[locale].tag });
}

/** Which kinds of times a code shows. The library needs this for the three date systems. */
export interface DateUse {
  /** True if the code shows a date or a time of day. */
  readonly calendar: boolean;
  /** True if the code shows an elapsed time such as `[h]`. */
  readonly elapsed: boolean;
}

/**
 * Formats a number with a valid code. Null if a date format cannot show it, because the day is outside the date system.
 * The library supports the 1900 system and, with `leap1900` off, the `google` system; 1904 serials are converted. A
 * negative elapsed time is shown as the elapsed time without sign, with a minus sign before it: the library counts its
 * minutes in the wrong direction (-1.25 in `[h]:mm` must be -30:00).
 */
export function formatNumberByLibrary(
  code: string,
  value: number,
  locale: LocaleId,
  system: DateSystem,
  use: DateUse,
): string | null {
  if (use.calendar && !use.elapsed && !isShownDay(Math.floor(value), system)) return null;
  const options = { locale: LOCALES[locale].tag, leap1900: system !== 'google' };
  try {
    if (use.elapsed) return value < 0 ? `-${format(code, -value, options)}` : format(code, value, options);
    return format(code, use.calendar && system === '1904' ? value + SHIFT_1904 : value, options);
  } catch {
    // The library throws for days that the other calendars of a code (`B2`) do not have.
    return null;
  }
}
