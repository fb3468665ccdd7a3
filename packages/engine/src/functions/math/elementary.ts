import { DIV0, NUM } from '../../value/errors.ts';
import { define, withTraits } from '../define.ts';
import { power } from '../numeric/power.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

/** Angles from here on have no digits left in their remainder by π: Excel answers `#NUM!`. */
const ANGLE_LIMIT = 2 ** 27;

function unary(name: string, run: (x: number) => Value): FunctionSpec {
  return define('math', name, ['number'], (_, x) => run(x));
}

function ofAngle(name: string, run: (x: number) => Value): FunctionSpec {
  return unary(name, (x) => (Math.abs(x) >= ANGLE_LIMIT ? NUM : run(x)));
}

/** 1/y, and `#DIV/0!` where y is 0. */
function reciprocal(y: number): Value {
  return y === 0 ? DIV0 : 1 / y;
}

/** The remainder, exact, with the divisor's sign. */
function mod(value: number, divisor: number): Value {
  if (divisor === 0) return DIV0;
  const rest = value % divisor;
  return (rest !== 0 && rest < 0 !== divisor < 0 ? rest + divisor : rest) + 0;
}

export const POWER: FunctionSpec = define('math', 'POWER', ['number', 'number'], (_, base, exponent) =>
  power(base, exponent),
);

export const ELEMENTARY: readonly FunctionSpec[] = [
  withTraits(unary('ABS', Math.abs), { carries: 0 }),
  unary('SIGN', (x) => Math.sign(x) + 0),
  unary('SQRT', Math.sqrt),
  defineStrict('math', 'SQRTPI', ['number'], (_, x) => Math.sqrt(x * Math.PI)),
  unary('EXP', Math.exp),
  unary('LN', Math.log),
  unary('LOG10', Math.log10),
  define('math', 'LOG', ['number', 'number?'], (_, x, base) => {
    if (base === undefined || base === 10) return Math.log10(x);
    if (x <= 0 || base <= 0) return NUM;
    if (base === 1) return DIV0;
    return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
  }),
  POWER,
  define('math', 'MOD', ['number', 'number'], (_, value, divisor) => mod(value, divisor)),
  defineStrict('math', 'QUOTIENT', ['number', 'number'], (_, value, divisor) =>
    divisor === 0 ? DIV0 : Math.trunc(value / divisor) + 0,
  ),
  define('math', 'PI', [], () => Math.PI),
  unary('DEGREES', (x) => (x / Math.PI) * 180),
  unary('RADIANS', (x) => (x / 180) * Math.PI),
  ofAngle('SIN', Math.sin),
  ofAngle('COS', Math.cos),
  ofAngle('TAN', Math.tan),
  ofAngle('COT', (x) => reciprocal(Math.tan(x))),
  ofAngle('SEC', (x) => reciprocal(Math.cos(x))),
  ofAngle('CSC', (x) => reciprocal(Math.sin(x))),
  unary('ASIN', Math.asin),
  unary('ACOS', Math.acos),
  unary('ATAN', Math.atan),
  define('math', 'ATAN2', ['number', 'number'], (_, x, y) => (x === 0 && y === 0 ? DIV0 : Math.atan2(y, x))),
  unary('ACOT', (x) => Math.PI / 2 - Math.atan(x)),
  unary('SINH', Math.sinh),
  unary('COSH', Math.cosh),
  unary('TANH', Math.tanh),
  unary('COTH', (x) => (x === 0 ? DIV0 : 1 / Math.tanh(x))),
  unary('SECH', (x) => 1 / Math.cosh(x)),
  unary('CSCH', (x) => (x === 0 ? DIV0 : 1 / Math.sinh(x))),
  unary('ASINH', Math.asinh),
  unary('ACOSH', Math.acosh),
  unary('ATANH', Math.atanh),
  unary('ACOTH', (x) => (Math.abs(x) <= 1 ? NUM : Math.atanh(1 / x))),
];
