import { DIV0, NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import { ceilSteps, floorSteps, round, roundDown, roundSteps, roundUp } from '../numeric/rounding.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

type Step = (quotient: number) => number;

/** A number at a multiple of `step`, which is never 0; a whole product keeps its digits. */
function multiple(value: number, step: number, choose: Step): number {
  return choose(value / step) * step + 0;
}

/** CEILING and FLOOR: a positive number with a negative step is `#NUM!`. */
function signed(value: number, step: number, choose: Step): Value {
  if (value > 0 && step < 0) return NUM;
  return multiple(value, step, choose);
}

/** The step where none is written, as in Google Sheets. */
const UNIT = 1;

/**
 * OpenFormula's third argument of CEILING and FLOOR (6.17.1, 6.17.3), which Excel does not take: with a mode of 0 a
 * negative number is rounded as on the number line (FLOOR away from zero), with any other by its amount.
 */
function moded(value: number, step: number, byAmount: boolean, choose: Step, opposite: Step): Value {
  if (step === 0 || value === 0) return 0;
  if (value < 0 !== step < 0) return NUM;
  return multiple(value, step, value < 0 && !byAmount ? opposite : choose);
}

function precise(name: string, choose: Step): FunctionSpec {
  return define('math', name, ['number', 'number?'], (_, value, step) => {
    const size = Math.abs(step ?? 1);
    return size === 0 ? 0 : multiple(value, size, choose);
  });
}

function directed(name: string, toward: Step, away: Step): FunctionSpec {
  return define('math', name, ['number', 'number?', 'number?'], (_, value, step, mode) => {
    const size = Math.abs(step ?? 1);
    if (size === 0) return 0;
    return multiple(value, size, value < 0 && (mode ?? 0) !== 0 ? away : toward);
  });
}

/** EVEN and ODD: away from zero to the next integer with the given remainder by 2. */
function awayToParity(value: number, odd: 0 | 1): number {
  const size = Math.ceil(Math.abs(value));
  const whole = size % 2 === odd ? size : size + 1;
  return (value < 0 ? -whole : whole) + 0;
}

export const ROUNDING: readonly FunctionSpec[] = [
  define('math', 'ROUND', ['number', 'number?'], (_, value, digits) => round(value, digits ?? 0), { carries: 0 }),
  define('math', 'ROUNDUP', ['number', 'number?'], (_, value, digits) => roundUp(value, Math.trunc(digits ?? 0)), {
    carries: 0,
  }),
  define('math', 'ROUNDDOWN', ['number', 'number?'], (_, value, digits) => roundDown(value, Math.trunc(digits ?? 0)), {
    carries: 0,
  }),
  define('math', 'TRUNC', ['number', 'number?'], (_, value, digits) => roundDown(value, Math.trunc(digits ?? 0)), {
    carries: 0,
  }),
  define('math', 'INT', ['number'], (_, value) => Math.floor(value) + 0, { carries: 0 }),
  define('math', 'EVEN', ['number'], (_, value) => awayToParity(value, 0)),
  define('math', 'ODD', ['number'], (_, value) => awayToParity(value, 1)),
  defineStrict(
    'math',
    'MROUND',
    ['number', 'number'],
    (_, value, step) => {
      if (value === 0 || step === 0) return 0;
      return value < 0 === step < 0 ? multiple(value, step, roundSteps) : NUM;
    },
    { carries: 0 },
  ),
  // The step may be left off, and ROUND's places, as in Google Sheets.
  define(
    'math',
    'CEILING',
    ['number', 'number?', 'boolean?'],
    (_, value, step, mode) => {
      if (mode !== undefined) return moded(value, step ?? UNIT, mode, ceilSteps, floorSteps);
      return step === 0 ? 0 : signed(value, step ?? UNIT, ceilSteps);
    },
    { carries: 0 },
  ),
  define(
    'math',
    'FLOOR',
    ['number', 'number?', 'boolean?'],
    (_, value, step, mode) => {
      if (mode !== undefined) return moded(value, step ?? UNIT, mode, floorSteps, ceilSteps);
      if (step === 0) return value === 0 ? 0 : DIV0;
      return signed(value, step ?? UNIT, floorSteps);
    },
    { carries: 0 },
  ),
  directed('CEILING.MATH', ceilSteps, floorSteps),
  directed('FLOOR.MATH', floorSteps, ceilSteps),
  precise('CEILING.PRECISE', ceilSteps),
  precise('ISO.CEILING', ceilSteps),
  precise('FLOOR.PRECISE', floorSteps),
];
