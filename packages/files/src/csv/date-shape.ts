import { getLocale, type LocaleId, parseDateText, recogniseDate } from '@cellwire/engine';

/** The parsed form of a date, a time or both. */
export interface DateShape {
  /**
   * The text in the form that the parser of typed input can read: 24-hour times without fractions of a second. Dates
   * with month names are unchanged.
   */
  readonly text: string;
  /** Fraction of a second, in microseconds. */
  readonly fraction: number;
  /** True if the month is a word. */
  readonly named: boolean;
  /** True if the time has AM or PM. */
  readonly halves: boolean;
  /** A duration in days, if it is negative or longer than typed input allows. */
  readonly elapsed?: number;
}

/**
 * Matches nearly all dates, which have only digits. The first group is the separator, the others are fractions of a
 * second.
 */
const PLAIN_DATE =
  /^(?:\d{1,4}([-./])\d{1,2}\1\d{1,4}(?:[ T]\d{1,2}:\d{2}(?::\d{2}(\.\d{1,9})?)?)?|\d{1,2}:\d{2}(?::\d{2}(\.\d{1,9})?)?)$/;
/** Matches a duration in the form that exports write. The seconds distinguish it from ratios and scores. */
const DURATION = /^(-?)(\d{2,9}):([0-5]\d):([0-5]\d)(\.\d{1,9})?$/;
/** Maximum number of hours in typed input. */
const MAX_TYPED_HOURS = 99;
/** Matches a character that telephone numbers do not contain. */
const NO_DIGIT_OR_BLANK = /[^\d +]/;
const LETTER = /\p{L}/u;
const TIME =
  '(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?<part>\\.\\d{1,9})?)?(?: ?(?<half>[ap])\\.?m\\.?)?';
const TWELVE_HOUR = new RegExp(`^(?:(?<day>\\d{1,4}([-./])\\d{1,2}\\2\\d{1,4})[ T])?${TIME}$`, 'i');
const YEAR_FIRST = /^(\d{4})[./](\d{1,2})[./]/;
/**
 * Matches a date with hyphens and a year of four digits at the end. Its hyphens have the meaning of slashes; shorter
 * forms are ambiguous.
 */
const HYPHENED = /^(\d{1,2})-(\d{1,2})-(\d{4})(?!\d)/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\//;
/**
 * Dates with the month in letters and a year: `31-Dec-2025`, `31-Dec-25`, `31 December 2025`, `31. Dezember 2025`, `Dec
 * 31, 2025`.
 */
const NAMED_DAY =
  '\\d{1,2}([- ])\\p{L}{3,10}\\.?\\2\\d{4}|\\d{1,2}-\\p{L}{3,10}-\\d{2}|\\d{1,2}\\. \\p{L}{3,10}\\.? \\d{4}|\\p{L}{3,10}\\.? \\d{1,2},? \\d{4}';
const NAMED_DATE = new RegExp(`^(?<day>${NAMED_DAY})(?: ${TIME})?$`, 'iu');
const DAY_SECONDS = 86_400;
const SECOND_MICROSECONDS = 1_000_000;
const DAY_MICROSECONDS = DAY_SECONDS * SECOND_MICROSECONDS;
const HALF_HOURS = 12;

export function parseDateShape(text: string): DateShape | null {
  if (!NO_DIGIT_OR_BLANK.test(text)) return null;
  const elapsed = parseDuration(text);
  if (elapsed !== null) return elapsed;
  const plain = PLAIN_DATE.exec(text);
  if (plain) {
    const part = plain[2] ?? plain[3];
    const whole = part === undefined ? text : text.slice(0, -part.length);
    return { text: normalizeSeparators(whole), fraction: toMicroseconds(part), named: false, halves: false };
  }
  return LETTER.test(text) ? parseWordedDate(text) : null;
}

function parseDuration(text: string): DateShape | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const [, sign = '', hours = '', minutes, seconds, part] = match;
  if (sign === '' && Number(hours) <= MAX_TYPED_HOURS) return null;
  const days = Math.floor(Number(hours) / 24);
  const whole = ((Number(hours) % 24) * 60 + Number(minutes)) * 60 + Number(seconds);
  const size = toSerial(days, whole * SECOND_MICROSECONDS + toMicroseconds(part));
  return { text, fraction: 0, named: false, halves: false, elapsed: sign === '' ? size : -size };
}

/** A date with a month's name or a time with AM or PM; null for other texts. */
function parseWordedDate(text: string): DateShape | null {
  const named = NAMED_DATE.exec(text);
  const match = named ?? TWELVE_HOUR.exec(text);
  if (!match?.groups) return null;
  const { day = '', hour, minute = '', second, part, half } = match.groups;
  const hours = hour === undefined ? null : toHour24(Number(hour), half?.toLowerCase());
  if (hours === undefined) return null;
  const time = hours === null ? '' : `${String(hours).padStart(2, '0')}:${minute}${second ? `:${second}` : ''}`;
  return {
    text: `${normalizeSeparators(day)} ${time}`.trim(),
    fraction: toMicroseconds(part),
    named: named !== null,
    halves: half !== undefined,
  };
}

/** Writes a date with a leading year with hyphens, and a date with hyphens and the year at the end with slashes. */
function normalizeSeparators(text: string): string {
  return text.replace(YEAR_FIRST, '$1-$2-').replace(HYPHENED, '$1/$2/$3');
}

/** The microseconds of a fraction of a second such as `.25`; 0 if absent. */
function toMicroseconds(part: string | undefined): number {
  return part === undefined ? 0 : Number(part) * SECOND_MICROSECONDS;
}

/** The hour in 24-hour form; undefined if AM or PM is combined with an invalid hour. */
function toHour24(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour;
  if (hour < 1 || hour > HALF_HOURS) return undefined;
  return (hour % HALF_HOURS) + (half === 'p' ? HALF_HOURS : 0);
}

/** Returns the two numbers before the year of a date with slashes; one of them is the day. Null for other dates. */
export function findSlashedPair({ text }: DateShape): readonly [number, number] | null {
  const match = SLASHED.exec(text);
  return match && [Number(match[1]), Number(match[2])];
}

/**
 * Returns the serial number and the number format in the document's locale. Null if no calendar has the day, or if the
 * order of day and month is not known.
 */
export function toDateValue(
  shape: DateShape,
  slashOrder: 'dmy' | 'mdy' | null,
  locale: LocaleId,
): { readonly value: number; readonly format: string } | null {
  if (shape.elapsed !== undefined) return { value: shape.elapsed, format: '[h]:mm:ss' };
  if (slashOrder === null && findSlashedPair(shape) !== null) return null;
  const parsedDate = shape.named
    ? parseNamedDate(shape.text, locale)
    : recogniseDate(shape.text, locale, 'google', slashOrder ?? undefined);
  if (parsedDate === null) return null;
  const halves = shape.halves && locale.startsWith('en-');
  const format = halves ? parsedDate.format.replace(/\bhh(:mm(?::ss)?)$/, 'h$1 AM/PM') : parsedDate.format;
  return { value: addMicroseconds(parsedDate.value, shape.fraction), format };
}

/** Adds microseconds to a serial number and rounds once. Rounding twice would merge neighbouring microseconds. */
function addMicroseconds(value: number, microseconds: number): number {
  if (microseconds === 0) return value;
  const day = Math.floor(value);
  const time = Math.round((value - day) * DAY_SECONDS) * SECOND_MICROSECONDS + microseconds;
  return toSerial(day, time);
}

/** Days and microseconds as one number, rounded once if their sum is exact. */
function toSerial(days: number, microseconds: number): number {
  const total = days * DAY_MICROSECONDS + microseconds;
  return Math.abs(total) <= Number.MAX_SAFE_INTEGER ? total / DAY_MICROSECONDS : days + microseconds / DAY_MICROSECONDS;
}

/** The serial number and number format of a date with a month's name; null for other texts. */
function parseNamedDate(text: string, locale: LocaleId): { readonly value: number; readonly format: string } | null {
  const [, day = text, time = ''] = /^(.*?)(?: (\d{2}:\S+))?$/.exec(text) ?? [];
  const value = parseDateText(day, locale, 'google');
  if (value === null) return null;
  const timed = time === '' ? { value: 0, format: '' } : recogniseDate(time, locale, 'google');
  return timed && { value: value + timed.value, format: `${getLocale(locale).dateFormat} ${timed.format}`.trim() };
}
