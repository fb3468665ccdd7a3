import { toValidSerial } from '@cellwire/engine';
import { COLON, isDigit, MINUS, POINT, SPACE, ZERO } from './plain-bytes.ts';

const SLASH = 0x2f;
const LETTER_T = 0x54;
const SECONDS_PER_DAY = 86_400;
const MAX_YEAR_DIGITS = 4;
/** Special value: there is no number. */
const NO_NUMBER = -1;
/** The first two-digit year that means the 20th century; smaller ones mean the 21st. */
const CENTURY_PIVOT = 30;
const MAX_DAY_HOUR = 23;
/** Length of `HH:mm:ss`. */
const PROGRAM_TIME_LENGTH = 8;

type SlashOrder = 'dmy' | 'mdy' | null;

/** The parts of a number format that show a date or a time. */
export interface DateForm {
  readonly hasDay: boolean;
  readonly time: '' | 'hh:mm' | 'hh:mm:ss' | '[h]:mm:ss';
}

/** All forms. They are constants, so that a format can be found by identity. */
export const DATE_FORMS = [
  { hasDay: true, time: '' },
  { hasDay: true, time: 'hh:mm' },
  { hasDay: true, time: 'hh:mm:ss' },
  { hasDay: false, time: 'hh:mm' },
  { hasDay: false, time: 'hh:mm:ss' },
  { hasDay: false, time: '[h]:mm:ss' },
] as const satisfies readonly DateForm[];
const [DAY_FORM, DAY_MINUTES_FORM, DAY_SECONDS_FORM, MINUTES_FORM, SECONDS_FORM, ELAPSED_FORM] = DATE_FORMS;

/**
 * Reads dates and times that consist of digits: `2026-12-31`, `31.12.2026`, `31.12.26`, `12/31/2026`, each with an
 * optional `HH:mm[:ss]`, and `HH:mm[:ss]` alone, as `parseDateShape` and `toDateValue` do.
 */
export class PlainDate {
  /** The date that was read last: its serial number in the `google` system. */
  serial = 0;
  /** Its form. */
  form: DateForm = DAY_FORM;
  /** True if programs write dates in this form for other programs (`isProgramForm`). */
  isProgramForm = false;
  /** True if a blank separates the date from its time. */
  hasBlank = false;
  /** The two numbers before the year of a date with slashes; 0 for other dates. */
  first = 0;
  second = 0;
  /** Position after the digits that were read last. */
  private at = 0;
  /** Number of these digits. */
  private digits = 0;
  /** The last day as a number `yyyymmdd`, and its serial number. Most columns repeat days. */
  private dayKey = NO_NUMBER;
  private daySerial: number | null = null;

  /** Reads a whole field. Returns false if it is no date in one of these forms, or if no calendar has the day. */
  readDate(bytes: Uint8Array, start: number, end: number, slashOrder: SlashOrder): boolean {
    const first = this.readDigits(bytes, start, end);
    if (first === NO_NUMBER || this.digits > MAX_YEAR_DIGITS || this.at >= end) return false;
    const separator = bytes[this.at];
    this.first = 0;
    this.second = 0;
    this.hasBlank = false;
    if (separator === COLON) {
      if (!this.readTime(bytes, start, end, 0)) return false;
      this.isProgramForm = end - start === PROGRAM_TIME_LENGTH;
      return true;
    }
    const serial = this.readDay(bytes, end, first, separator, slashOrder);
    if (serial === null) return false;
    if (this.at < end) return this.readTimeOfDay(bytes, end, serial);
    this.serial = serial;
    this.form = DAY_FORM;
    return true;
  }

  /** Reads the rest of a date after its first number. Returns its serial number; null for other texts. */
  private readDay(
    bytes: Uint8Array,
    end: number,
    first: number,
    separator: number | undefined,
    slashOrder: SlashOrder,
  ): number | null {
    if (separator !== MINUS && separator !== POINT && separator !== SLASH) return null;
    const firstDigits = this.digits;
    const second = this.readDigits(bytes, this.at + 1, end);
    const secondDigits = this.digits;
    if (second === NO_NUMBER || secondDigits > 2 || bytes[this.at] !== separator) return null;
    const third = this.readDigits(bytes, this.at + 1, end);
    if (third === NO_NUMBER) return null;
    if (firstDigits === MAX_YEAR_DIGITS) {
      this.isProgramForm = separator === MINUS && secondDigits === 2 && this.digits === 2;
      return this.digits <= 2 ? this.findSerial(first, second, third) : null;
    }
    this.isProgramForm = false;
    const isShort = this.digits === 2 && firstDigits === 2 && secondDigits === 2 && separator !== MINUS;
    if (firstDigits > 2 || !(isShort || this.digits === MAX_YEAR_DIGITS)) return null;
    const year = isShort ? third + (third < CENTURY_PIVOT ? 2000 : 1900) : third;
    if (separator === POINT) return this.findSerial(year, second, first);
    this.first = first;
    this.second = second;
    if (slashOrder === null) return null;
    return slashOrder === 'mdy' ? this.findSerial(year, first, second) : this.findSerial(year, second, first);
  }

  private readTimeOfDay(bytes: Uint8Array, end: number, serial: number): boolean {
    const dayEnd = this.at;
    const isIso = bytes[dayEnd] === LETTER_T && this.isProgramForm;
    this.hasBlank = bytes[dayEnd] === SPACE;
    if (!this.hasBlank && !isIso) return false;
    if (!this.readTime(bytes, dayEnd + 1, end, serial) || this.form === ELAPSED_FORM) return false;
    this.isProgramForm &&= bytes[dayEnd + 3] === COLON;
    this.form = this.form === MINUTES_FORM ? DAY_MINUTES_FORM : DAY_SECONDS_FORM;
    return true;
  }

  /** Reads a time up to the end of the field, and adds it to the serial number of its day. */
  private readTime(bytes: Uint8Array, start: number, end: number, day: number): boolean {
    const hour = this.readDigits(bytes, start, end);
    if (hour === NO_NUMBER || this.digits > 2 || bytes[this.at] !== COLON) return false;
    const minute = this.readSixtieth(bytes, end);
    if (minute === NO_NUMBER) return false;
    const isShort = this.at === end;
    if (!isShort && bytes[this.at] !== COLON) return false;
    const second = isShort ? 0 : this.readSixtieth(bytes, end);
    if (second === NO_NUMBER || this.at !== end) return false;
    this.serial = day + (hour * 3600 + minute * 60 + second) / SECONDS_PER_DAY;
    this.form = hour > MAX_DAY_HOUR ? ELAPSED_FORM : isShort ? MINUTES_FORM : SECONDS_FORM;
    return true;
  }

  /** Reads the two digits of a minute or second after a colon; `NO_NUMBER` if they are something else. */
  private readSixtieth(bytes: Uint8Array, end: number): number {
    const value = this.readDigits(bytes, this.at + 1, end);
    return this.digits === 2 && value < 60 ? value : NO_NUMBER;
  }

  /** Reads the digits at a position. Returns their number; `NO_NUMBER` if there are none or too many. */
  private readDigits(bytes: Uint8Array, start: number, end: number): number {
    const limit = Math.min(end, start + MAX_YEAR_DIGITS + 1);
    let value = 0;
    let at = start;
    for (; at < limit && isDigit(bytes[at] as number); at++) value = value * 10 + (bytes[at] as number) - ZERO;
    this.at = at;
    this.digits = at - start;
    return at > start && at - start <= MAX_YEAR_DIGITS ? value : NO_NUMBER;
  }

  private findSerial(year: number, month: number, day: number): number | null {
    const key = (year * 100 + month) * 100 + day;
    if (key !== this.dayKey) {
      this.dayKey = key;
      this.daySerial = toValidSerial(year, month, day, 'google');
    }
    return this.daySerial;
  }
}
