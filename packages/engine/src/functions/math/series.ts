import { NUM, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define } from '../define.ts';
import type { FunctionSpec } from '../spec.ts';

export const SERIES: readonly FunctionSpec[] = [
  define('math', 'SERIESSUM', ['number', 'number', 'number', 'matrix'], (_, x, first, step, coefficients) => {
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
