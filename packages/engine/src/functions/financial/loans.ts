import { DIV0, NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import {
  computeFutureValue,
  computeGrowth,
  computePayment,
  computePresentValue,
  computePrincipalPart,
} from '../numeric/annuity.ts';
import { findRateByNewton, type ValueAndSlope } from '../numeric/rate.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

/** The rate at which RATE and IRR start if the call has no guess. */
const DEFAULT_GUESS = 0.1;
/** Maximum product of rate and periods for which the derivative of an annuity is computed by its series. */
const SMALL_RATE = 1e-6;

/**
 * The payment time for a type argument: 0 for the end of periods, 1 for their start. Any type except 0 means the start.
 */
function toTiming(type: number | undefined): number {
  return (type ?? 0) === 0 ? 0 : 1;
}

/** NPER: the number of periods until the balance has the value `future`. */
function computePeriodCount(rate: number, periodPayment: number, present: number, future: number, type: number): Value {
  if (rate === 0) return periodPayment === 0 ? NUM : -(present + future) / periodPayment;
  if (rate <= -1) return NUM;
  const adjusted = periodPayment * (1 + rate * type);
  const ratio = (adjusted - future * rate) / (adjusted + present * rate);
  return ratio > 0 ? Math.log(ratio) / Math.log1p(rate) : NUM;
}

/** The balance at the end of the term as a function of the rate, and its derivative. */
function computeFinalBalance(
  rate: number,
  periods: number,
  periodPayment: number,
  present: number,
  future: number,
  type: number,
): ValueAndSlope {
  const grown = computeGrowth(rate, periods);
  const slopeOfGrowth = (periods * (1 + grown)) / (1 + rate);
  if (Math.abs(rate * periods) < SMALL_RATE) {
    const value = present * (1 + grown) + periodPayment * (periods * (1 + rate * (type + (periods - 1) / 2))) + future;
    return { value, slope: present * slopeOfGrowth + periodPayment * periods * (type + (periods - 1) / 2) };
  }
  const series = grown / rate;
  const slopeOfSeries = (slopeOfGrowth - series) / rate;
  return {
    value: present * (1 + grown) + periodPayment * (1 + rate * type) * series + future,
    slope: present * slopeOfGrowth + periodPayment * (type * series + (1 + rate * type) * slopeOfSeries),
  };
}

/** The rate at which one amount grows to another without payments. */
function computeGrowthRate(periods: number, present: number, future: number): Value {
  const ratio = -future / present;
  return ratio > 0 ? ratio ** (1 / periods) - 1 : NUM;
}

/** RATE: the interest rate per period, found from a guess. */
function solveRate(
  periods: number,
  periodPayment: number,
  present: number,
  future: number,
  type: number,
  guess: number,
): Value {
  if (periods <= 0 || guess <= -1) return NUM;
  if (periodPayment === 0) return computeGrowthRate(periods, present, future);
  return findRateByNewton((r) => computeFinalBalance(r, periods, periodPayment, present, future, type), guess) ?? NUM;
}

/** Creates CUMPRINC or CUMIPMT: checks the arguments, then calls `run` with whole periods. */
function createPeriodSumFunction(
  run: (rate: number, periods: number, present: number, first: number, last: number, type: number) => number,
) {
  return (rate: number, periods: number, present: number, start: number, end: number, type: number): Value => {
    const first = Math.ceil(start);
    const last = Math.floor(end);
    if (rate <= 0 || periods <= 0 || present <= 0 || (type !== 0 && type !== 1)) return NUM;
    if (start < 1 || end < start || end > periods || first > last) return NUM;
    if (!Number.isFinite(computeGrowth(rate, periods))) return NUM;
    return run(rate, periods, present, first, last, type);
  };
}

const cumulativePrincipal = createPeriodSumFunction((r, periods, present, first, last, type) =>
  computePrincipalPart(r, first, last, periods, present, 0, type),
);
const cumulativeInterest = createPeriodSumFunction((r, periods, present, first, last, type) => {
  const each = computePayment(r, periods, present, 0, type);
  return each * (last - first + 1) - computePrincipalPart(r, first, last, periods, present, 0, type);
});

const MONEY = { format: 'currency' } as const;
const SHARE = { format: 'percent' } as const;

export const LOANS: readonly FunctionSpec[] = [
  define(
    'financial',
    'PV',
    ['number', 'number', 'number', 'number?', 'number?'],
    (_, r, periods, each, future, type) =>
      // Without periods Excel calculates 0 to the power of 0, which is #NUM!.
      r === -1 ? (periods === 0 ? NUM : DIV0) : computePresentValue(r, periods, each, future ?? 0, toTiming(type)),
    MONEY,
  ),
  define(
    'financial',
    'FV',
    ['number', 'number', 'number', 'number?', 'number?'],
    (_, r, periods, each, present, type) =>
      r === -1 && periods < 0 ? DIV0 : computeFutureValue(r, periods, each, present ?? 0, toTiming(type)),
    MONEY,
  ),
  define(
    'financial',
    'PMT',
    ['number', 'number', 'number', 'number?', 'number?'],
    (_, r, periods, present, future, type) =>
      periods === 0 || r <= -1 ? NUM : computePayment(r, periods, present, future ?? 0, toTiming(type)),
    MONEY,
  ),
  define(
    'financial',
    'IPMT',
    ['number', 'number', 'number', 'number', 'number?', 'number?'],
    (_, r, period, periods, present, future, type) =>
      period < 1 || period >= periods + 1 || r < -1
        ? NUM
        : computePayment(r, periods, present, future ?? 0, toTiming(type)) -
          computePrincipalPart(r, period, period, periods, present, future ?? 0, toTiming(type)),
    MONEY,
  ),
  define(
    'financial',
    'PPMT',
    ['number', 'number', 'number', 'number', 'number?', 'number?'],
    (_, r, period, periods, present, future, type) =>
      period < 1 || period >= periods + 1 || r < -1
        ? NUM
        : computePrincipalPart(r, period, period, periods, present, future ?? 0, toTiming(type)),
    MONEY,
  ),
  defineStrict(
    'financial',
    'CUMIPMT',
    ['number', 'number', 'number', 'number', 'number', 'number'],
    (_, r, periods, present, first, last, type) => cumulativeInterest(r, periods, present, first, last, type),
  ),
  defineStrict(
    'financial',
    'CUMPRINC',
    ['number', 'number', 'number', 'number', 'number', 'number'],
    (_, r, periods, present, first, last, type) => cumulativePrincipal(r, periods, present, first, last, type),
  ),
  define('financial', 'ISPMT', ['number', 'number', 'number', 'number'], (_, r, period, periods, present) =>
    periods === 0 ? DIV0 : present * r * (period / periods - 1),
  ),
  define(
    'financial',
    'NPER',
    ['number', 'number', 'number', 'number?', 'number?'],
    (_, r, each, present, future, type) => computePeriodCount(r, each, present, future ?? 0, toTiming(type)),
  ),
  define(
    'financial',
    'RATE',
    ['number', 'number', 'number', 'number?', 'number?', 'number??'],
    (_, periods, each, present, future, type, guess) =>
      solveRate(periods, each, present, future ?? 0, toTiming(type), guess ?? DEFAULT_GUESS),
    SHARE,
  ),
  defineStrict('financial', 'EFFECT', ['number', 'integer'], (_, nominal, perYear) =>
    nominal <= 0 || perYear < 1 ? NUM : computeGrowth(nominal / perYear, perYear),
  ),
  defineStrict('financial', 'NOMINAL', ['number', 'integer'], (_, effective, perYear) =>
    effective <= 0 || perYear < 1 ? NUM : computeGrowth(effective, 1 / perYear) * perYear,
  ),
  define('financial', 'PDURATION', ['number', 'number', 'number'], (_, r, present, future) =>
    r <= 0 || present <= 0 || future <= 0 ? NUM : Math.log(future / present) / Math.log1p(r),
  ),
  define('financial', 'RRI', ['number', 'number', 'number'], (_, periods, present, future) =>
    periods <= 0 || present === 0 ? NUM : (future / present) ** (1 / periods) - 1,
  ),
];
