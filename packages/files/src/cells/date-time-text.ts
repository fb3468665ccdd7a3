import { type DateSystem, formatClass, formatIsoDate, formatTime } from '@cellwire/engine';

/** February 29, 1900, which exists only in the 1900 date system. */
const NONEXISTENT_LEAP_DAY = '1900-02-29';

/**
 * Formats a date, a time or both for files, to the microsecond, according to the number format: `2026-12-31`,
 * `2026-12-31 00:00:00`, `08:30:00`, `-25:30:00`. Null if the format shows none of these, or if no calendar has the
 * day.
 */
export function formatDateTime(value: number, format: string, system: DateSystem): string | null {
  const kind = formatClass(format);
  if (kind === 'time') return formatTime(value);
  if (kind !== 'date' && kind !== 'datetime') return null;
  const text = formatIsoDate(value, system);
  // Excel's day 0 is not a calendar date: only its time is written.
  if (text === null) return system === '1900' && value >= 0 && value < 1 ? formatTime(value) : null;
  const [date, time] = text.split(/T/);
  if (date === NONEXISTENT_LEAP_DAY) return null;
  if (time !== undefined) return `${date} ${time}`;
  return kind === 'datetime' ? `${text} 00:00:00` : text;
}

/** Whether a number format shows a date or a time. */
export function isMomentFormat(format: string): boolean {
  const kind = formatClass(format);
  return kind === 'time' || kind === 'date' || kind === 'datetime';
}
