import { type CellError, DIV0, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { numberToText, toText } from '../coerce.ts';
import { define, defineVariadic } from '../define.ts';
import { readAsScalar } from '../invoke.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import {
  add,
  argument,
  type Complex,
  cos,
  cosh,
  createComplex,
  divide,
  exp,
  fromPolar,
  ln,
  modulus,
  multiply,
  ONE,
  sin,
  sinh,
  sqrt,
  subtract,
  tan,
  tanh,
} from '../numeric/complex.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import { Matrix, Reference, type Value } from '../value.ts';

/** The cost of reading a complex number, in cells. */
const COMPLEX_WORK = 8;

/** A complex number with the imaginary unit of its text; the unit is empty if the text has none. */
interface WrittenComplex {
  readonly value: Complex;
  readonly unit: 'i' | 'j' | null;
}

const NUMBER = '[0-9]+(?:[.][0-9]*)?(?:[eE][+-]?[0-9]+)?|[.][0-9]+(?:[eE][+-]?[0-9]+)?';
const REAL = new RegExp(`^[+-]?(?:${NUMBER})$`);
const IMAGINARY = new RegExp(`^([+-]?(?:${NUMBER})?)([ij])$`);
const BOTH = new RegExp(`^([+-]?(?:${NUMBER}))([+-](?:${NUMBER})?)([ij])$`);

/** The number before an imaginary unit: 1 for no digits, -1 for a single minus. */
function parseCoefficient(text: string): number {
  if (text === '' || text === '+') return 1;
  return text === '-' ? -1 : Number(text);
}

function parseComplex(text: string, context: FunctionContext): WrittenComplex | CellError {
  const plain = context.locale === 'en-US' || context.locale === 'en-GB' ? text : text.replaceAll(',', '.');
  if (plain.length > MAX_TEXT_LENGTH) return NUM;
  if (REAL.test(plain)) return { value: createComplex(Number(plain), 0), unit: null };
  const imaginary = IMAGINARY.exec(plain);
  if (imaginary) return { value: createComplex(0, parseCoefficient(imaginary[1]!)), unit: imaginary[2] as 'i' | 'j' };
  const both = BOTH.exec(plain);
  if (!both) return NUM;
  return { value: createComplex(Number(both[1]), parseCoefficient(both[2]!)), unit: both[3] as 'i' | 'j' };
}

function readComplex(value: Scalar, context: FunctionContext): WrittenComplex | CellError {
  if (typeof value === 'boolean') return VALUE;
  if (typeof value === 'number') return { value: createComplex(value, 0), unit: null };
  if (value === null) return { value: createComplex(0, 0), unit: null };
  const text = toText(value, context);
  return isError(text) ? text : parseComplex(text, context);
}

function formatComplex(z: Complex, unit: string, context: FunctionContext): Value {
  if (!Number.isFinite(z.re) || !Number.isFinite(z.im)) return NUM;
  const size = Math.abs(z.im);
  if (size === 0) return numberToText(z.re, context);
  const digits = size === 1 ? '' : numberToText(size, context);
  const sign = z.im < 0 ? '-' : z.re === 0 ? '' : '+';
  return `${z.re === 0 ? '' : numberToText(z.re, context)}${sign}${digits}${unit}`;
}

/** Defines a function of a complex number with a real result. */
function defineReal(name: string, run: (z: Complex) => Value): FunctionSpec {
  return define('engineering', name, ['scalar'], (context, value) => {
    const written = readComplex(value, context);
    return isError(written) ? written : run(written.value);
  });
}

/** Defines a function of a complex number with a complex result, or an error. */
function defineComplex(name: string, run: (z: Complex) => Complex | CellError): FunctionSpec {
  return define('engineering', name, ['scalar'], (context, value) => {
    const written = readComplex(value, context);
    if (isError(written)) return written;
    const result = run(written.value);
    return isError(result) ? result : formatComplex(result, written.unit ?? 'i', context);
  });
}

/** The reciprocal of a function; `#NUM!` if its result is 0. */
function createReciprocal(run: (z: Complex) => Complex): (z: Complex) => Complex | CellError {
  return (z) => computeQuotient(ONE, run(z));
}

function computeQuotient(a: Complex, b: Complex): Complex | CellError {
  return b.re === 0 && b.im === 0 ? NUM : divide(a, b);
}

/** Defines a function of two complex numbers that are written with the same unit. */
function defineBinary(name: string, run: (a: Complex, b: Complex) => Complex | CellError): FunctionSpec {
  return define('engineering', name, ['scalar', 'scalar'], (context, first, second) => {
    const a = readComplex(first, context);
    const b = readComplex(second, context);
    if (isError(a)) return a;
    if (isError(b)) return b;
    if (a.unit && b.unit && a.unit !== b.unit) return VALUE;
    const result = run(a.value, b.value);
    return isError(result) ? result : formatComplex(result, a.unit ?? b.unit ?? 'i', context);
  });
}

/** Defines a function of many complex numbers. Omits blank cells of ranges. */
function defineAccumulation(
  name: string,
  start: Complex,
  run: (total: Complex, next: Complex) => Complex,
): FunctionSpec {
  return defineVariadic('engineering', name, ['value'], ['value'], (context, first, rest) => {
    let total = start;
    let unit: 'i' | 'j' | null = null;
    let error: CellError | null = null;
    const take = (value: Scalar) => {
      context.reportWork(COMPLEX_WORK);
      if (error !== null || value === null) return;
      const written = readComplex(value, context);
      if (isError(written)) error = written;
      else if (unit && written.unit && unit !== written.unit) error = VALUE;
      else {
        unit ??= written.unit;
        total = run(total, written.value);
      }
    };
    for (const arg of [first, ...rest]) {
      const single = readAsScalar(context, arg);
      if (single !== undefined) take(single ?? 0);
      else if (arg instanceof Reference) context.scanReference(arg, take);
      else if (arg instanceof Matrix) forEachValue(context, arg, take);
      else return VALUE;
    }
    return error ?? formatComplex(total, unit ?? 'i', context);
  });
}

/** Creates a logarithm: the natural one multiplied by `scale`. */
function createLogarithm(scale: number): (z: Complex) => Complex | CellError {
  return (z) => {
    if (z.re === 0 && z.im === 0) return NUM;
    const natural = ln(z);
    return createComplex(natural.re / scale, natural.im / scale);
  };
}

function computePower(z: Complex, exponent: number): Complex | CellError {
  if (z.re === 0 && z.im === 0) return exponent > 0 ? z : NUM;
  if (z.im === 0 && (z.re > 0 || Number.isInteger(exponent))) return createComplex(z.re ** exponent, 0);
  return fromPolar(modulus(z) ** exponent, argument(z) * exponent);
}

export const COMPLEX: readonly FunctionSpec[] = [
  defineStrict('engineering', 'COMPLEX', ['number', 'number', 'text??'], (context, re, im, unit) => {
    const suffix = unit === undefined || unit === '' ? 'i' : unit;
    return suffix === 'i' || suffix === 'j' ? formatComplex(createComplex(re, im), suffix, context) : VALUE;
  }),
  defineReal('IMREAL', (z) => z.re),
  defineReal('IMAGINARY', (z) => z.im),
  defineReal('IMABS', modulus),
  defineReal('IMARGUMENT', (z) => (z.re === 0 && z.im === 0 ? DIV0 : argument(z))),
  defineComplex('IMCONJUGATE', (z) => createComplex(z.re, -z.im)),
  defineComplex('IMSQRT', sqrt),
  defineComplex('IMEXP', exp),
  defineComplex('IMLN', createLogarithm(1)),
  defineComplex('IMLOG10', createLogarithm(Math.LN10)),
  defineComplex('IMLOG2', createLogarithm(Math.LN2)),
  defineComplex('IMSIN', sin),
  defineComplex('IMCOS', cos),
  defineComplex('IMTAN', tan),
  defineComplex('IMCOT', createReciprocal(tan)),
  defineComplex('IMSEC', createReciprocal(cos)),
  defineComplex('IMCSC', createReciprocal(sin)),
  defineComplex('IMSINH', sinh),
  defineComplex('IMCOSH', cosh),
  defineComplex('IMTANH', tanh),
  defineComplex('IMCOTH', createReciprocal(tanh)),
  defineComplex('IMSECH', createReciprocal(cosh)),
  defineComplex('IMCSCH', createReciprocal(sinh)),
  define('engineering', 'IMPOWER', ['scalar', 'number'], (context, value, exponent) => {
    const written = readComplex(value, context);
    if (isError(written)) return written;
    const result = computePower(written.value, exponent);
    return isError(result) ? result : formatComplex(result, written.unit ?? 'i', context);
  }),
  define('engineering', 'IMLOG', ['scalar', 'scalar'], (context, value, base) => {
    const written = readComplex(value, context);
    const root = readComplex(base, context);
    if (isError(written)) return written;
    if (isError(root)) return root;
    const [a, b] = [createLogarithm(1)(written.value), createLogarithm(1)(root.value)];
    if (isError(a)) return a;
    if (isError(b)) return b;
    const result = computeQuotient(a, b);
    return isError(result) ? result : formatComplex(result, written.unit ?? root.unit ?? 'i', context);
  }),
  defineBinary('IMSUB', subtract),
  defineBinary('IMDIV', computeQuotient),
  defineAccumulation('IMSUM', createComplex(0, 0), add),
  defineAccumulation('IMPRODUCT', ONE, multiply),
];
