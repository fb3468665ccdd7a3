import { DIV0, NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import { ceilSteps, floorSteps, round, roundDown, roundSteps, roundUp } from '../numeric/rounding.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

type ChooseStep = (quotient: number) => number;

/** The smallest quotient for which the rounding error changes digits before the decimal mark. */
const LARGE_QUOTIENT = 1e12;

/** Rounds to a multiple of `step`, which is not 0. The result is exact if the step is an integer. */
function roundToMultiple(value: number, step: number, choose: ChooseStep): number {
  if (Number.isInteger(step) && Math.abs(value / step) >= LARGE_QUOTIENT) {
    // The remainder is exact. If it is 0, and if the step is an integer, the value itself is the multiple.
    const rest = value % step;
    return value + (choose(rest / step) * step - rest);
  }
  return choose(value / step) * step + 0;
}

/** CEILING and FLOOR: a positive number with a negative step is `#NUM!`. */
function roundSigned(value: number, step: number, choose: ChooseStep): Value {
  if (value > 0 && step < 0) return NUM;
  return roundToMultiple(value, step, choose);
}

/** The default step, as in Google Sheets. */
const UNIT = 1;

/** Defines a function such as CEILING.PRECISE, which ignores the sign of the step. */
function definePrecise(name: string, choose: ChooseStep): FunctionSpec {
  return define('math', name, ['number', 'number?'], (_, value, step) => {
    const size = Math.abs(step ?? 1);
    return size === 0 ? 0 : roundToMultiple(value, size, choose);
  });
}

/** Defines CEILING.MATH or FLOOR.MATH. `away`: the rounding of negative numbers with a mode other than 0. */
function defineDirected(name: string, toward: ChooseStep, away: ChooseStep): FunctionSpec {
  return define('math', name, ['number', 'number?', 'number?'], (_, value, step, mode) => {
    const size = Math.abs(step ?? 1);
    if (size === 0) return 0;
    return roundToMultiple(value, size, value < 0 && (mode ?? 0) !== 0 ? away : toward);
  });
}

/** EVEN and ODD: rounds away from zero to the next integer with the given remainder by 2. */
function roundToParity(value: number, odd: 0 | 1): number {
  const size = Math.ceil(Math.abs(value));
  const whole = size % 2 === odd ? size : size + 1;
  return (value < 0 ? -whole : whole) + 0;
}

export const ROUNDING: readonly FunctionSpec[] = [
  define('math', 'ROUND', ['number', 'number?'], (_, value, digits) => round(value, digits ?? 0), {
    carries: 0,
    monotone: 'always',
  }),
  define('math', 'ROUNDUP', ['number', 'number?'], (_, value, digits) => roundUp(value, Math.trunc(digits ?? 0)), {
    carries: 0,
    monotone: 'always',
  }),
  define('math', 'ROUNDDOWN', ['number', 'number?'], (_, value, digits) => roundDown(value, Math.trunc(digits ?? 0)), {
    carries: 0,
    monotone: 'always',
  }),
  define('math', 'TRUNC', ['number', 'number?'], (_, value, digits) => roundDown(value, Math.trunc(digits ?? 0)), {
    carries: 0,
    monotone: 'always',
  }),
  define('math', 'INT', ['number'], (_, value) => Math.floor(value) + 0, {
    carries: 0,
    isTotal: true,
    monotone: 'always',
  }),
  define('math', 'EVEN', ['number'], (_, value) => roundToParity(value, 0)),
  define('math', 'ODD', ['number'], (_, value) => roundToParity(value, 1)),
  defineStrict(
    'math',
    'MROUND',
    ['number', 'number'],
    (_, value, step) => {
      if (value === 0 || step === 0) return 0;
      return value < 0 === step < 0 ? roundToMultiple(value, step, roundSteps) : NUM;
    },
    { carries: 0 },
  ),
  // As in Google Sheets, the step is optional, and so are the places of ROUND.
  define(
    'math',
    'CEILING',
    ['number', 'number?'],
    (_, value, step) => (step === 0 ? 0 : roundSigned(value, step ?? UNIT, ceilSteps)),
    { carries: 0, longer: 'CEILING.MATH' },
  ),
  define(
    'math',
    'FLOOR',
    ['number', 'number?'],
    (_, value, step) => {
      if (step === 0) return value === 0 ? 0 : DIV0;
      return roundSigned(value, step ?? UNIT, floorSteps);
    },
    { carries: 0, longer: 'FLOOR.MATH' },
  ),
  defineDirected('CEILING.MATH', ceilSteps, floorSteps),
  defineDirected('FLOOR.MATH', floorSteps, ceilSteps),
  definePrecise('CEILING.PRECISE', ceilSteps),
  definePrecise('ISO.CEILING', ceilSteps),
  definePrecise('FLOOR.PRECISE', floorSteps),
];
