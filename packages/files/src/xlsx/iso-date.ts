import { type DateSystem, splitSerial, toDateSerial } from '@cellwire/engine';

const ISO = /^(?:(\d{4})-(\d{2})-(\d{2}))?T?(?:(\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?)?Z?$/;
const DAY_SECONDS = 86_400;

/**
 * Returns the serial number of a cell of type `d`: an ISO 8601 date, time or both. Null for other texts, for days and
 * times that do not exist, and for days before the date system.
 */
export function parseIsoSerial(text: string, system: DateSystem): number | null {
  const match = ISO.exec(text);
  if (!match || (match[1] === undefined && match[4] === undefined)) return null;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0)) as IsoDateFields;
  const time = hour * 3600 + minute * 60 + second;
  if (minute > 59 || second >= 60 || time > DAY_SECONDS) return null;
  if (match[1] === undefined) return time / DAY_SECONDS;
  const date = toDateSerial(year, month, day, system);
  if (date < 0) return null;
  const parts = splitSerial(date, system);
  // Day 0 of the 1900 system is not a calendar date, but programs write times with its date.
  const exists = (parts.month === month && parts.day === day) || (date === 0 && month === 12 && day === 31);
  return exists ? date + time / DAY_SECONDS : null;
}

type IsoDateFields = [number, number, number, number, number, number];

/** Returns the number format for a cell with an ISO text that has no format of its own. */
export function chooseIsoFormat(text: string): string {
  if (!text.includes('-')) return 'hh:mm:ss';
  return text.includes(':') ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd';
}
