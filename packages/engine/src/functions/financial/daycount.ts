import type { CalendarDate } from '../../locale/calendar.ts';
import { countDaysInMonth, type DateSystem, toCalendarDate, toDateSerial } from '../../locale/index.ts';

/** 0: US 30/360, 1: actual/actual, 2: actual/360, 3: actual/365, 4: European 30/360. */
export type DayCountBasis = 0 | 1 | 2 | 3 | 4;

function isFebruaryEnd(date: CalendarDate): boolean {
  return date.month === 2 && date.day === countDaysInMonth(date.year, 2);
}

function countDays30(from: CalendarDate, fromDay: number, to: CalendarDate, toDay: number): number {
  return (to.year - from.year) * 360 + (to.month - from.month) * 30 + toDay - fromDay;
}

/**
 * Days between two dates by the US 30/360 rule. `alwaysRoundsEnd`: an end date at the end of a month becomes day 30 in
 * any case (as for a whole coupon period); otherwise only if the start date is also the end of a month.
 */
export function countDays360Us(start: number, end: number, alwaysRoundsEnd: boolean, system: DateSystem): number {
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  let fromDay = from.day;
  let toDay = to.day;
  if (isFebruaryEnd(to) && (isFebruaryEnd(from) || alwaysRoundsEnd)) toDay = 30;
  if (toDay === 31 && (fromDay >= 30 || alwaysRoundsEnd)) toDay = 30;
  if (fromDay === 31 || isFebruaryEnd(from)) fromDay = 30;
  return countDays30(from, fromDay, to, toDay);
}

function countDays360European(start: number, end: number, system: DateSystem): number {
  const from = toCalendarDate(start, system);
  const to = toCalendarDate(end, system);
  return countDays30(from, Math.min(from.day, 30), to, Math.min(to.day, 30));
}

/** Days between two dates by the rules of a basis. */
export function countDaysBetween(start: number, end: number, basis: DayCountBasis, system: DateSystem): number {
  if (basis === 0) return countDays360Us(start, end, false, system);
  return basis === 4 ? countDays360European(start, end, system) : end - start;
}

/** Adds months to a date. `monthEnd`: the result is the end of its month. */
export function addMonths(date: number, months: number, monthEnd: boolean, system: DateSystem): number {
  const { year, month, day } = toCalendarDate(date, system);
  const total = year * 12 + month - 1 + months;
  const toYear = Math.floor(total / 12);
  const toMonth = total - toYear * 12 + 1;
  const last = countDaysInMonth(toYear, toMonth);
  return toDateSerial(toYear, toMonth, monthEnd ? last : Math.min(day, last), system);
}

export function isMonthEnd(date: number, system: DateSystem): boolean {
  const { year, month, day } = toCalendarDate(date, system);
  return day === countDaysInMonth(year, month);
}

/** Months from one date's month to another's. */
export function countMonthsBetween(from: number, to: number, system: DateSystem): number {
  const a = toCalendarDate(from, system);
  const b = toCalendarDate(to, system);
  return (b.year - a.year) * 12 + b.month - a.month;
}
