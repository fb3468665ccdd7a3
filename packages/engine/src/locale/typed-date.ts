import { DAY_SECONDS, toValidSerial } from './calendar.ts';
import type { DateSystem } from './date-system.ts';

/** A typed date, time or both. */
interface TypedDate {
  readonly serial: number;
  readonly dated: boolean;
  /** The number format of the time of day; empty if there is no time. */
  readonly timeFormat: string;
}

/** Maximum length of a text that is read as a date, in characters. */
const MAX_DATE_LENGTH = 40;

const TIME = '(\\d{1,2}):(\\d{2})(?::(\\d{2}))?';
const TIME_ONLY = new RegExp(`^${TIME}$`);
const AFTER_DATE = `(?:[ \\u00a0\\u202f]+${TIME})?$`;
const DOTTED = new RegExp(`^(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4}|\\d{2})${AFTER_DATE}`);
const SLASHED = new RegExp(`^(\\d{1,2})/(\\d{1,2})/(\\d{4}|\\d{2})${AFTER_DATE}`);
const ISO = new RegExp(`^(\\d{4})-(\\d{1,2})-(\\d{1,2})(?:(?:T|[ \\u00a0\\u202f]+)${TIME})?$`);

/** The first two-digit year that means the 20th century; smaller ones mean the 21st. */
export const CENTURY_PIVOT = 30;

/**
 * Parses the dates and times that input recognises. Only slash dates depend on the locale: `31.12.2026`, `31.12.26`,
 * `2026-12-31`, each with an optional `HH:mm[:ss]`, and `HH:mm[:ss]` alone. ISO may join date and time with `T`. A time
 * of 24 to 99 hours is elapsed time. Null for anything else, including days that do not exist and days before the
 * system's first day.
 */
export function readTypedDate(text: string, slashOrder: 'dmy' | 'mdy', system: DateSystem): TypedDate | null {
  if (text.length > MAX_DATE_LENGTH) return null;
  const iso = ISO.exec(text);
  if (iso) return toDate(iso[1], iso[2], iso[3], iso, system);
  const dotted = DOTTED.exec(text);
  if (dotted) return toDate(readYear(dotted), dotted[2], dotted[1], dotted, system);
  const slashed = SLASHED.exec(text);
  if (slashed) {
    const [month, day] = slashOrder === 'mdy' ? [slashed[1], slashed[2]] : [slashed[2], slashed[1]];
    return toDate(readYear(slashed), month, day, slashed, system);
  }
  const time = TIME_ONLY.exec(text);
  return time && toTime(time[1], time[2], time[3]);
}

/** Returns the year of a match of day, month and year. A year of two digits needs a day and a month of two digits. */
function readYear(match: RegExpExecArray): string | undefined {
  const [, first, second, year] = match as unknown as [string, string, string, string];
  if (year.length === 4) return year;
  if (first.length !== 2 || second.length !== 2) return undefined;
  return (Number(year) < CENTURY_PIVOT ? '20' : '19') + year;
}

function toDate(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  match: RegExpExecArray,
  system: DateSystem,
): TypedDate | null {
  if (year === undefined) return null;
  const serial = toValidSerial(Number(year), Number(month), Number(day), system);
  if (serial === null) return null;
  const [hour, minute, second] = [match[4], match[5], match[6]];
  if (hour === undefined) return { serial, dated: true, timeFormat: '' };
  const time = toTime(hour, minute, second);
  if (time === null || Number(hour) > 23) return null;
  return { ...time, serial: serial + time.serial, dated: true };
}

function toTime(hour: string | undefined, minute: string | undefined, second: string | undefined): TypedDate | null {
  const [h, m, s] = [Number(hour), Number(minute), Number(second ?? 0)];
  if (m > 59 || s > 59) return null;
  const timeFormat = h > 23 ? '[h]:mm:ss' : second === undefined ? 'hh:mm' : 'hh:mm:ss';
  return { serial: (h * 3600 + m * 60 + s) / DAY_SECONDS, dated: false, timeFormat };
}
