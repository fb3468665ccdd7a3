import { type DateSystem, formatClass, isoText, timeText } from '@cellwire/engine';

/** The day that only the 1900 system has. */
const FALSE_LEAP_DAY = '1900-02-29';

/**
 * A date, a time or both as text for files, to the microsecond, by what the number format shows: `2026-12-31`,
 * `2026-12-31 00:00:00`, `08:30:00`, `-25:30:00`. Null if the format shows none of these, or for a day that no calendar
 * has.
 */
export function momentText(value: number, format: string, system: DateSystem): string | null {
  const kind = formatClass(format);
  if (kind === 'time') return timeText(value);
  if (kind !== 'date' && kind !== 'datetime') return null;
  const text = isoText(value, system);
  // Excel's day 0 is no date of the calendar: only its time is shown.
  if (text === null) return system === '1900' && value >= 0 && value < 1 ? timeText(value) : null;
  const [date, time] = text.split(/T/);
  if (date === FALSE_LEAP_DAY) return null;
  if (time !== undefined) return `${date} ${time}`;
  return kind === 'datetime' ? `${text} 00:00:00` : text;
}
