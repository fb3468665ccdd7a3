import type { FormatTrace } from '../functions/context.ts';
import { FormatList, formatAt, spreadFormats } from '../functions/formats.ts';
import { type ElementFormats, Matrix, type Value } from '../functions/value.ts';
import type { ScalarOperator } from './operators.ts';

type Formatted = '+' | '-' | '*' | '/';

/**
 * The result of an operator with the format that its operands' formats make: an array's is put on it, a scalar's is
 * `trace.last`. `left` and `right`: formats of the operands that are scalars.
 */
export function withCombined(
  trace: FormatTrace,
  op: ScalarOperator,
  a: Value,
  left: number,
  b: Value,
  right: number,
  result: Value,
): Value {
  trace.last = 0;
  if (op !== '+' && op !== '-' && op !== '*' && op !== '/') return result;
  if (!(result instanceof Matrix)) {
    trace.last = trace.combined(op, left, right);
    return result;
  }
  const { rows, columns } = result;
  const x = a instanceof Matrix ? spreadFormats(a, rows, columns) : left;
  const y = b instanceof Matrix ? spreadFormats(b, rows, columns) : right;
  return result.withFormats(combinedElements(trace, op, x, y, rows * columns));
}

function combinedElements(
  trace: FormatTrace,
  op: Formatted,
  x: ElementFormats,
  y: ElementFormats,
  count: number,
): ElementFormats {
  if (typeof x === 'number' && typeof y === 'number') return trace.combined(op, x, y);
  const list = new FormatList(count);
  for (let at = 0; at < count; at++) list.set(at, trace.combined(op, formatAt(x, at), formatAt(y, at)));
  return list.result;
}

/** The same for an operator of one operand: a sign takes a date's format off, a percent mark gives its own. */
export function withSign(trace: FormatTrace, op: '-' | '+' | '%', a: Value, format: number, result: Value): Value {
  if (op === '%') {
    trace.last = trace.own('percent');
    return result instanceof Matrix ? result.withFormats(trace.last) : result;
  }
  if (op === '-') return withCombined(trace, '-', 0, 0, a, format, result);
  trace.last = format;
  return result instanceof Matrix && a instanceof Matrix ? result.withFormats(a.formats) : result;
}
