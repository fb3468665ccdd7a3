import { DIV0, NUM } from '../../value/errors.ts';
import { define } from '../define.ts';
import { round } from '../numeric/rounding.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

/** The default factor. An argument that is left empty (`DDB(1;0;5;1;)`) is 0 and refused, as in LibreOffice. */
const DOUBLE = 2;
const MONTHS = 12;
/** Decimal places to which DB rounds its rate. */
const RATE_DIGITS = 3;

/** SYD: the sum-of-years'-digits depreciation of one period. */
function computeSumOfYears(cost: number, salvage: number, life: number, period: number): Value {
  if (salvage < 0 || life <= 0 || period <= 0 || period > life) return NUM;
  return ((cost - salvage) * (life - period + 1) * 2) / (life * (life + 1));
}

/** DB: the fixed-declining-balance depreciation of one period. `months`: months of the first year. */
function computeFixedDeclining(cost: number, salvage: number, life: number, period: number, months: number): Value {
  if (cost < 0 || salvage < 0 || life <= 0 || period < 1 || months < 1 || months > MONTHS) return NUM;
  if (period > life + (months < MONTHS ? 1 : 0)) return NUM;
  if (cost === 0) return 0;
  const rate = round(1 - (salvage / cost) ** (1 / life), RATE_DIGITS);
  const first = (cost * rate * months) / MONTHS;
  if (period === 1) return first;
  const before = (cost - first) * (1 - rate) ** (period - 2);
  return period > life ? (before * rate * (MONTHS - months)) / MONTHS : before * rate;
}

/** The declining-balance depreciation of one period, never below the salvage value. */
function computeDeclining(cost: number, salvage: number, life: number, period: number, factor: number): number {
  const rate = Math.min(factor / life, 1);
  const before = rate === 1 ? (period === 1 ? cost : 0) : cost * (1 - rate) ** (period - 1);
  const after = Math.max(cost * (1 - rate) ** period, salvage);
  return Math.max(before - after, 0);
}

/** A part of the first period counts as a whole one, as in Excel. */
function computeDoubleDeclining(cost: number, salvage: number, life: number, period: number, factor: number): Value {
  if (cost < 0 || salvage < 0 || life <= 0 || period <= 0 || period > life || factor <= 0) return NUM;
  return computeDeclining(cost, salvage, life, Math.max(period, 1), factor);
}

/**
 * The amount written off until a time, which is given in periods. `switchesToLinear`: uses straight-line depreciation
 * when it is greater.
 */
function sumWrittenOff(
  cost: number,
  salvage: number,
  life: number,
  time: number,
  factor: number,
  switchesToLinear: boolean,
): number {
  let total = 0;
  let straight = 0;
  for (let period = 1; period - 1 < time; period++) {
    const share = Math.min(time - (period - 1), 1);
    const amount = straight > 0 ? straight : computeDeclining(cost, salvage, life, period, factor);
    const even = switchesToLinear && straight === 0 ? (cost - salvage - total) / (life - period + 1) : 0;
    if (even > amount) straight = even;
    // Excel's straight-line part ends with the last whole period: for a life of 7.3 periods it writes off nothing after
    // the seventh.
    if (straight > 0 && period > Math.trunc(life) && period > 1) break;
    total += Math.max(amount, even) * share;
  }
  return total;
}

/** VDB: the declining-balance depreciation between two times, which are given in periods. */
function computeVariableDeclining(
  context: FunctionContext,
  cost: number,
  salvage: number,
  life: number,
  start: number,
  end: number,
  factor: number,
  switchesToLinear: boolean,
): Value {
  if (cost < 0 || salvage < 0 || life < 0 || factor <= 0) return NUM;
  if (start < 0 || end < start || end > life || (life > 0 && end === 0)) return NUM;
  if (life === 0) return DIV0;
  if (salvage > cost) return start < 1 && end > 0 ? cost - salvage : 0;
  context.spendCells(Math.ceil(start) + Math.ceil(end));
  return (
    sumWrittenOff(cost, salvage, life, end, factor, switchesToLinear) -
    sumWrittenOff(cost, salvage, life, start, factor, switchesToLinear)
  );
}

const MONEY = { format: 'currency' } as const;

export const DEPRECIATION: readonly FunctionSpec[] = [
  define(
    'financial',
    'SLN',
    ['number', 'number', 'number'],
    (_, cost, salvage, life) => (life === 0 ? DIV0 : (cost - salvage) / life),
    MONEY,
  ),
  define(
    'financial',
    'SYD',
    ['number', 'number', 'number', 'number'],
    (_, cost, salvage, life, period) => computeSumOfYears(cost, salvage, life, period),
    MONEY,
  ),
  define(
    'financial',
    'DB',
    ['number', 'number', 'number', 'integer', 'integer?'],
    (_, cost, salvage, life, period, months) => computeFixedDeclining(cost, salvage, life, period, months ?? MONTHS),
    MONEY,
  ),
  define(
    'financial',
    'DDB',
    ['number', 'number', 'number', 'number', 'number?'],
    (_, cost, salvage, life, period, factor) => computeDoubleDeclining(cost, salvage, life, period, factor ?? DOUBLE),
    MONEY,
  ),
  define(
    'financial',
    'VDB',
    ['number', 'number', 'number', 'number', 'number', 'number?', 'boolean?'],
    (context, cost, salvage, life, start, end, factor, noSwitch) =>
      computeVariableDeclining(context, cost, salvage, life, start, end, factor ?? DOUBLE, !(noSwitch ?? false)),
    MONEY,
  ),
];
