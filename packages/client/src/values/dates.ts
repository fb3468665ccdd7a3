import { CellwireError } from '../errors/errors.ts';

/**
 * The date system of a document. `1899-12-30`: day 0 is this date (new documents). `1900`: day 1 is 1900-01-01, and day
 * 60 is a nonexistent date (Excel). `1904-01-01`: day 0 is this date.
 */
export type DateSystem = '1899-12-30' | '1900' | '1904';

const DAY_MS = 86_400_000;
const DAY_ZERO_MS: Readonly<Record<DateSystem, number>> = {
  '1899-12-30': Date.UTC(1899, 11, 30),
  '1900': Date.UTC(1899, 11, 30),
  '1904': Date.UTC(1904, 0, 1),
};
/**
 * The number of 29 February 1900, a day that Excel's `1900` system counts although it did not exist. Serial numbers
 * below it are one less than in the first system.
 */
const FALSE_LEAP_DAY = 60;

/** Returns a serial number as a `Date` with the local time in its UTC fields, to the millisecond. */
export function asDate(serial: number, epoch: DateSystem = '1899-12-30'): Date {
  const shift = epoch === '1900' && serial < FALSE_LEAP_DAY + 1 ? 1 : 0;
  return new Date(findDayZero(epoch) + Math.round((serial + shift) * DAY_MS));
}

/** Returns the serial number of the local time in a `Date`'s UTC fields. */
export function fromDate(date: Date, epoch: DateSystem = '1899-12-30'): number {
  const serial = (date.getTime() - findDayZero(epoch)) / DAY_MS;
  return epoch === '1900' && serial < FALSE_LEAP_DAY + 1 ? serial - 1 : serial;
}

function findDayZero(epoch: DateSystem): number {
  const ms = DAY_ZERO_MS[epoch];
  if (ms === undefined) throw new CellwireError(`epoch must be one of ${Object.keys(DAY_ZERO_MS).join(', ')}`);
  return ms;
}

/** Returns the ISO text of a local time without a time zone; at midnight only the date. */
function formatIsoText(date: Date): string {
  return date.toISOString().replace(/(?:T00:00:00)?(?:\.000)?Z$/, '');
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/;

/** Converts an ISO text of a local time to a `Date` with these UTC fields. Returns other values unchanged. */
export function parseDateText(value: unknown): unknown {
  if (typeof value !== 'string' || !ISO_DATE.test(value)) return value;
  return new Date(value.length > 10 ? `${value}Z` : value);
}

/**
 * Returns a value as JSON, with dates as ISO texts of their local time. Integers from 2^53 on have an exponent: the
 * service refuses such integers in plain digits, because other senders may mean an integer that a number cannot
 * represent.
 * Throws an error for NaN and infinite numbers, which JSON would replace by null: a cell would keep its old value.
 */
export function formatJson(value: unknown): string {
  let hasLongIntegers = false;
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, serialized) {
    const original = this[key];
    if (typeof serialized === 'number' && !Number.isFinite(serialized)) {
      throw new CellwireError(`${serialized} cannot be written`);
    }
    hasLongIntegers ||= Number.isInteger(serialized) && !Number.isSafeInteger(serialized);
    return original instanceof Date ? formatIsoText(original) : serialized;
  });
  return hasLongIntegers ? text.replace(STRING_OR_NUMBER, addExponent) : text;
}

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const INTEGER = /^-?\d+$/;

function addExponent(token: string): string {
  return INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? Number(token).toExponential() : token;
}
