import { BroadcastOperand } from '../functions/broadcast.ts';
import type { FormatTrace, WorkMeter } from '../functions/context.ts';
import { FormatList } from '../functions/formats.ts';
import { type ElementFormats, Matrix, type Value } from '../functions/value.ts';
import type { ScalarOperator } from './operators.ts';

type TracedOperator = '+' | '-' | '*' | '/';

/**
 * Adds to the result of an operator the format that follows from its operands. An array gets the format itself; for a
 * scalar it is stored in `trace.last`. `left` and `right`: formats of scalar operands.
 */
export function combineWithFormats(
  context: WorkMeter,
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
    trace.last = trace.combineFormats(op, left, right);
    return result;
  }
  const { rows, columns } = result;
  const x = a instanceof Matrix ? new BroadcastOperand(a, rows, columns) : left;
  const y = b instanceof Matrix ? new BroadcastOperand(b, rows, columns) : right;
  return result.withFormats(combineElements(context, trace, op, x, y, rows * columns));
}

function combineElements(
  context: WorkMeter,
  trace: FormatTrace,
  op: TracedOperator,
  x: BroadcastOperand | number,
  y: BroadcastOperand | number,
  count: number,
): ElementFormats {
  const [left, right] = [findCommonFormat(x), findCommonFormat(y)];
  if (left !== null && right !== null) return trace.combineFormats(op, left, right);
  const list = new FormatList(count);
  for (let at = 0; at < count; at++) {
    context.reportWork(1);
    list.set(
      at,
      trace.combineFormats(
        op,
        left ?? (x as BroadcastOperand).getFormat(at),
        right ?? (y as BroadcastOperand).getFormat(at),
      ),
    );
  }
  return list.result;
}

/** The format of all elements of an operand; null if they differ. */
function findCommonFormat(operand: BroadcastOperand | number): number | null {
  return typeof operand === 'number' ? operand : operand.format;
}

/**
 * Adds to the result of a unary operator the format that follows from its operand. A sign removes a date format; a
 * percent mark gives a percent format.
 */
export function signWithFormat(
  context: WorkMeter,
  trace: FormatTrace,
  op: '-' | '+' | '%',
  a: Value,
  format: number,
  result: Value,
): Value {
  if (op === '%') {
    trace.last = trace.getHintFormat('percent');
    return result instanceof Matrix ? result.withFormats(trace.last) : result;
  }
  if (op === '-') return combineWithFormats(context, trace, '-', 0, 0, a, format, result);
  trace.last = format;
  return result instanceof Matrix && a instanceof Matrix ? result.withFormats(a.formats) : result;
}
