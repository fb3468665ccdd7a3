import { type CellError, NA, NUM, VALUE } from '../../value/errors.ts';
import { isError, type Scalar } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define, defineVariadic } from '../define.ts';
import { combinations, doubleFactorial, factorial } from '../numeric/factorial.ts';
import { forEachValue } from '../shape.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import { Lambda, Matrix, Reference, type Value } from '../value.ts';

/** Maximum integer of GCD and LCM. Doubles do not represent larger ones exactly. */
const MAX_EXACT = 2 ** 53;
/** The cost of processing an integer, in cells. */
const INTEGER_WORK = 4;

/**
 * Collects the integers for GCD, LCM and MULTINOMIAL, truncated toward zero. Unlike SUM these functions refuse texts in
 * ranges, and all negative numbers.
 */
function gatherIntegers(context: FunctionContext, args: readonly Value[]): number[] | CellError {
  const integers: number[] = [];
  let error: CellError | null = null;
  const add = (value: Scalar) => {
    // Computing a greatest common divisor or a binomial coefficient takes much longer than reading the number.
    context.reportWork(INTEGER_WORK);
    if (error !== null || value === null) return;
    const number = typeof value === 'boolean' ? VALUE : toNumber(value, context);
    if (isError(number)) error = number;
    else if (number < 0 || number >= MAX_EXACT) error = NUM;
    else integers.push(Math.trunc(number));
  };
  for (const arg of args) {
    if (arg instanceof Reference) context.scanReference(arg, add);
    else if (arg instanceof Matrix) forEachValue(context, arg, add);
    else add(arg instanceof Lambda ? VALUE : arg);
    if (error !== null) return error;
  }
  return integers;
}

function computeGreatestCommonDivisor(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

function computeLeastCommonMultiple(values: readonly number[]): Value {
  let result = 1;
  for (const value of values) {
    if (value === 0) return 0;
    result *= value / computeGreatestCommonDivisor(result, value);
    if (result >= MAX_EXACT) return NUM;
  }
  return result;
}

function computeMultinomial(values: readonly number[]): Value {
  let result = 1;
  let total = 0;
  for (const value of values) {
    total += value;
    result *= combinations(total, value);
  }
  return result;
}

/**
 * Defines a function of the Analysis ToolPak for integers. An omitted argument gives `#N/A`. `emptyResult`: the result
 * if all cells are empty.
 */
function defineOnIntegers(name: string, emptyResult: Value, run: (values: readonly number[]) => Value): FunctionSpec {
  const spec = defineVariadic('math', name, ['value'], ['value?'], (context, first, rest) => {
    const args = [first, ...rest];
    if (args.includes(undefined)) return NA;
    const values = gatherIntegers(context, args as readonly Value[]);
    if (isError(values)) return values;
    return values.length === 0 ? emptyResult : run(values);
  });
  const argument = { kind: 'value', missingIsAbsent: true } as const;
  return { ...spec, args: [argument], rest: [argument] };
}

export const COMBINATORICS: readonly FunctionSpec[] = [
  define('math', 'FACT', ['integer'], (_, n) => (n < 0 ? NUM : factorial(n))),
  defineStrict('math', 'FACTDOUBLE', ['integer'], (_, n) => (n < -1 ? NUM : doubleFactorial(n))),
  define('math', 'COMBIN', ['integer', 'integer'], (_, n, k) => (n < 0 || k < 0 || n < k ? NUM : combinations(n, k))),
  define('math', 'COMBINA', ['integer', 'integer'], (_, n, k) => {
    if (n < 0 || k < 0 || (n === 0 && k > 0)) return NUM;
    return k === 0 ? 1 : combinations(n + k - 1, k);
  }),
  defineOnIntegers('GCD', 0, (values) => values.reduce(computeGreatestCommonDivisor, 0)),
  defineOnIntegers('LCM', 0, computeLeastCommonMultiple),
  defineOnIntegers('MULTINOMIAL', VALUE, computeMultinomial),
];
