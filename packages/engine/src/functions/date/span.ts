import { type CalendarDate, isShownDay } from '../../locale/calendar.ts';
import { countDaysInMonth, type DateSystem, isLeapYear, toCalendarDate, toDateSerial } from '../../locale/index.ts';
import { type CellError, NUM } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define } from '../define.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { parseDayArgument, toValidDay } from './parts.ts';

function isFebruaryEnd(date: CalendarDate): boolean {
  return date.month === 2 && date.day === countDaysInMonth(date.year, 2);
}

/**
 * Days between two dates with months of 30 days. `fromDay`, `toDay`: the days of the month after the rules for month
 * ends.
 */
function countDays30(from: CalendarDate, fromDay: number, to: CalendarDate, toDay: number): number {
  return (to.year - from.year) * 360 + (to.month - from.month) * 30 + (toDay - fromDay);
}

/** Days between two dates with months of 30 days, by the US (NASD) rules unless `european`. */
function countDays360(start: number, end: number, european: boolean, system: DateSystem): number {
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  if (european) return countDays30(from, Math.min(from.day, 30), to, Math.min(to.day, 30));
  const fromDay = isFebruaryEnd(from) ? 30 : Math.min(from.day, 30);
  // An end on the 31st counts as the first of the next month, unless the start is also the end of a month.
  const toDay = to.day === 31 && fromDay === 30 ? 30 : to.day;
  return countDays30(from, fromDay, to, toDay);
}

/** The 30/360 day count of securities (basis 0). It treats both dates alike at the end of February. */
function countSecurityDays(start: number, end: number, system: DateSystem): number {
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  let fromDay = from.day;
  let toDay = to.day;
  if (isFebruaryEnd(from) && isFebruaryEnd(to)) toDay = 30;
  if (isFebruaryEnd(from)) fromDay = 30;
  if (toDay === 31 && fromDay >= 30) toDay = 30;
  if (fromDay === 31) fromDay = 30;
  return countDays30(from, fromDay, to, toDay);
}

/** True if one of the days from `start` to `end`, both included, is a 29 February. */
function hasLeapDay(start: number, end: number, system: DateSystem): boolean {
  for (let { year } = toCalendarDate(start, system); year <= toCalendarDate(end, system).year; year++) {
    if (!isLeapYear(year)) continue;
    const leapDay = toDateSerial(year, 2, 29, system);
    if (leapDay >= start && leapDay <= end) return true;
  }
  return false;
}

/**
 * The length of a year for actual/actual (basis 1): the length of the single year, or the mean of all years that
 * contain days of the span.
 */
function computeYearLength(start: number, end: number, system: DateSystem): number {
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  if (from.year === to.year) return isLeapYear(from.year) ? 366 : 365;
  const beforeAnniversary = to.month < from.month || (to.month === from.month && to.day <= from.day);
  if (to.year === from.year + 1 && beforeAnniversary) return hasLeapDay(start, end, system) ? 366 : 365;
  const years = to.year - from.year + 1;
  return (toDateSerial(to.year + 1, 1, 1, system) - toDateSerial(from.year, 1, 1, system)) / years;
}

/** The share of a year between two days by a day-count basis, 0–4. */
export function computeYearFraction(a: number, b: number, basis: number, system: DateSystem): number | CellError {
  const start = Math.min(a, b);
  const end = Math.max(a, b);
  switch (basis) {
    case 0:
      return countSecurityDays(start, end, system) / 360;
    case 1:
      return (end - start) / computeYearLength(start, end, system);
    case 2:
      return (end - start) / 360;
    case 3:
      return (end - start) / 365;
    case 4:
      return countDays360(start, end, true, system) / 360;
    default:
      return NUM;
  }
}

/** Whole months between two dates. */
function countWholeMonths(from: CalendarDate, to: CalendarDate): number {
  const months = (to.year - from.year) * 12 + to.month - from.month;
  return to.day < from.day ? months - 1 : months;
}

/** DATEDIF as in Excel: `MD` uses the length of the month before the end, and may be negative. */
function computeDateDifference(start: number, end: number, unit: string, system: DateSystem): Scalar {
  if (start > end) return NUM;
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  switch (unit.toUpperCase()) {
    case 'Y':
      return Math.floor(countWholeMonths(from, to) / 12);
    case 'M':
      return countWholeMonths(from, to);
    case 'D':
      return end - start;
    case 'YM':
      return countWholeMonths(from, to) % 12;
    case 'MD': {
      if (to.day >= from.day) return to.day - from.day;
      const before = to.month === 1 ? 31 : countDaysInMonth(to.year, to.month - 1);
      return before - from.day + to.day;
    }
    case 'YD': {
      const sameYear = toDateSerial(from.year, to.month, to.day, system);
      return (sameYear >= start ? sameYear : toDateSerial(from.year + 1, to.month, to.day, system)) - start;
    }
    default:
      return NUM;
  }
}

/** Two day arguments, or the first error among them. */
function readDays(context: FunctionContext, a: Scalar, b: Scalar): readonly [number, number] | CellError {
  const first = parseDayArgument(a, context);
  if (isError(first)) return first;
  const second = parseDayArgument(b, context);
  return isError(second) ? second : [first, second];
}

export const SPAN: readonly FunctionSpec[] = [
  define('date', 'DAYS', ['number', 'number'], (context, end, start) => {
    const last = toValidDay(end, context);
    if (isError(last)) return last;
    const first = toValidDay(start, context);
    return isError(first) ? first : last - first;
  }),
  define('date', 'DAYS360', ['number', 'number', 'boolean?'], (context, start, end, european = false) => {
    const first = Math.floor(start);
    const last = Math.floor(end);
    const system = context.dateSystem;
    if (!isShownDay(first, system) || !isShownDay(last, system)) return NUM;
    return countDays360(first, last, european, system);
  }),
  define('date', 'DATEDIF', ['scalar', 'scalar', 'text'], (context, start, end, unit) => {
    const days = readDays(context, start, end);
    return isError(days) ? days : computeDateDifference(days[0], days[1], unit, context.dateSystem);
  }),
  define('date', 'YEARFRAC', ['scalar', 'scalar', 'integer?'], (context, start, end, basis = 0) => {
    const days = readDays(context, start, end);
    return isError(days) ? days : computeYearFraction(days[0], days[1], basis, context.dateSystem);
  }),
];
