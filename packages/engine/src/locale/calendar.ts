import type { DateSystem } from './date-system.ts';

/** Milliseconds per day. */
export const DAY_MS = 86_400_000;
/** Seconds per day. */
export const DAY_SECONDS = 86_400;
/** Days between day 0 of the `google` system (1899-12-30) and 1970-01-01. */
const GOOGLE_EPOCH = 25_569;
/** Days between day 0 of the `google` system and 1904-01-01. */
const EPOCH_1904 = 1462;
/** The false leap day 1900-02-29 of the 1900 system. */
const FALSE_LEAP_DAY = 60;
const FIRST_LEAP_SERIAL_MONTH = 1900 * 12 + 2;

/** The parts of a serial number. `month` 1–12, `weekday` 0 (Sunday) – 6. */
interface DateParts {
  readonly year: number;
  readonly month: number;
  /** 1–31; 0 only for serial 0 of the 1900 system, which is shown as 1900-01-00. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  readonly weekday: number;
}

export function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days of a month (1–12) of the Gregorian calendar. */
export function countDaysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : MONTH_DAYS[month - 1]!;
}

/**
 * Days from 1970-01-01 to the first of a month. Years begin in March here, so that a leap day is the last day of a
 * year.
 */
function countDaysToMonth(year: number, month: number): number {
  const y = month <= 2 ? year - 1 : year;
  const fromMarch = (month + 9) % 12;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return y * 365 + leapDays + Math.floor((153 * fromMarch + 2) / 5) - 719_468;
}

/**
 * The serial number of a date; `month` counts from 1. As in DATE, months and days outside their range carry over: month
 * 13 is January of the next year, day 0 the last day of the previous month.
 */
export function toDateSerial(year: number, month: number, day: number, system: DateSystem): number {
  const months = year * 12 + (month - 1);
  const y = Math.floor(months / 12);
  const first = countDaysToMonth(y, months - y * 12 + 1) + GOOGLE_EPOCH;
  if (system === 'google') return first + day - 1;
  if (system === '1904') return first - EPOCH_1904 + day - 1;
  return first - (months < FIRST_LEAP_SERIAL_MONTH ? 1 : 0) + day - 1;
}

/** The calendar date of a whole serial number. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The date of a whole serial number, by the proleptic Gregorian calendar. */
export function toCalendarDate(day: number, system: DateSystem): CalendarDate {
  if (system === 'google') return epochDayToDate(day - GOOGLE_EPOCH);
  if (system === '1904') return epochDayToDate(day + EPOCH_1904 - GOOGLE_EPOCH);
  if (day === FALSE_LEAP_DAY) return { year: 1900, month: 2, day: 29 };
  if (day === 0) return { year: 1900, month: 1, day: 0 };
  return epochDayToDate(day - GOOGLE_EPOCH + (day < FALSE_LEAP_DAY ? 1 : 0));
}

function epochDayToDate(epochDay: number): CalendarDate {
  const z = epochDay + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
  };
}

/** The weekday of a whole serial number, 0 is Sunday. In the 1900 system serial 1 is a Sunday, as in Excel. */
export function toWeekday(day: number, system: DateSystem): number {
  const shifted = day + (system === '1904' ? 5 : 6);
  return ((shifted % 7) + 7) % 7;
}

/**
 * Splits a serial number, rounded to the millisecond, into date and time. Negative serials count backwards from day 0
 * (-0.25 is 18:00 of the previous day).
 */
export function splitSerial(serial: number, system: DateSystem): DateParts {
  let day = Math.floor(serial);
  let time = Math.round((serial - day) * DAY_MS);
  if (time >= DAY_MS) {
    day += 1;
    time = 0;
  }
  const { year, month, day: dayOfMonth } = toCalendarDate(day, system);
  return {
    year,
    month,
    day: dayOfMonth,
    hour: Math.floor(time / 3_600_000),
    minute: Math.floor(time / 60_000) % 60,
    second: Math.floor(time / 1000) % 60,
    millisecond: time % 1000,
    weekday: toWeekday(day, system),
  };
}

/**
 * True for whole days that a date system can show: from year 1 in the `google` system, from day 0 in Excel's systems,
 * to the year 9999 in all.
 */
export function isShownDay(day: number, system: DateSystem): boolean {
  const range = SHOWN_DAYS[system];
  return day >= range.first && day <= range.last;
}

const SHOWN_DAYS: Readonly<Record<DateSystem, { readonly first: number; readonly last: number }>> = {
  google: { first: toDateSerial(1, 1, 1, 'google'), last: toDateSerial(9999, 12, 31, 'google') },
  '1900': { first: 0, last: toDateSerial(9999, 12, 31, '1900') },
  '1904': { first: 0, last: toDateSerial(9999, 12, 31, '1904') },
};

/**
 * Returns the serial number of a typed date. Null if the calendar has no such date, or if it is before the first day of
 * the date system.
 */
export function toValidSerial(year: number, month: number, day: number, system: DateSystem): number | null {
  if (year < 1 || month < 1 || month > 12 || day < 1) return null;
  const falseLeapDay = system === '1900' && year === 1900 && month === 2 && day === 29;
  if (day > countDaysInMonth(year, month) && !falseLeapDay) return null;
  const serial = toDateSerial(year, month, day, system);
  return isShownDay(serial, system) && (serial > 0 || system !== '1900') ? serial : null;
}
