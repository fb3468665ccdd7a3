import { NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import { besselI, besselJ, besselK, besselY } from '../numeric/bessel.ts';
import { erf, erfc } from '../numeric/normal.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';

/** Maximum order of Bessel functions. Their recurrences take one step per order. */
const MAX_ORDER = 100_000;
/** Maximum argument of J and Y. The remainder of a larger argument divided by π has no exact digits. */
const MAX_ARGUMENT = 2 ** 27;

/** Number of recurrence steps that count as one cell of the budget. */
const STEPS_PER_CELL = 8;

/** Defines a Bessel function. `positive`: x must be greater than 0. */
function defineBessel(name: string, positive: boolean, run: (x: number, n: number) => number): FunctionSpec {
  return defineStrict('engineering', name, ['number', 'integer'], (context, x, n) => {
    if (n < 0 || n > MAX_ORDER || Math.abs(x) > MAX_ARGUMENT || (positive && x <= 0)) return NUM;
    context.spendCells(Math.ceil(n / 100));
    context.reportWork((n + Math.min(Math.abs(x), MAX_ORDER)) / STEPS_PER_CELL);
    return run(x, n);
  });
}

export const SPECIAL: readonly FunctionSpec[] = [
  defineBessel('BESSELJ', false, besselJ),
  defineBessel('BESSELY', true, besselY),
  defineBessel('BESSELI', false, besselI),
  defineBessel('BESSELK', true, besselK),
  defineStrict('engineering', 'ERF', ['number', 'number??'], (_, from, to) =>
    to === undefined ? erf(from) : erf(to) - erf(from),
  ),
  defineStrict('engineering', 'ERFC', ['number'], (_, x) => erfc(x)),
  define('engineering', 'ERF.PRECISE', ['number'], (_, x) => erf(x)),
  define('engineering', 'ERFC.PRECISE', ['number'], (_, x) => erfc(x)),
  defineStrict('engineering', 'DELTA', ['number', 'number??'], (_, a, b) => (a === (b ?? 0) ? 1 : 0)),
  defineStrict('engineering', 'GESTEP', ['number', 'number??'], (_, x, step) => (x >= (step ?? 0) ? 1 : 0)),
];
