import { DIV0 } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { define } from '../define.ts';
import { compareOperands } from '../order.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';

/** Defines a comparison such as EQ. `isSatisfied` gets the order of the two values. */
function defineComparison(name: string, isSatisfied: (order: number) => boolean): FunctionSpec {
  return define('google', name, ['scalar', 'scalar'], (context, a, b) =>
    isSatisfied(compareOperands(a, b, context.locale)),
  );
}

/** Defines an arithmetic operator such as ADD. */
function defineArithmetic(name: string, run: (a: number, b: number) => Scalar): FunctionSpec {
  return define('google', name, ['number', 'number'], (_, a, b) => run(a, b));
}

function isBetween(
  { locale }: FunctionContext,
  value: Scalar,
  lower: Scalar,
  upper: Scalar,
  withLower = true,
  withUpper = true,
): Scalar {
  if (isError(value) || isError(lower) || isError(upper)) return [value, lower, upper].find(isError)!;
  const low = compareOperands(value, lower, locale);
  const high = compareOperands(value, upper, locale);
  return (withLower ? low >= 0 : low > 0) && (withUpper ? high <= 0 : high < 0);
}

/** The operators as functions, under the names of Google Sheets. */
export const OPERATORS: readonly FunctionSpec[] = [
  defineComparison('EQ', (order) => order === 0),
  defineComparison('NE', (order) => order !== 0),
  defineComparison('GT', (order) => order > 0),
  defineComparison('GTE', (order) => order >= 0),
  defineComparison('LT', (order) => order < 0),
  defineComparison('LTE', (order) => order <= 0),
  defineArithmetic('ADD', (a, b) => a + b),
  defineArithmetic('MINUS', (a, b) => a - b),
  defineArithmetic('MULTIPLY', (a, b) => a * b),
  defineArithmetic('DIVIDE', (a, b) => (b === 0 ? DIV0 : a / b)),
  define('google', 'UMINUS', ['number'], (_, value) => -value),
  define('google', 'UPLUS', ['scalar'], (_, value) => value),
  define('google', 'UNARY_PERCENT', ['number'], (_, value) => value / 100),
  define('google', 'ISBETWEEN', ['scalar', 'scalar', 'scalar', 'boolean??', 'boolean??'], isBetween),
];
