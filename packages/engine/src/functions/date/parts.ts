import { isShownDay } from '../../locale/calendar.ts';
import { toCalendarDate, toDateSerial, toWeekday } from '../../locale/index.ts';
import { type CellError, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { parseDateValue, toNumber } from '../coerce.ts';
import { define, withTraits } from '../define.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';

const DAY_SECONDS = 86_400;
/** Maximum hours, minutes or seconds of TIME. */
const MAX_TIME_PART = 32_767;
/** The first year that DATE does not change. It adds 1900 to smaller years. */
const FIRST_FULL_YEAR = 1900;
const LAST_YEAR = 9999;

/** The whole day of a serial number; `#NUM!` if the date system has no such day. */
export function toValidDay(serial: number, context: FunctionContext): number | CellError {
  const day = Math.floor(serial);
  return isShownDay(day, context.dateSystem) ? day : NUM;
}

/** A date argument of functions that refuse booleans (EDATE, WORKDAY and similar ones). */
export function parseDayArgument(value: Scalar, context: FunctionContext): number | CellError {
  if (typeof value === 'boolean') return VALUE;
  const serial = toNumber(value, context);
  return isError(serial) ? serial : toValidDay(serial, context);
}

/** Defines a function of one whole day, such as YEAR or MONTH. */
function defineDayFunction(name: string, run: (day: number, context: FunctionContext) => Scalar): FunctionSpec {
  return define('date', name, ['number'], (context, serial) => {
    const day = toValidDay(serial, context);
    return isError(day) ? day : run(day, context);
  });
}

/** Defines HOUR, MINUTE or SECOND, which round the time to the second. */
function defineTimeFunction(name: string, run: (seconds: number) => number): FunctionSpec {
  return define('date', name, ['number'], (context, serial) => {
    const day = toValidDay(serial, context);
    if (isError(day)) return day;
    return run(Math.round((serial - day) * DAY_SECONDS) % DAY_SECONDS);
  });
}

/** DATE: the serial number of a day; months and days may exceed their range. */
function computeDate(context: FunctionContext, year: number, month: number, day: number): Scalar {
  const full = year >= 0 && year < FIRST_FULL_YEAR ? year + FIRST_FULL_YEAR : year;
  // The months alone must not exceed the last year, even if negative days would return to it.
  if (full < 0 || full + Math.floor((month - 1) / 12) > LAST_YEAR) return NUM;
  const serial = toDateSerial(full, month, day, context.dateSystem);
  return isShownDay(serial, context.dateSystem) ? serial : NUM;
}

/** TIME: the fraction of a day; hours, minutes and seconds may exceed their range. */
function computeTime(hours: number, minutes: number, seconds: number): Scalar {
  if (Math.max(hours, minutes, seconds) > MAX_TIME_PART) return NUM;
  const total = hours * 3600 + minutes * 60 + seconds;
  return total < 0 ? NUM : (total % DAY_SECONDS) / DAY_SECONDS;
}

/** The serial number of a text with a date or time; `#VALUE!` for other texts. */
function readTextArgument(context: FunctionContext, text: string): number | CellError {
  return parseDateValue(context, text) ?? VALUE;
}

/** Returns the first day of the week (0 is Sunday) for a type of WEEKDAY or WEEKNUM. */
function findWeekStart(type: number): number | undefined {
  if (type === 1 || type === 17) return 0;
  if (type === 2 || type === 11) return 1;
  return type >= 12 && type <= 16 ? type - 10 : undefined;
}

/** WEEKDAY: the number of a day's weekday by a numbering type. */
function computeWeekday(day: number, type: number, context: FunctionContext): Scalar {
  const fromMonday = (toWeekday(day, context.dateSystem) + 6) % 7;
  if (type === 3) return fromMonday;
  const start = findWeekStart(type);
  return start === undefined ? NUM : ((fromMonday + 8 - start) % 7) + 1;
}

/** The ISO 8601 week number of a day. */
function computeIsoWeek(day: number, context: FunctionContext): number {
  const system = context.dateSystem;
  // The ISO year of a week is the year of its Thursday.
  const thursday = day - ((toWeekday(day, system) + 6) % 7) + 3;
  const first = toDateSerial(toCalendarDate(thursday, system).year, 1, 1, system);
  return Math.floor((thursday - first) / 7) + 1;
}

/** WEEKNUM: the week of a day by a numbering type. */
function computeWeekNumber(day: number, type: number, context: FunctionContext): Scalar {
  if (type === 21) return computeIsoWeek(day, context);
  const start = findWeekStart(type);
  if (start === undefined) return NUM;
  const system = context.dateSystem;
  const first = toDateSerial(toCalendarDate(day, system).year, 1, 1, system);
  const before = (toWeekday(first, system) + 7 - start) % 7;
  return Math.floor((day - first + before) / 7) + 1;
}

/** The first day of the month that is `months` after the month of a day. */
function findMonthStart(day: number, months: number, context: FunctionContext): number {
  const { year, month } = toCalendarDate(day, context.dateSystem);
  return toDateSerial(year, month + months, 1, context.dateSystem);
}

/** Defines EDATE or EOMONTH. */
function defineMonthShift(name: string, run: (day: number, months: number, context: FunctionContext) => number) {
  return define(
    'date',
    name,
    ['scalar', 'scalar'],
    (context, start, months) => {
      const day = parseDayArgument(start, context);
      if (isError(day)) return day;
      if (typeof months === 'boolean') return VALUE;
      const count = toNumber(months, context);
      if (isError(count)) return count;
      const shifted = run(day, Math.trunc(count), context);
      return isShownDay(shifted, context.dateSystem) ? shifted : NUM;
    },
    { format: 'date', monotone: 'always' },
  );
}

export const PARTS: readonly FunctionSpec[] = [
  withTraits(
    defineDayFunction('YEAR', (day, { dateSystem }) => toCalendarDate(day, dateSystem).year),
    { monotone: 'always' },
  ),
  defineDayFunction('MONTH', (day, { dateSystem }) => toCalendarDate(day, dateSystem).month),
  defineDayFunction('DAY', (day, { dateSystem }) => toCalendarDate(day, dateSystem).day),
  defineDayFunction('ISOWEEKNUM', computeIsoWeek),
  defineTimeFunction('HOUR', (seconds) => Math.floor(seconds / 3600)),
  defineTimeFunction('MINUTE', (seconds) => Math.floor(seconds / 60) % 60),
  defineTimeFunction('SECOND', (seconds) => seconds % 60),
  define('date', 'DATE', ['integer', 'integer', 'integer'], computeDate, { format: 'date' }),
  define('date', 'TIME', ['integer', 'integer', 'integer'], (_, h, m, s) => computeTime(h, m, s), { format: 'time' }),
  define('date', 'DATEVALUE', ['text'], (context, text) => {
    const serial = readTextArgument(context, text);
    return isError(serial) ? serial : Math.floor(serial);
  }),
  define('date', 'TIMEVALUE', ['text'], (context, text) => {
    const serial = readTextArgument(context, text);
    return isError(serial) ? serial : serial - Math.floor(serial);
  }),
  define('date', 'TODAY', [], (context) => Math.floor(context.now), { volatile: true, clock: 'day', format: 'date' }),
  define('date', 'NOW', [], (context) => context.now, { volatile: true, clock: 'time', format: 'datetime' }),
  define('date', 'WEEKDAY', ['number', 'integer?'], (context, serial, type = 1) => {
    const day = toValidDay(serial, context);
    return isError(day) ? day : computeWeekday(day, type, context);
  }),
  define('date', 'WEEKNUM', ['scalar', 'integer?'], (context, serial, type = 1) => {
    const day = parseDayArgument(serial, context);
    return isError(day) ? day : computeWeekNumber(day, type, context);
  }),
  defineMonthShift('EDATE', (day, months, context) => {
    const first = findMonthStart(day, months, context);
    const length = findMonthStart(day, months + 1, context) - first;
    return first + Math.min(toCalendarDate(day, context.dateSystem).day, length) - 1;
  }),
  defineMonthShift('EOMONTH', (day, months, context) => findMonthStart(day, months + 1, context) - 1),
];
