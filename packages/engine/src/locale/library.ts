import { addLocale, format, getLocale, isValidFormat } from 'numfmt';
import { isShownDay } from './calendar.ts';
import type { DateSystem } from './date-system.ts';
import { LOCALES, type LocaleId } from './locales.ts';

/** Longest format code in characters, Excel's own bound. A longer one is no format. */
export const MAX_FORMAT_LENGTH = 255;

/** Days that make a 1904 serial the same day's serial in the 1900 system. */
const SHIFT_1904 = 1462;

for (const locale of Object.values(LOCALES)) {
  const data = getLocale(locale.id);
  addLocale({ ...data, decimal: locale.decimal, group: locale.group, bool: ['TRUE', 'FALSE'] }, locale.tag);
}

/** Whether a code is a number format at all. */
export function isFormat(code: string): boolean {
  return code.length <= MAX_FORMAT_LENGTH && isValidFormat(code);
}

/** A text through the text section of a valid code. */
export function libraryText(code: string, text: string, locale: LocaleId): string {
  return format(code, text, { locale: LOCALES[locale].tag });
}

/** How a code treats dates: what the library must be told for the three date systems. */
export interface DateUse {
  /** Shows a point in time: year, month, day, or an hour of the day. */
  readonly calendar: boolean;
  /** Shows an elapsed time such as `[h]`. */
  readonly elapsed: boolean;
}

/**
 * A number through a valid code, or null where a date format cannot show it (before the first or after the last day
 * of the date system).
 *
 * The library knows the 1900 system and, with `leap1900` off, the google system. Serials of 1904 are shifted. Negative
 * elapsed times are shown as the elapsed time of the opposite number: the library counts their minutes from the wrong
 * end (-1.25 in `[h]:mm` must be -30:00).
 */
export function libraryNumber(
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
    // The library throws for the days that its other calendars (`B2`) do not have.
    return null;
  }
}
