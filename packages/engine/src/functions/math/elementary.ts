import { DIV0, NUM } from '../../value/errors.ts';
import { define, withTraits } from '../define.ts';
import { power } from '../numeric/power.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

/** Maximum angle. The remainder of a larger angle divided by π has no exact digits; it gives `#NUM!`, as in Excel. */
const ANGLE_LIMIT = 2 ** 27;

function defineUnary(name: string, run: (x: number) => Value): FunctionSpec {
  return define('math', name, ['number'], (_, x) => run(x));
}

/** Defines a function of an angle, whose size is limited as in Excel. */
function defineAngleFunction(name: string, run: (x: number) => Value): FunctionSpec {
  return defineUnary(name, (x) => (Math.abs(x) >= ANGLE_LIMIT ? NUM : run(x)));
}

/** 1/y; `#DIV/0!` if y is 0. */
function computeReciprocal(y: number): Value {
  return y === 0 ? DIV0 : 1 / y;
}

/** Returns the exact remainder, with the sign of the divisor. */
function computeRemainder(value: number, divisor: number): Value {
  if (divisor === 0) return DIV0;
  const rest = value % divisor;
  return (rest !== 0 && rest < 0 !== divisor < 0 ? rest + divisor : rest) + 0;
}

export const POWER: FunctionSpec = define('math', 'POWER', ['number', 'number'], (_, base, exponent) =>
  power(base, exponent),
);

export const ELEMENTARY: readonly FunctionSpec[] = [
  withTraits(defineUnary('ABS', Math.abs), { carries: 0, isTotal: true, monotone: 'eachSide' }),
  withTraits(
    defineUnary('SIGN', (x) => Math.sign(x) + 0),
    { isTotal: true },
  ),
  defineUnary('SQRT', Math.sqrt),
  defineStrict('math', 'SQRTPI', ['number'], (_, x) => Math.sqrt(x * Math.PI)),
  defineUnary('EXP', Math.exp),
  defineUnary('LN', Math.log),
  defineUnary('LOG10', Math.log10),
  define('math', 'LOG', ['number', 'number?'], (_, x, base) => {
    if (base === undefined || base === 10) return Math.log10(x);
    if (x <= 0 || base <= 0) return NUM;
    if (base === 1) return DIV0;
    return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
  }),
  POWER,
  define('math', 'MOD', ['number', 'number'], (_, value, divisor) => computeRemainder(value, divisor)),
  defineStrict('math', 'QUOTIENT', ['number', 'number'], (_, value, divisor) =>
    divisor === 0 ? DIV0 : Math.trunc(value / divisor) + 0,
  ),
  define('math', 'PI', [], () => Math.PI),
  defineUnary('DEGREES', (x) => (x / Math.PI) * 180),
  defineUnary('RADIANS', (x) => (x / 180) * Math.PI),
  defineAngleFunction('SIN', Math.sin),
  defineAngleFunction('COS', Math.cos),
  defineAngleFunction('TAN', Math.tan),
  defineAngleFunction('COT', (x) => computeReciprocal(Math.tan(x))),
  defineAngleFunction('SEC', (x) => computeReciprocal(Math.cos(x))),
  defineAngleFunction('CSC', (x) => computeReciprocal(Math.sin(x))),
  defineUnary('ASIN', Math.asin),
  defineUnary('ACOS', Math.acos),
  defineUnary('ATAN', Math.atan),
  define('math', 'ATAN2', ['number', 'number'], (_, x, y) => (x === 0 && y === 0 ? DIV0 : Math.atan2(y, x))),
  defineUnary('ACOT', (x) => Math.PI / 2 - Math.atan(x)),
  defineUnary('SINH', Math.sinh),
  defineUnary('COSH', Math.cosh),
  defineUnary('TANH', Math.tanh),
  defineUnary('COTH', (x) => (x === 0 ? DIV0 : 1 / Math.tanh(x))),
  defineUnary('SECH', (x) => 1 / Math.cosh(x)),
  defineUnary('CSCH', (x) => (x === 0 ? DIV0 : 1 / Math.sinh(x))),
  defineUnary('ASINH', Math.asinh),
  defineUnary('ACOSH', Math.acosh),
  defineUnary('ATANH', Math.atanh),
  defineUnary('ACOTH', (x) => (Math.abs(x) <= 1 ? NUM : Math.atanh(1 / x))),
];
