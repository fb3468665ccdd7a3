import { getLocale } from '../../locale/index.ts';
import { type CellError, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { numberToText, toText } from '../coerce.ts';
import { define, defineVariadic } from '../define.ts';
import { readAsMatrix } from '../invoke.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import { buildMatrix, readFullMatrix } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { Lambda, type Matrix, type Value } from '../value.ts';

/** Joins texts up to the maximum length of a text. */
class TextJoiner {
  private readonly parts: string[] = [];
  private length = 0;

  /** Adds a text. Returns false if the result is too long. */
  add(part: string): boolean {
    this.length += part.length;
    if (this.length > MAX_TEXT_LENGTH) return false;
    if (part !== '') this.parts.push(part);
    return true;
  }

  toString(): string {
    return this.parts.join('');
  }
}

function concatenateTexts(context: FunctionContext, values: readonly Value[]): Scalar {
  const joiner = new TextJoiner();
  for (const value of values) {
    if (value instanceof Lambda) return VALUE;
    for (const element of readAsMatrix(context, value).data) {
      context.reportWork(1);
      const text = toText(element, context);
      if (isError(text)) return text;
      if (!joiner.add(text)) return VALUE;
    }
  }
  return joiner.toString();
}

function readDelimiters(context: FunctionContext, value: Value): readonly string[] | CellError {
  const texts: string[] = [];
  for (const element of readAsMatrix(context, value).data) {
    context.reportWork(1);
    const text = toText(element, context);
    if (isError(text)) return text;
    texts.push(text);
  }
  return texts;
}

/** Joins texts with a delimiter. If the delimiter is an array, its elements are used in turn. */
export function joinTexts(
  context: FunctionContext,
  delimiter: Value,
  ignoreEmpty: boolean,
  values: readonly Value[],
): Scalar {
  const between = readDelimiters(context, delimiter);
  if (isError(between)) return between;
  const joiner = new TextJoiner();
  let joined = 0;
  for (const value of values) {
    if (value instanceof Lambda) return VALUE;
    const matrix = ignoreEmpty ? readAsMatrix(context, value) : readFullMatrix(context, value);
    if (isError(matrix)) return matrix;
    for (const element of matrix.data) {
      context.reportWork(1);
      const text = toText(element, context);
      if (isError(text)) return text;
      if (ignoreEmpty && text === '') continue;
      const glue = joined === 0 ? '' : between[(joined - 1) % between.length]!;
      if (!joiner.add(glue + text)) return VALUE;
      joined++;
    }
  }
  return joiner.toString();
}

/** Formats a value as VALUETOTEXT does. `strict`: texts are quoted as in a formula. */
function formatScalar(value: Scalar, strict: boolean, context: FunctionContext): string {
  if (typeof value === 'string') return strict ? `"${value.replaceAll('"', '""')}"` : value;
  if (typeof value === 'number') return numberToText(value, context);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value === null ? '' : value.code;
}

/** Formats an array as ARRAYTOTEXT does. `strict`: as an array constant. */
function formatArray(matrix: Matrix, strict: boolean, context: FunctionContext): Scalar {
  const comma = getLocale(context.locale).decimal === '.';
  const { data, columns } = matrix;
  const joiner = new TextJoiner();
  if (strict) joiner.add('{');
  for (let at = 0; at < data.length; at++) {
    context.reportWork(1);
    const column = strict ? (comma ? ',' : '\\') : comma ? ', ' : '; ';
    const glue = at === 0 ? '' : strict && at % columns === 0 ? ';' : column;
    if (!joiner.add(glue + formatScalar(data[at] ?? null, strict, context))) return VALUE;
  }
  return strict && !joiner.add('}') ? VALUE : joiner.toString();
}

export const JOIN: readonly FunctionSpec[] = [
  defineVariadic('text', 'CONCAT', ['value'], ['value'], (context, first, rest) =>
    concatenateTexts(context, [first, ...rest]),
  ),
  defineVariadic(
    'text',
    'TEXTJOIN',
    ['value', 'boolean', 'value'],
    ['value'],
    (context, delimiter, ignoreEmpty, first, rest) => joinTexts(context, delimiter, ignoreEmpty, [first, ...rest]),
    { omits: 'emptyTexts' },
  ),
  define('text', 'VALUETOTEXT', ['value', 'integer?'], (context, value, format = 0) => {
    if (format !== 0 && format !== 1) return VALUE;
    const matrix = readAsMatrix(context, value);
    if (matrix.length === 1) return formatScalar(matrix.get(0, 0), format === 1, context);
    return buildMatrix(context, matrix.rows, matrix.columns, (r, c) =>
      formatScalar(matrix.get(r, c), format === 1, context),
    );
  }),
  define('text', 'ARRAYTOTEXT', ['value', 'integer?'], (context, value, format = 0) => {
    if (format !== 0 && format !== 1) return VALUE;
    const matrix = readFullMatrix(context, value);
    return isError(matrix) ? matrix : formatArray(matrix, format === 1, context);
  }),
];
