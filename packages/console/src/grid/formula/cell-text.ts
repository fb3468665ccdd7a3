import { type DateSystem, getLocale, type LocaleId, recogniseAs, splitSerial } from '@cellwire/engine';
import type { Cell } from '../../data/types.ts';
import { toApiFormula } from './typed-formula.ts';

/** How a document reads typed input. */
export interface InputLocale {
  /** Null while unknown; the service then uses its own grammar. */
  readonly locale: LocaleId | null;
  readonly dateSystem: DateSystem;
}

/** Significant digits that identify every double. The service reads numbers of up to 15. */
const MAX_DIGITS = 17;
const DAY_MS = 86_400_000;
/** Maximum hours of an elapsed time in the input grammar. */
const MAX_HOURS = 99;
/** Serial numbers with a smaller relative difference differ only by rounding. */
const ROUNDING_ERROR = 2 ** -48;

/**
 * Initial text of a cell's editor: the formula, or the value in a form that `toInput` reads as the same value. Dates
 * have a four-digit year in an unambiguous order.
 */
export function createEditText(cell: Cell | null | undefined, inputLocale: InputLocale): string {
  if (cell === null || cell === undefined) return '';
  if (cell.f !== undefined) return cell.f;
  if (typeof cell.v === 'boolean') return cell.m;
  if (typeof cell.v === 'string') return isReadAsText(cell.v, inputLocale) ? cell.v : `'${cell.v}`;
  if (cell.t === 'd') return formatDate(cell.v, cell.m, inputLocale) ?? formatNumber(cell.v, inputLocale);
  return cell.m.endsWith('%') ? formatPercent(cell.v, inputLocale) : formatNumber(cell.v, inputLocale);
}

/**
 * Returns what to send for a confirmed text; `initialText` is the editor's initial text. A number that replaces a
 * number is sent as a number, so that the cell keeps its type and format, even if the service would read it as text
 * (more than 15 digits, fractions of seconds, text cells).
 */
export function toInput(text: string, initialText: string, inputLocale: InputLocale): string | number | boolean {
  if (text.startsWith('=')) return toApiFormula(text, inputLocale.locale);
  const truth = recogniseText(text, inputLocale).value;
  if (typeof truth === 'boolean' && typeof recogniseText(initialText, inputLocale).value === 'boolean') return truth;
  const oldNumber = parseNumber(initialText, inputLocale);
  const newNumber = oldNumber === null ? null : parseNumber(text, inputLocale);
  if (oldNumber === null || newNumber === null) return text;
  if (newNumber.isBeyondGrammar) return newNumber.value;
  // In a percent cell, a number without a percent sign is a percentage.
  if (newNumber.format === undefined) return initialText.endsWith('%') ? text : newNumber.value;
  const isDate = newNumber.format.includes('y') || newNumber.format.includes(':');
  return isDate && (newNumber.format === oldNumber.format || oldNumber.isBeyondGrammar) ? newNumber.value : text;
}

interface ParsedNumber {
  readonly value: number;
  /** Number format that typing the value sets; undefined if none. */
  readonly format: string | undefined;
  /** True if the service does not read it as a number. */
  readonly isBeyondGrammar: boolean;
}

/** Returns the number that a typed text means; null if it is none. */
export function parseNumber(text: string, inputLocale: InputLocale): ParsedNumber | null {
  if (text === '' || /^[='"]/.test(text)) return null;
  const { value, format } = recogniseText(text, inputLocale);
  if (typeof value === 'number') return { value, format, isBeyondGrammar: false };
  const beyond = parseLongNumber(text, inputLocale) ?? parseFractionalTime(text, inputLocale);
  return beyond === null ? null : { value: beyond, format: undefined, isBeyondGrammar: true };
}

function recogniseText(text: string, { locale, dateSystem }: InputLocale): ReturnType<typeof recogniseAs> {
  return recogniseAs(text, locale, { locale: locale ?? 'en-US', system: dateSystem, percentCell: false });
}

/** True if typing a text enters it unchanged as text. */
export function isReadAsText(text: string, inputLocale: InputLocale): boolean {
  return (
    !/^[=']/.test(text) && recogniseText(text, inputLocale).value === text && parseNumber(text, inputLocale) === null
  );
}

function getDecimalMark({ locale }: InputLocale): ',' | '.' {
  return locale === null ? ',' : getLocale(locale).decimal;
}

/** Writes all digits of a number in the document's locale. */
export function formatNumber(value: number, inputLocale: InputLocale): string {
  return String(value).replace('.', getDecimalMark(inputLocale));
}

/** Moves the decimal point, because multiplying by 100 would round. */
function formatPercent(value: number, inputLocale: InputLocale): string {
  if (value === 0) return '0%';
  const [mantissa = '0', exponent = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const whole = Number(exponent) + 3;
  const padded = whole <= 0 ? '0'.repeat(1 - whole) + digits : digits.padEnd(whole, '0');
  const point = Math.max(1, whole);
  const fraction = padded.slice(point);
  const text = padded.slice(0, point) + (fraction === '' ? '' : getDecimalMark(inputLocale) + fraction);
  return `${value < 0 ? '-' : ''}${text}%`;
}

/** Reads a number (or percentage) of 16 or 17 digits that a double holds exactly; else null. */
function parseLongNumber(text: string, inputLocale: InputLocale): number | null {
  const decimal = getDecimalMark(inputLocale);
  const plain = decimal === ',' && text.includes('.') ? '' : text.trim().replace(decimal, '.');
  const match = /^(-?(?:0|[1-9]\d*)(?:\.\d+)?)(e[+-]?\d{1,3})?(%?)$/i.exec(plain);
  if (match === null) return null;
  const [, mantissa = '', exponent = '', percent] = match;
  const count = keepSignificantDigits(mantissa).length;
  const value = Number(percent === '' ? mantissa + exponent : `${mantissa}e-2`);
  const isKept = keepSignificantDigits(value.toExponential().split('e')[0] ?? '') === keepSignificantDigits(mantissa);
  return count <= MAX_DIGITS && isKept && (exponent === '' || percent === '') ? value : null;
}

function keepSignificantDigits(number: string): string {
  return number.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}

/** Reads a date or time with fractions of a second; else null. */
function parseFractionalTime(text: string, inputLocale: InputLocale): number | null {
  const match = /^(.*\d:\d{2}:\d{2})[.,](\d{1,3})$/.exec(text.trim());
  const whole = match === null ? null : recogniseText(match[1] ?? '', inputLocale).value;
  return typeof whole === 'number' ? whole + (Number(`0.${match?.[2]}`) * 1000) / DAY_MS : null;
}

/** Null if no form of a date or time reads as the value. */
function formatDate(value: number, displayedText: string, inputLocale: InputLocale): string | null {
  const isSame = (text: string) => {
    const found = parseNumber(text, inputLocale)?.value;
    return found !== undefined && Math.abs(found - value) <= Math.abs(value) * ROUNDING_ERROR;
  };
  return listDateForms(value, displayedText, inputLocale).find(isSame) ?? null;
}

function* listDateForms(value: number, displayedText: string, inputLocale: InputLocale): Generator<string, undefined> {
  if (value < 0 || !Number.isFinite(value)) return;
  const ms = Math.round(value * DAY_MS);
  const hours = Math.floor(ms / 3_600_000);
  const isElapsed = hours <= MAX_HOURS && displayedText.startsWith(`${hours}:`);
  if (value < 1 || isElapsed) yield formatClock(hours, ms);
  const day = Math.floor(ms / DAY_MS);
  const { year, month, day: dayOfMonth } = splitSerial(day, inputLocale.dateSystem);
  const [y, m, d] = [padNumber(year, 4), padNumber(month, 2), padNumber(dayOfMonth, 2)];
  // A date with dots always starts with the day; a date with slashes is ambiguous.
  const hasDots = inputLocale.locale !== null && getLocale(inputLocale.locale).dateFormat === 'dd.mm.yyyy';
  const date = hasDots ? `${d}.${m}.${y}` : `${y}-${m}-${d}`;
  yield ms % DAY_MS === 0 ? date : `${date} ${formatClock(hours % 24, ms)}`;
}

/** Formats hours, minutes, and seconds and milliseconds if they are not zero. */
function formatClock(hours: number, ms: number): string {
  const [minutes, seconds, parts] = [Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60, ms % 1_000];
  const ofSeconds =
    parts > 0 ? `:${padNumber(seconds, 2)}.${padNumber(parts, 3)}` : seconds > 0 ? `:${padNumber(seconds, 2)}` : '';
  return `${padNumber(hours, 2)}:${padNumber(minutes, 2)}${ofSeconds}`;
}

function padNumber(number: number, length: number): string {
  return String(number).padStart(length, '0');
}
