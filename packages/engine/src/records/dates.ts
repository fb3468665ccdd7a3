import { checkedSerial } from '../locale/calendar.ts';
import type { DateSystem } from '../locale/date-system.ts';
import { formatClass, isDateFormat, partsOf } from '../locale/index.ts';
import type { Snapshot } from '../sheet/snapshot.ts';

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?$/;
const DAY_MS = 86_400_000;
/** Characters of an ISO date, before its time. */
const DATE_LENGTH = 10;

/** A date as ISO text. */
export interface IsoDate {
  readonly serial: number;
  readonly timed: boolean;
}

/**
 * The serial number of an ISO text without a zone: `2026-03-26`, `2026-03-26T12:00`, with seconds and milliseconds.
 * Null for any other text, and for days that no calendar has or that lie before the date system.
 */
export function isoDate(text: string, system: DateSystem): IsoDate | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const days = checkedSerial(year, month, day, system);
  if (days === null) return null;
  const milliseconds = ((hour * 60 + minute) * 60 + second) * 1000 + Number((match[7] ?? '').padEnd(3, '0'));
  return { serial: days + milliseconds / DAY_MS, timed: match[4] !== undefined };
}

type Six = [number, number, number, number, number, number];

/** The serial number of the nearest millisecond: times are not exact in a serial number. */
export function nearestMoment(serial: number): number {
  return Math.round(serial * DAY_MS) / DAY_MS;
}

/** A serial number as ISO text: `2026-03-26`, with a time of day where it has one; null outside the years 0 to 9999. */
export function isoText(serial: number, system: DateSystem): string | null {
  if (!Number.isFinite(serial)) return null;
  const { year, month, day, hour, minute, second, millisecond } = partsOf(serial, system);
  if (year < 0 || year > 9999) return null;
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  if (hour + minute + second + millisecond === 0) return date;
  const time = `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
  return millisecond === 0 ? `${date}T${time}` : `${date}T${time}.${padded(millisecond, 3)}`;
}

/** A number in a cell of a date format as people exchange it: a date, or `12:00:00` for a time of day; else null. */
export function dateText({ formats, settings }: Snapshot, serial: number, format: number): string | null {
  const code = formats.code(format);
  if (!isDateFormat(code)) return null;
  const text = isoText(serial, settings.dateSystem);
  if (text === null || serial < 0 || serial >= 1 || formatClass(code) !== 'time') return text;
  return serial === 0 ? '00:00:00' : text.slice(DATE_LENGTH + 1);
}

function padded(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
