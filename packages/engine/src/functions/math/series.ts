import { type CellError, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define } from '../define.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';

/** Converts an argument to a number. Refuses booleans, as all functions of Excel's former Analysis ToolPak do. */
function toStrictNumber(context: FunctionContext, value: Scalar): number | CellError {
  return typeof value === 'boolean' ? VALUE : toNumber(value, context);
}

export const SERIES: readonly FunctionSpec[] = [
  define('math', 'SERIESSUM', ['scalar', 'scalar', 'scalar', 'matrix'], (context, base, from, by, coefficients) => {
    const x = toStrictNumber(context, base);
    const first = toStrictNumber(context, from);
    const step = toStrictNumber(context, by);
    if (isError(x)) return x;
    if (isError(first)) return first;
    if (isError(step)) return step;
    let sum = 0;
    let exponent = first;
    for (const coefficient of coefficients.data) {
      if (isError(coefficient)) return coefficient;
      if (coefficient === null) continue;
      if (typeof coefficient !== 'number') return VALUE;
      if (x === 0 && exponent === 0) return NUM;
      sum += coefficient * x ** exponent;
      exponent += step;
    }
    return sum;
  }),
];
