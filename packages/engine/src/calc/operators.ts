import type { BinaryOperator } from '../formula/ast.ts';
import { type Conventions, toNumber, toText } from '../functions/coerce.ts';
import { power } from '../functions/numeric/power.ts';
import { compareOperands } from '../functions/order.ts';
import { Matrix } from '../functions/value.ts';
import { DIV0, NUM, VALUE } from '../value/errors.ts';
import { isError, type Scalar } from '../value/scalar.ts';

/** Operators on scalars; the reference operators are not among them. */
export type ScalarOperator = Exclude<BinaryOperator, ':' | 'union' | 'intersect'>;

/** Longer texts than this are `#VALUE!`, as in Excel. Characters. */
const MAX_TEXT = 32_767;

type Arithmetic = (a: number, b: number) => Scalar;

function finite(result: number): Scalar {
  return Number.isFinite(result) ? result : NUM;
}

const ARITHMETIC: Record<'+' | '-' | '*' | '/' | '^', Arithmetic> = {
  '+': (a, b) => finite(nearZero(a + b, a)),
  '-': (a, b) => finite(nearZero(a - b, a)),
  '*': (a, b) => finite(a * b),
  '/': (a, b) => (b === 0 ? DIV0 : finite(a / b)),
  '^': power,
};

/** Below this share of an operand, what is left of a sum is rounding noise and shows as zero, as in Excel. */
const NOISE = 2 ** -49;

/** Excel gives 0 where two almost equal numbers cancel out: `=1.1-1-0.1` aside, `=0.3-0.1*3` is 0 there. */
export function nearZero(result: number, operand: number): number {
  return result !== 0 && Math.abs(result) < Math.abs(operand) * NOISE ? 0 : result;
}

/** Applies an operator to two scalars. The first error among the operands is the result. */
export function scalarBinary(op: ScalarOperator, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  if (isError(a)) return a;
  if (isError(b)) return b;
  switch (op) {
    case '&':
      return join(toText(a, conventions), toText(b, conventions));
    case '=':
      return compareOperands(a, b) === 0;
    case '<>':
      return compareOperands(a, b) !== 0;
    case '<':
      return compareOperands(a, b) < 0;
    case '<=':
      return compareOperands(a, b) <= 0;
    case '>':
      return compareOperands(a, b) > 0;
    case '>=':
      return compareOperands(a, b) >= 0;
    default:
      return arithmetic(ARITHMETIC[op], a, b, conventions);
  }
}

function join(a: Scalar, b: Scalar): Scalar {
  const text = `${a}${b}`;
  return text.length > MAX_TEXT ? VALUE : text;
}

function arithmetic(compute: Arithmetic, a: Scalar, b: Scalar, conventions: Conventions): Scalar {
  const x = toNumber(a, conventions);
  if (typeof x !== 'number') return x;
  const y = toNumber(b, conventions);
  return typeof y === 'number' ? compute(x, y) : y;
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
