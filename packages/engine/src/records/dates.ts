import { DAY_MS, DAY_SECONDS, isShownDay, toValidSerial } from '../locale/calendar.ts';
import type { DateSystem } from '../locale/date-system.ts';
import { formatClass, isElapsedFormat, toCalendarDate } from '../locale/index.ts';
import type { Snapshot } from '../sheet/snapshot.ts';

/**
 * Kinds of moments. `date`: with or without a time of day. `time`: a time of day or an elapsed time. Moments of
 * different kinds are never compared.
 */
export type MomentKind = 'date' | 'time';

/** The meaning of a text in plain form. */
export interface Moment {
  readonly kind: MomentKind;
  readonly serial: number;
  /** True for a date with a time of day. */
  readonly timed: boolean;
}

/** The greatest first character of a text in plain form, which begins with a digit or a minus sign. */
const MAX_FIRST_CHARACTER = '9'.charCodeAt(0);
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?)?$/;
const TIME = /^(-?)(\d{2,8}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/;
/** Lengths of the shortest and the longest text in plain form: `08:30`, `2026-03-26T12:00:00.123456`. */
const MIN_TEXT_LENGTH = 5;
const MAX_TEXT_LENGTH = 26;

/** Microseconds per day. */
const DAY_US = DAY_MS * 1000;
const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
/** Maximum elapsed time in plain form, in days: as many days as there are up to the year 9999. */
const MAX_ELAPSED_DAYS = 2_958_466;

/**
 * Parses an ISO text without a zone: `2026-03-26`, `2026-03-26T12:00`, with optional seconds and up to six decimals.
 * Null for other texts, for days that do not exist, and for days before the first day of the date system.
 */
export function parseIsoDate(text: string, system: DateSystem): Moment | null {
  const match = ISO_DATE.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as MomentFields;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const days = toValidSerial(year, month, day, system);
  if (days === null) return null;
  const micros = hour * HOUR_US + minute * MINUTE_US + second * SECOND_US + parseMicroseconds(match[7]);
  return { kind: 'date', serial: days + micros / DAY_US, timed: match[4] !== undefined };
}

type MomentFields = [number, number, number, number, number, number];

/** Parses a time of day or an elapsed time: `08:30`, `08:30:00`, `-25:30:00.5`. Null for other texts. */
export function parseTime(text: string): Moment | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const hours = Number(match[2]);
  const micros = (hours % 24) * HOUR_US + Number(match[3]) * MINUTE_US;
  const serial =
    Math.floor(hours / 24) + (micros + Number(match[4] ?? 0) * SECOND_US + parseMicroseconds(match[5])) / DAY_US;
  if (serial >= MAX_ELAPSED_DAYS) return null;
  return { kind: 'time', serial: match[1] === '-' && serial !== 0 ? -serial : serial, timed: true };
}

/** Converts the decimals of a second to microseconds. */
function parseMicroseconds(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.padEnd(6, '0'));
}

/** Parses a date or a time in plain form; null for other texts. */
export function parseMoment(text: string, system: DateSystem): Moment | null {
  if (text.length < MIN_TEXT_LENGTH || text.length > MAX_TEXT_LENGTH) return null;
  if (text.charCodeAt(0) > MAX_FIRST_CHARACTER) return null;
  return parseIsoDate(text, system) ?? parseTime(text);
}

/** Whole days from day 0 of the date system, rounded down, and microseconds of that day. */
interface DayAndTime {
  readonly day: number;
  readonly micros: number;
}

/**
 * Splits a serial number into days and microseconds. Rounds to a whole second if the serial number, or its nearest
 * microsecond, differs from it by no more than the error of a rounded sum. Otherwise rounds to a whole millisecond if
 * that is the same number, else to the nearest microsecond. Splitting the serial number of the result gives the same
 * result.
 */
function splitDayAndTime(serial: number): DayAndTime {
  const day = Math.floor(serial);
  const part = serial - day;
  const second = Math.round(part * DAY_SECONDS);
  const wholeSecond = day + second / DAY_SECONDS;
  const error = Math.abs(serial) * Number.EPSILON;
  let micros = second * SECOND_US;
  if (Math.abs(serial - wholeSecond) > error) {
    const ms = Math.round(part * DAY_MS);
    const nearest = day + ms / DAY_MS === serial ? ms * 1000 : Math.round(part * DAY_US);
    if (Math.abs(day + nearest / DAY_US - wholeSecond) > error) micros = nearest;
  }
  return micros < DAY_US ? { day, micros } : { day: day + 1, micros: 0 };
}

/** Rounds a serial number to the moment that it represents, because serial numbers do not represent times exactly. */
export function roundToMoment(serial: number): number {
  const { day, micros } = splitDayAndTime(serial);
  return day + micros / DAY_US + 0;
}

/**
 * Formats a serial number as ISO text: `2026-03-26`, followed by the time of day if there is one. Null for days that
 * the date system does not have. `parseIsoDate` can parse every result.
 */
export function formatIsoDate(serial: number, system: DateSystem): string | null {
  if (!Number.isFinite(serial)) return null;
  const { day, micros } = splitDayAndTime(serial);
  if (!isShownDay(day, system) || (system === '1900' && day === 0)) return null;
  const civil = toCalendarDate(day, system);
  const date = `${padNumber(civil.year, 4)}-${padNumber(civil.month, 2)}-${padNumber(civil.day, 2)}`;
  return micros === 0 ? date : `${date}T${formatClock(0, micros)}`;
}

/**
 * Formats a serial number as time of day or elapsed time: `08:30:00`, `-25:30:00.5`. Null if it exceeds
 * `MAX_ELAPSED_DAYS`.
 */
export function formatTime(serial: number): string | null {
  const size = Math.abs(serial);
  // The negated condition is also true for NaN.
  if (!(size < MAX_ELAPSED_DAYS)) return null;
  const { day, micros } = splitDayAndTime(size);
  if (day >= MAX_ELAPSED_DAYS) return null;
  return serial < 0 && day + micros > 0 ? `-${formatClock(day, micros)}` : formatClock(day, micros);
}

/** Formats days and microseconds as `hours:minutes:seconds`; hours may exceed 24. */
function formatClock(days: number, micros: number): string {
  const hours = days * 24 + Math.floor(micros / HOUR_US);
  const minutes = Math.floor(micros / MINUTE_US) % 60;
  const seconds = Math.floor(micros / SECOND_US) % 60;
  const part = micros % SECOND_US;
  const text = `${padNumber(hours, 2)}:${padNumber(minutes, 2)}:${padNumber(seconds, 2)}`;
  if (part === 0) return text;
  return `${text}.${part % 1000 === 0 ? padNumber(part / 1000, 3) : padNumber(part, 6)}`;
}

/** Returns the kind of moments that a number format shows; null for other formats. */
export function detectMomentKind(code: string): MomentKind | null {
  if (code === '' || code === 'General') return null;
  const kind = formatClass(code);
  if (kind === 'time') return kind;
  return kind === 'date' || kind === 'datetime' ? 'date' : null;
}

/**
 * Converts a number of a cell to another date system. If the format shows dates, the result is the serial number of the
 * same date; other numbers do not change. A date that the other system does not have becomes its ISO text.
 */
export function convertSerial(serial: number, code: string, from: DateSystem, to: DateSystem): number | string {
  if (from === to || detectMomentKind(code) !== 'date') return serial;
  const text = formatIsoDate(serial, from);
  if (text === null) return serial;
  const day = Math.floor(serial);
  const { year, month, day: dayOfMonth } = toCalendarDate(day, from);
  const converted = toValidSerial(year, month, dayOfMonth, to);
  return converted === null ? text : converted + (serial - day);
}

/** True if the number of a cell with a time format is an elapsed time. */
export function isElapsed(serial: number, code: string): boolean {
  return serial < 0 || serial >= 1 || isElapsedFormat(code);
}

/** Returns a number in plain form if its format shows a date or time; else null. */
export function formatMomentText({ formats, settings }: Snapshot, serial: number, format: number): string | null {
  const kind = detectMomentKind(formats.code(format));
  if (kind === null) return null;
  return kind === 'date' ? formatIsoDate(serial, settings.dateSystem) : formatTime(serial);
}

/** A number with zeros before it up to a length. */
function padNumber(value: number, length: number): string {
  return String(value).padStart(length, '0');
}
