import { formatForDisplay, isDateFormat, parseDateText } from '../../locale/index.ts';
import { VALUE } from '../../value/errors.ts';
import type { Scalar } from '../../value/scalar.ts';
import { countDistinct } from '../array/distinct-counts.ts';
import { define, defineVariadic } from '../define.ts';
import { readAsScalar } from '../invoke.ts';
import { buildMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { joinTexts } from '../text/join.ts';
import { readNumber } from '../text/numeric.ts';
import { findAllDelimiters } from '../text/split.ts';
import { Reference, type Value } from '../value.ts';

/** Maximum length of an address, in UTF-16 units. */
const MAX_ADDRESS_LENGTH = 2048;
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}$/;
const URL_TEXT =
  /^(?:(?:https?|ftp|mailto|news|telnet|aim):(?:\/\/)?)?[^\s/?#@]+\.[A-Za-z]{2,}(?::[0-9]+)?(?:[/?#]\S*)?$/i;

/** Splits a text. Parts that can be read as numbers become numbers. */
function splitText(
  context: FunctionContext,
  text: string,
  delimiter: string,
  byEach = true,
  removeEmpty = true,
): Value {
  if (delimiter === '') return VALUE;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of findAllDelimiters(
    context,
    text,
    byEach ? [...new Set(delimiter)] : [delimiter],
    false,
  )) {
    pieces.push(text.slice(from, start));
    from = end;
  }
  pieces.push(text.slice(from));
  const kept = removeEmpty ? pieces.filter((piece) => piece !== '') : pieces;
  if (kept.length === 0) return VALUE;
  const typed = kept.map((piece): Scalar => readNumber(context, piece) ?? (piece === '' ? null : piece));
  return buildMatrix(context, 1, typed.length, (_, c) => typed[c] ?? null);
}

/** Returns a value as it is displayed. If it comes from a cell, the cell's number format is used. */
function toDisplayedText(context: FunctionContext, value: Value): Scalar {
  const scalar = readAsScalar(context, value);
  if (scalar === undefined) return VALUE;
  const [area] = value instanceof Reference ? value.areas : [];
  const format = area ? context.workbook.getFormatCode(area.sheet, area.top, area.left) : '';
  return formatForDisplay(scalar, format, context.locale, context.dateSystem);
}

function isDate(context: FunctionContext, value: Value): boolean {
  const scalar = readAsScalar(context, value);
  if (typeof scalar === 'string') return parseDateText(scalar, context.locale, context.dateSystem) !== null;
  if (typeof scalar !== 'number' || !(value instanceof Reference)) return false;
  const [area] = value.areas;
  return isDateFormat(context.workbook.getFormatCode(area.sheet, area.top, area.left));
}

export const TEXTS: readonly FunctionSpec[] = [
  define('google', 'SPLIT', ['text', 'text', 'boolean??', 'boolean??'], splitText),
  defineVariadic('google', 'JOIN', ['value', 'value'], ['value'], (context, delimiter, first, rest) =>
    joinTexts(context, delimiter, false, [first, ...rest]),
  ),
  defineVariadic('google', 'COUNTUNIQUE', ['value'], ['value'], (context, first, rest) =>
    countDistinct(context, [first, ...rest]),
  ),
  define('google', 'TO_TEXT', ['value'], toDisplayedText, { readsFormats: true }),
  define('google', 'ISDATE', ['value'], isDate, { readsFormats: true }),
  define('google', 'ISEMAIL', ['text'], (_, text) => text.length <= MAX_ADDRESS_LENGTH && EMAIL.test(text)),
  define('google', 'ISURL', ['text'], (_, text) => text.length <= MAX_ADDRESS_LENGTH && URL_TEXT.test(text)),
];
