import { type DateSystem, formatClass, partsOf } from '@cellwire/engine';

const DAY_MICROSECONDS = 86_400_000_000;
const HOUR_MICROSECONDS = 3_600_000_000;
const MINUTE_MICROSECONDS = 60_000_000;
const SECOND_MICROSECONDS = 1_000_000;
const MAX_YEAR = 9999;

/**
 * A date, a time or both as ISO text, to the microsecond, by what the number format shows: `2026-12-31`,
 * `2026-12-31 00:00:00`, `08:30:00`, `-25:30:00`. Null for a number that the format does not show as one of these, or for
 * a day that no calendar has.
 */
export function momentText(value: number, format: string, system: DateSystem): string | null {
  const kind = formatClass(format);
  if (kind === 'time') return elapsedText(value);
  if (kind !== 'date' && kind !== 'datetime') return null;
  const { day, time } = dayAndTime(value);
  if (system !== 'google' && day < 0) return null;
  // Excel's day 0 is no date of the calendar: only its time is shown.
  if (system === '1900' && day === 0) return elapsedText(value);
  const parts = partsOf(day, system);
  const isFalseLeapDay = system === '1900' && parts.year === 1900 && parts.month === 2 && parts.day === 29;
  if (parts.year < 1 || parts.year > MAX_YEAR || isFalseLeapDay) return null;
  const date = `${digits(parts.year, 4)}-${digits(parts.month, 2)}-${digits(parts.day, 2)}`;
  return kind === 'date' && time === 0 ? date : `${date} ${timeText(time)}`;
}

/** Hours of any number, as the value of a time below 0 or from 24:00 on is an elapsed one. */
function elapsedText(value: number): string | null {
  const { day, time } = dayAndTime(Math.abs(value));
  const total = day * DAY_MICROSECONDS + time;
  if (!Number.isSafeInteger(total)) return null;
  return value < 0 && total > 0 ? `-${timeText(total)}` : timeText(total);
}

/** The day is subtracted first: what remains is exact, so a microsecond is not lost to rounding. */
function dayAndTime(value: number): { readonly day: number; readonly time: number } {
  const day = Math.floor(value);
  const time = Math.round((value - day) * DAY_MICROSECONDS);
  return time === DAY_MICROSECONDS ? { day: day + 1, time: 0 } : { day, time };
}

/** Of microseconds; milliseconds or microseconds are shown where there are any. */
function timeText(time: number): string {
  const hours = Math.floor(time / HOUR_MICROSECONDS);
  const minutes = Math.floor(time / MINUTE_MICROSECONDS) % 60;
  const seconds = Math.floor(time / SECOND_MICROSECONDS) % 60;
  const rest = time % SECOND_MICROSECONDS;
  const fraction = rest === 0 ? '' : `.${rest % 1000 === 0 ? digits(rest / 1000, 3) : digits(rest, 6)}`;
  return `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds, 2)}${fraction}`;
}

function digits(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
