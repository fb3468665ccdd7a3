import { isShownDay } from '../../locale/calendar.ts';
import { type DateSystem, type LocaleId, toWeekday } from '../../locale/index.ts';
import { type CellError, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define } from '../define.ts';
import { sortNumbers } from '../numeric/summary.ts';
import { reserveMap } from '../reserve-memory.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Matrix } from '../value.ts';
import { parseDayArgument } from './parts.ts';

/** True for workdays, Monday first. */
type WorkWeek = readonly boolean[];

const STANDARD_WEEK: WorkWeek = [true, true, true, true, true, false, false];
const DAYS_A_WEEK = 7;
/** The cost of reading a holiday, in cells. */
const HOLIDAY_WORK = 4;
const WEEK_TEXT = /^[01]{7}$/;

/**
 * Parses a weekend argument: a code (1–7: two days, the first of them from Saturday on; 11–17: one day, from Sunday on)
 * or a text of seven digits 0 and 1.
 */
function readWeek(value: Scalar, context: FunctionContext): WorkWeek | CellError {
  if (isError(value)) return value;
  if (value === null || typeof value === 'boolean') return VALUE;
  if (typeof value === 'string') return WEEK_TEXT.test(value) ? [...value].map((c) => c === '0') : VALUE;
  const code = Math.trunc(toNumber(value, context) as number);
  if (code >= 1 && code <= 7) return STANDARD_WEEK.map((_, i) => i !== (code + 4) % 7 && i !== (code + 5) % 7);
  if (code >= 11 && code <= 17) return STANDARD_WEEK.map((_, i) => i !== (code - 5) % 7);
  return NUM;
}

/** Parses a week as in OpenFormula (6.10.14): seven numbers, Sunday first; all except 0 are days off. */
function readWeekOfNumbers(list: Matrix, context: FunctionContext): WorkWeek | CellError {
  if (list.length !== DAYS_A_WEEK) return VALUE;
  const worked: boolean[] = [];
  for (const scalar of list.data) {
    const off = toNumber(scalar, context);
    if (isError(off)) return off;
    worked.push(off === 0);
  }
  return [...worked.slice(1), worked[0]!];
}

/** A working week and the holidays that fall on its workdays. */
class WorkCalendar {
  private readonly system: DateSystem;
  private readonly week: WorkWeek;
  /** Holidays on workdays, ascending. */
  private readonly holidays: readonly number[];
  readonly daysAWeek: number;

  constructor(system: DateSystem, week: WorkWeek, holidays: readonly number[]) {
    this.system = system;
    this.week = week;
    this.daysAWeek = week.filter((worked) => worked).length;
    this.holidays = holidays.filter((day) => this.isWeekWorkday(day));
  }

  /** True if a day is a workday of the week, even if it is a holiday. */
  private isWeekWorkday(day: number): boolean {
    return this.week[(toWeekday(day, this.system) + 6) % 7]!;
  }

  /** The number of holidays before a day. */
  private countHolidaysBefore(day: number): number {
    let low = 0;
    let high = this.holidays.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.holidays[middle]! < day) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of workdays between two days, both included. */
  countWorkdays(from: number, to: number): number {
    const days = to - from + 1;
    let worked = Math.floor(days / 7) * this.daysAWeek;
    for (let day = to - (days % 7) + 1; day <= to; day++) if (this.isWeekWorkday(day)) worked++;
    return worked - (this.countHolidaysBefore(to + 1) - this.countHolidaysBefore(from));
  }

  /** Returns the day `steps` workdays after (or before) a day, ignoring holidays. */
  private stepWorkdays(from: number, steps: number, direction: 1 | -1): number {
    let left = steps % this.daysAWeek;
    let day = from + direction * 7 * Math.floor(steps / this.daysAWeek);
    // The result must be a workday. If the steps are whole weeks, the last week is therefore walked day by day.
    if (left === 0 && steps > 0) {
      left = this.daysAWeek;
      day -= direction * 7;
    }
    while (left > 0) {
      day += direction;
      if (this.isWeekWorkday(day)) left--;
    }
    return day;
  }

  /** Returns the workday `steps` workdays after (or before) a day. Every holiday between adds a step. */
  addWorkdays(from: number, steps: number, direction: 1 | -1): number {
    let day = from;
    let left = steps;
    while (left > 0) {
      const next = this.stepWorkdays(day, left, direction);
      left =
        direction > 0
          ? this.countHolidaysBefore(next + 1) - this.countHolidaysBefore(day + 1)
          : this.countHolidaysBefore(day) - this.countHolidaysBefore(next);
      day = next;
    }
    return day;
  }
}

/** The distinct days of a list of holidays, ascending, and their calendars. */
interface HolidayList {
  readonly dateSystem: DateSystem;
  readonly locale: LocaleId;
  readonly days: readonly number[] | CellError;
  /** Calendars with these holidays, by the text of their working week. */
  readonly calendars: Map<string, WorkCalendar>;
}

/**
 * Holidays by their matrix: a function that is called per element of an array passes the same matrix each time.
 * Matrices never change.
 */
const HOLIDAY_LISTS = new WeakMap<Matrix, HolidayList>();

/** The distinct days of a list of holidays; cached for the formulas that use the same list. */
function getHolidays(context: FunctionContext, list: Matrix | undefined): HolidayList {
  const { dateSystem, locale } = context;
  const cached = list && HOLIDAY_LISTS.get(list);
  if (cached && cached.dateSystem === dateSystem && cached.locale === locale) return cached;
  const days = list ? readHolidays(context, list) : [];
  const holidays = { dateSystem, locale, days, calendars: new Map<string, WorkCalendar>() };
  if (list) HOLIDAY_LISTS.set(list, holidays);
  return holidays;
}

function readHolidays(context: FunctionContext, list: Matrix): readonly number[] | CellError {
  const days = new Set<number>();
  for (const scalar of list.data) {
    context.reportWork(HOLIDAY_WORK);
    reserveMap(context, days.size);
    if (scalar === null) continue;
    const day = typeof scalar === 'boolean' ? VALUE : toNumber(scalar, context);
    if (isError(day)) return day;
    days.add(Math.floor(day));
  }
  return [...sortNumbers([...days], context)];
}

/** A weekend argument: a code or text, numbers of a week, or nothing. */
type WeekendArgument = Scalar | Matrix | undefined;

/** The calendar for the weekend and holiday arguments of a function. */
function getCalendar(context: FunctionContext, weekend: WeekendArgument, list: Matrix | undefined) {
  const week =
    weekend instanceof Matrix
      ? readWeekOfNumbers(weekend, context)
      : readWeek(weekend === undefined ? 1 : weekend, context);
  if (isError(week)) return week;
  const { days, calendars } = getHolidays(context, list);
  if (isError(days)) return days;
  const key = week.join();
  const cached = calendars.get(key);
  if (cached) return cached;
  const calendar = new WorkCalendar(context.dateSystem, week, days);
  calendars.set(key, calendar);
  return calendar;
}

/** NETWORKDAYS: the number of workdays between two days, both included; negative if the end is earlier. */
function countNetworkDays(
  context: FunctionContext,
  start: Scalar,
  end: Scalar,
  weekend: WeekendArgument,
  holidays: Matrix | undefined,
): Scalar {
  const from = parseDayArgument(start, context);
  if (isError(from)) return from;
  const to = parseDayArgument(end, context);
  if (isError(to)) return to;
  const calendar = getCalendar(context, weekend, holidays);
  if (isError(calendar)) return calendar;
  return from <= to ? calendar.countWorkdays(from, to) : -calendar.countWorkdays(to, from);
}

/** WORKDAY: the day that is a number of workdays after (or before) a day. */
function findWorkday(
  context: FunctionContext,
  start: Scalar,
  days: Scalar,
  weekend: WeekendArgument,
  holidays: Matrix | undefined,
): Scalar {
  const from = parseDayArgument(start, context);
  if (isError(from)) return from;
  const count = typeof days === 'boolean' ? VALUE : toNumber(days, context);
  if (isError(count)) return count;
  const calendar = getCalendar(context, weekend, holidays);
  if (isError(calendar)) return calendar;
  if (calendar.daysAWeek === 0) return VALUE;
  const steps = Math.trunc(count);
  // No date system has more days, so a greater count gives a day outside of it.
  if (Math.abs(steps) > MAX_STEPS) return NUM;
  const day = calendar.addWorkdays(from, Math.abs(steps), steps < 0 ? -1 : 1);
  return isShownDay(day, context.dateSystem) ? day : NUM;
}

/** Days from year 1 to 9999. */
const MAX_STEPS = 3_652_059;

export const WORKDAYS: readonly FunctionSpec[] = [
  define('date', 'NETWORKDAYS', ['scalar', 'scalar', 'matrix??', 'matrix??'], (context, start, end, holidays, week) =>
    countNetworkDays(context, start, end, week, holidays),
  ),
  define('date', 'NETWORKDAYS.INTL', ['scalar', 'scalar', 'scalar??', 'matrix??'], countNetworkDays),
  define(
    'date',
    'WORKDAY',
    ['scalar', 'scalar', 'matrix??'],
    (context, start, days, holidays) => findWorkday(context, start, days, undefined, holidays),
    { format: 'date' },
  ),
  define('date', 'WORKDAY.INTL', ['scalar', 'scalar', 'scalar??', 'matrix??'], findWorkday, { format: 'date' }),
];
