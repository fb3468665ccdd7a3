import type { BinaryOperator } from '../formula/ast.ts';
import { type Conventions, toNumber, toText } from '../functions/coerce.ts';
import { power } from '../functions/numeric/power.ts';
import { areOperandsEqual, compareOperands } from '../functions/order.ts';
import { DIV0, NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** Operators on scalars, without the reference operators. */
export type ScalarOperator = Exclude<BinaryOperator, ':' | 'union' | 'intersect'>;

type ArithmeticOperator = '+' | '-' | '*' | '/' | '^';

/** The results of a comparison for a first operand that is less than, equal to or greater than the second. */
export interface ComparisonResults {
  readonly less: boolean;
  readonly same: boolean;
  readonly more: boolean;
}

/** The results of a comparison operator. */
export function findComparisonResults(op: ScalarOperator): ComparisonResults {
  return {
    less: op === '<' || op === '<=' || op === '<>',
    same: op === '=' || op === '<=' || op === '>=',
    more: op === '>' || op === '>=' || op === '<>',
  };
}

/** Maximum length of a text in characters, as in Excel. Longer texts give `#VALUE!`. */
const MAX_TEXT = 32_767;

/** If a sum is smaller than this share of an operand, it is rounding noise and becomes zero, as in Excel. */
const NOISE = 2 ** -49;

/**
 * Returns 0 for a sum that is only rounding noise, as Excel does if two almost equal numbers cancel out. `=0.3-0.1*3`
 * is 0, but `=1.1-1-0.1` is not.
 */
export function roundNoise(result: number, operand: number): number {
  return result !== 0 && Math.abs(result) < Math.abs(operand) * NOISE ? 0 : result;
}

/**
 * Applies one of the four arithmetic operators to numbers. Returns NaN if the result is an error, and for any other
 * operator. NaN as an operand gives NaN again.
 */
export function computePlainArithmetic(op: BinaryOperator, a: number, b: number): number {
  const result = computeUncheckedArithmetic(op, a, b);
  return Number.isFinite(result) ? result : Number.NaN;
}

/** The result may be infinite. NaN for other operators. */
function computeUncheckedArithmetic(op: BinaryOperator, a: number, b: number): number {
  switch (op) {
    case '+':
      return roundNoise(a + b, a);
    case '-':
      return roundNoise(a - b, a);
    case '*':
      return a * b + 0;
    case '/':
      return a / b + 0;
    default:
      return Number.NaN;
  }
}

/** Applies an operator to two scalars. If operands are errors, the first error is the result. */
export function applyToScalars(op: ScalarOperator, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  if (isError(a)) return a;
  if (isError(b)) return b;
  switch (op) {
    case '&':
      return joinTexts(toText(a, conventions), toText(b, conventions));
    case '=':
      return areOperandsEqual(a, b);
    case '<>':
      return !areOperandsEqual(a, b);
    case '<':
      return compareOperands(a, b, conventions.locale) < 0;
    case '<=':
      return compareOperands(a, b, conventions.locale) <= 0;
    case '>':
      return compareOperands(a, b, conventions.locale) > 0;
    case '>=':
      return compareOperands(a, b, conventions.locale) >= 0;
    default:
      return applyArithmetic(op, a, b, conventions);
  }
}

function joinTexts(a: Scalar, b: Scalar): Scalar {
  const text = `${a}${b}`;
  return text.length > MAX_TEXT ? VALUE : text;
}

function applyArithmetic(op: ArithmeticOperator, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  const x = toNumber(a, conventions);
  if (typeof x !== 'number') return x;
  const y = toNumber(b, conventions);
  if (typeof y !== 'number') return y;
  if (op === '^') return power(x, y);
  if (op === '/' && y === 0) return DIV0;
  const result = computePlainArithmetic(op, x, y);
  return Number.isNaN(result) ? NUM : result;
}

export function applyUnary(op: '-' | '+' | '%', a: Scalar, conventions: Conventions): Scalar {
  if (op === '+') return a;
  const x = toNumber(a, conventions);
  if (typeof x !== 'number') return x;
  return op === '-' ? 0 - x : x / 100;
}
