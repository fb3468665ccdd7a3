import { type CellError, DIV0, NUM, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import type { WorkMeter } from '../context.ts';
import { define, defineVariadic } from '../define.ts';
import { gatherNumbersByRow } from '../gather-numbers.ts';
import { findRateRoot, type ValueAndSlope } from '../numeric/rate.ts';
import { createPresentValueMeasure } from '../row-figures/present-value.ts';
import { measureLongColumns } from '../row-figures/row-tree.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import type { Matrix, Value } from '../value.ts';

const DEFAULT_GUESS = 0.1;
const DAYS_A_YEAR = 365;

/** True if the values contain a positive and a negative number. */
function hasBothSigns(values: readonly number[]): boolean {
  return values.some((value) => value > 0) && values.some((value) => value < 0);
}

/**
 * The value of cash flows at the time of the first flow, as a function of the rate, and its derivative. `times`: in
 * periods after the first flow.
 */
function computePresentWorth(
  context: WorkMeter,
  values: readonly number[],
  times: readonly number[],
  rate: number,
): ValueAndSlope {
  const logarithm = Math.log1p(rate);
  let value = 0;
  let slope = 0;
  for (let i = 0; i < values.length; i++) {
    context.reportWork(1);
    const time = times[i]!;
    const worth = values[i]! * Math.exp(-time * logarithm);
    value += worth;
    slope -= (time * worth) / (1 + rate);
  }
  return { value, slope };
}

/** The rate at which cash flows have the present value 0. `times`: in periods after the first flow. */
function solveInternalRate(
  context: WorkMeter,
  values: readonly number[],
  times: readonly number[],
  guess: number,
): Value {
  if (!hasBothSigns(values) || guess <= -1) return NUM;
  return findRateRoot((rate) => computePresentWorth(context, values, times, rate), guess) ?? NUM;
}

/** The rate of the last NPV of a long column, and its measure. Formulas of a column often have the same rate. */
let lastMeasure = { rate: 0, measure: createPresentValueMeasure(0) };

/** NPV: the present value of cash flows at the ends of consecutive periods. */
function computeNetPresentValue(context: FunctionContext, rate: number, flows: readonly Value[]): Value {
  if (rate !== -1) {
    if (lastMeasure.rate !== rate) lastMeasure = { rate, measure: createPresentValueMeasure(rate) };
    const payments = measureLongColumns(context, lastMeasure.measure, flows);
    if (payments !== null) return isError(payments) ? payments : payments.value;
  }
  const values = gatherNumbersByRow(context, flows);
  if (isError(values)) return values;
  if (rate === -1) return DIV0;
  let sum = 0;
  for (let i = values.length - 1; i >= 0; i--) sum = (sum + values[i]!) / (1 + rate);
  return sum;
}

/** MIRR: losses are financed at one rate, gains are reinvested at another. */
function computeModifiedRate(
  context: WorkMeter,
  values: readonly number[],
  financeRate: number,
  reinvestRate: number,
): Value {
  if (!values.some((value) => value < 0) || !values.some((value) => value > 0)) return DIV0;
  const last = values.length - 1;
  let costs = 0;
  let gains = 0;
  for (const [i, value] of values.entries()) {
    context.reportWork(1);
    if (value < 0) costs += value / (1 + financeRate) ** i;
    else gains += value * (1 + reinvestRate) ** (last - i);
  }
  return (gains / -costs) ** (1 / last) - 1;
}

/** Cash flows with their times, in years after the first flow. */
interface DatedFlows {
  readonly values: readonly number[];
  readonly years: readonly number[];
}

/** Reads the cash flows of XIRR: amounts and dates by position; an empty cell is 0. */
function readPairedFlows(context: FunctionContext, amounts: Matrix, dates: Matrix): DatedFlows | CellError {
  if (amounts.length !== dates.length) return NUM;
  const values: number[] = [];
  const days: number[] = [];
  for (let i = 0; i < amounts.length; i++) {
    context.reportWork(1);
    const value = toNumber(amounts.data[i] ?? null, context);
    const day = toNumber(dates.data[i] ?? null, context);
    if (isError(value)) return value;
    if (isError(day)) return day;
    if (typeof amounts.data[i] === 'boolean' || typeof dates.data[i] === 'boolean') return VALUE;
    values.push(value);
    days.push(day);
  }
  return createDatedFlows(values, days);
}

/** Reads the cash flows of XNPV: the numbers of both lists, which must have equal counts. Ignores other cells. */
function readCountedFlows(context: FunctionContext, amounts: Matrix, dates: Matrix): DatedFlows | CellError {
  for (const date of dates.data) {
    if (typeof date === 'string' && isError(toNumber(date, context))) return VALUE;
  }
  const values = gatherNumbersByRow(context, [amounts]);
  const days = gatherNumbersByRow(context, [dates]);
  if (isError(values)) return values;
  if (isError(days)) return days;
  return values.length === 0 || values.length !== days.length ? NUM : createDatedFlows(values, days);
}

/** Converts the dates of cash flows to years after the first flow; an error if a date is earlier. */
function createDatedFlows(values: readonly number[], serials: readonly number[]): DatedFlows | CellError {
  if (serials.some((day) => day < 0)) return NUM;
  const days = serials.map(Math.trunc);
  const first = days[0]!;
  if (days.some((day) => day < first)) return NUM;
  return { values, years: days.map((day) => (day - first) / DAYS_A_YEAR) };
}

export const CASHFLOWS: readonly FunctionSpec[] = [
  defineVariadic(
    'financial',
    'NPV',
    ['number', 'value'],
    ['value'],
    (context, rate, first, rest) => computeNetPresentValue(context, rate, [first, ...rest]),
    { format: 'currency' },
  ),
  define(
    'financial',
    'IRR',
    ['value', 'number??'],
    (context, flows, guess) => {
      const values = gatherNumbersByRow(context, [flows]);
      if (isError(values)) return values;
      if (guess !== undefined && guess <= -1) return VALUE;
      const times = values.map((_, i) => i);
      return solveInternalRate(context, values, times, guess ?? DEFAULT_GUESS);
    },
    { format: 'percent' },
  ),
  define(
    'financial',
    'MIRR',
    ['value', 'number', 'number'],
    (context, flows, financeRate, reinvestRate) => {
      const values = gatherNumbersByRow(context, [flows]);
      return isError(values) ? values : computeModifiedRate(context, values, financeRate, reinvestRate);
    },
    { format: 'percent' },
  ),
  define('financial', 'XNPV', ['number', 'matrix', 'matrix'], (context, rate, amounts, dates) => {
    const flows = readCountedFlows(context, amounts, dates);
    if (isError(flows)) return flows;
    return rate < 0 ? NUM : computePresentWorth(context, flows.values, flows.years, rate).value;
  }),
  define(
    'financial',
    'XIRR',
    ['matrix', 'matrix', 'number??'],
    (context, amounts, dates, guess) => {
      const flows = readPairedFlows(context, amounts, dates);
      return isError(flows) ? flows : solveInternalRate(context, flows.values, flows.years, guess ?? DEFAULT_GUESS);
    },
    { format: 'percent' },
  ),
  define('financial', 'FVSCHEDULE', ['number', 'matrix'], (_, principal, schedule) => {
    let value = principal;
    for (const rate of schedule.data) {
      if (isError(rate)) return rate;
      if (rate === null) continue;
      if (typeof rate !== 'number') return VALUE;
      value *= 1 + rate;
    }
    return value;
  }),
];
