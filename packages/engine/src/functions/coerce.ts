import type { DateSystem } from '../locale/date-system.ts';
import { formatLocalNumber, parseDateText, parseNumberText, splitSerial } from '../locale/index.ts';
import type { LocaleId } from '../locale/locales.ts';
import { type CellError, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** The document settings that conversions depend on. */
export interface Conventions {
  readonly locale: LocaleId;
  readonly dateSystem: DateSystem;
}

/** Converts a scalar to a number: blank is 0, booleans are 1 and 0, texts are read in the document's locale. */
export function toNumber(value: Scalar, conventions: Conventions): number | CellError {
  if (typeof value === 'number') return value;
  if (value === null) return 0;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (isError(value)) return value;
  return parseNumberText(value, conventions.locale, conventions.dateSystem) ?? VALUE;
}

/**
 * The serial number of a text with a date or time, as in DATEVALUE and TIMEVALUE. A date without a year is in the
 * current year.
 */
export function parseDateValue(
  { now, locale, dateSystem }: Conventions & { readonly now: number },
  text: string,
): number | null {
  return parseDateText(text, locale, dateSystem, splitSerial(now, dateSystem).year);
}

/** Converts a scalar to a text: numbers in General form with 15 digits and the locale's decimal mark. */
export function toText(value: Scalar, conventions: Conventions): string | CellError {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberToText(value, conventions);
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value;
}

/** Converts a number as formulas do: `=1/4&""` is `0,25` in a comma locale. */
export function numberToText(value: number, conventions: Conventions): string {
  return formatLocalNumber(value, conventions.locale);
}

/** Converts a scalar to a boolean. Texts must be TRUE or FALSE. */
export function toBoolean(value: Scalar): boolean | CellError {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return value !== 0;
  if (value === null) return false;
  if (isError(value)) return value;
  const upper = value.trim().toUpperCase();
  if (upper === 'TRUE') return true;
  return upper === 'FALSE' ? false : VALUE;
}
