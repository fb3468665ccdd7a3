import { type CellError, errorByCode } from '@cellwire/engine';

const STARTS_VALUE = /^[-+.,\d(\p{Sc}]/u;
const STARTS_MONTH = /^\p{L}{3,10}\.? \d{1,2},? \d/u;
const NEEDS_QUOTES = /["\r\n]/;
/** Possible delimiters of a file with one column. */
const DELIMITER = /[,;|\t]/;

/** Matches values in the form that programs write for other programs. Such a value cannot be part of a phrase. */
const PROGRAM_FORM =
  /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?|-?\d{2,}:\d{2}:\d{2}(?:\.\d+)?|TRUE|FALSE)$/;

/** True for a number, date, duration or boolean in the form that programs write for other programs. */
export function isProgramForm(field: string, hasDecimalCommas: boolean): boolean {
  return PROGRAM_FORM.test(toDecimalPoint(field, hasDecimalCommas));
}

/** True if the field would change when it is read as a number and written again, such as `1.50` or `1e3`. */
export function changesAsNumber(field: string, hasDecimalCommas: boolean): boolean {
  const written = toDecimalPoint(field, hasDecimalCommas);
  return String(Number(written)) !== written;
}

/** The field with a decimal point instead of a decimal comma. */
function toDecimalPoint(field: string, hasDecimalCommas: boolean): string {
  return hasDecimalCommas ? field.replace(',', '.') : field;
}

const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const COMMA = 0x2c;
const POINT = 0x2e;
const LAST_ASCII = 0x7f;

export function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** True for Latin letters without diacritics. */
function isLetter(code: number): boolean {
  const small = code | 0x20;
  return small >= 0x61 && small <= 0x7a;
}

/**
 * True if a text begins like a number or a date: with a digit, a sign, a decimal mark, a currency sign or an opening
 * parenthesis.
 */
export function startsLikeValue(text: string): boolean {
  const first = text.charCodeAt(0);
  return isDigit(first) || (!isLetter(first) && STARTS_VALUE.test(text));
}

/**
 * True if a field may begin with the name of a month. First checks whether a day follows, because most texts begin with
 * a word.
 */
export function startsMonth(text: string): boolean {
  let at = 0;
  while (isLetter(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) > LAST_ASCII) return STARTS_MONTH.test(text);
  if (text.charCodeAt(at) === POINT) at++;
  if (text.charCodeAt(at) !== SPACE || !isDigit(text.charCodeAt(at + 1))) return false;
  const after = text.charCodeAt(isDigit(text.charCodeAt(at + 2)) ? at + 3 : at + 2);
  return (after === SPACE || after === COMMA) && STARTS_MONTH.test(text);
}

/** True if CSV requires quotation marks for a field. `delimiter`: empty if every line is one field. */
export function needsQuotes(field: string, delimiter: string): boolean {
  const hasDelimiter = delimiter === '' ? DELIMITER.test(field) : field.includes(delimiter);
  return hasDelimiter || NEEDS_QUOTES.test(field);
}

/** Returns the error value of a field that is an error code; undefined for other fields. */
export function parseErrorField(field: string): CellError | undefined {
  if (!field.startsWith('#')) return undefined;
  const error = errorByCode(field);
  return error?.code === field ? error : undefined;
}

/** Returns a key for column names, which are compared without letter case and surrounding blanks. */
export function foldName(name: string): string {
  return name.trim().toLowerCase();
}
