import type { BinaryOperator } from '../formula/ast.ts';
import { type Conventions, toNumber, toText } from '../functions/coerce.ts';
import { power } from '../functions/numeric/power.ts';
import { compareOperands, equalOperands } from '../functions/order.ts';
import { Matrix } from '../functions/value.ts';
import { DIV0, NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** Operators on scalars; the reference operators are not among them. */
export type ScalarOperator = Exclude<BinaryOperator, ':' | 'union' | 'intersect'>;

type ArithmeticOperator = '+' | '-' | '*' | '/' | '^';

/** Longer texts than this are `#VALUE!`, as in Excel. Characters. */
const MAX_TEXT = 32_767;

/** Below this share of an operand, what is left of a sum is rounding noise and shows as zero, as in Excel. */
const NOISE = 2 ** -49;

/** Excel gives 0 where two almost equal numbers cancel out: `=1.1-1-0.1` aside, `=0.3-0.1*3` is 0 there. */
export function roundNoise(result: number, operand: number): number {
  return result !== 0 && Math.abs(result) < Math.abs(operand) * NOISE ? 0 : result;
}

/**
 * The four operators on plain numbers; NaN, which stays NaN through further ones, where the result is an error, and for
 * any other operator.
 */
export function plainArithmetic(op: BinaryOperator, a: number, b: number): number {
  const result = calculateUnchecked(op, a, b);
  return Number.isFinite(result) ? result : Number.NaN;
}

function calculateUnchecked(op: BinaryOperator, a: number, b: number): number {
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

/** Applies an operator to two scalars. The first error among the operands is the result. */
export function scalarBinary(op: ScalarOperator, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  if (isError(a)) return a;
  if (isError(b)) return b;
  switch (op) {
    case '&':
      return joinTexts(toText(a, conventions), toText(b, conventions));
    case '=':
      return equalOperands(a, b);
    case '<>':
      return !equalOperands(a, b);
    case '<':
      return compareOperands(a, b, conventions.locale) < 0;
    case '<=':
      return compareOperands(a, b, conventions.locale) <= 0;
    case '>':
      return compareOperands(a, b, conventions.locale) > 0;
    case '>=':
      return compareOperands(a, b, conventions.locale) >= 0;
    default:
      return arithmetic(op, a, b, conventions);
  }
}

function joinTexts(a: Scalar, b: Scalar): Scalar {
  const text = `${a}${b}`;
  return text.length > MAX_TEXT ? VALUE : text;
}

function arithmetic(op: ArithmeticOperator, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  const x = toNumber(a, conventions);
  if (typeof x !== 'number') return x;
  const y = toNumber(b, conventions);
  if (typeof y !== 'number') return y;
  if (op === '^') return power(x, y);
  if (op === '/' && y === 0) return DIV0;
  const result = plainArithmetic(op, x, y);
  return Number.isNaN(result) ? NUM : result;
}

export function broadcastUnary(a: Matrix, compute: (a: Scalar) => Scalar): Matrix {
  return new Matrix(a.rows, a.columns, a.data.map(compute));
}

export function scalarUnary(op: '-' | '+' | '%', a: Scalar, conventions: Conventions): Scalar {
  if (op === '+') return a;
  const x = toNumber(a, conventions);
  if (typeof x !== 'number') return x;
  return op === '-' ? 0 - x : x / 100;
}
