import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { computeGrowth } from '../numeric/annuity.ts';
import { findRateRoot } from '../numeric/rate.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import {
  type BondTerms,
  countAccruedDays,
  countCouponDays,
  countCoupons,
  countDaysToCoupon,
  findCouponDateBeforeMaturity,
} from './coupons.ts';
import { addMonths, countDaysBetween, isMonthEnd } from './daycount.ts';
import { readDates, readTerms } from './terms.ts';

/** The face value for which prices are given. */
const PAR = 100;

/** A bond whose first coupon period is shorter or longer than the others. Times are in coupon periods. */
interface OddFirstBond {
  readonly coupon: number;
  readonly frequency: number;
  /** The first coupon as a fraction of a regular one. */
  readonly firstShare: number;
  /** The part of the first coupon that has accrued at settlement. */
  readonly accrued: number;
  /** Time from settlement to the first coupon, in coupon periods. */
  readonly untilFirst: number;
  /** Number of regular coupons after the first one. */
  readonly regular: number;
}

/** Computes the times of a bond with an odd first coupon period from its dates. */
function prepareOddFirst(
  context: FunctionContext,
  terms: BondTerms,
  issue: number,
  firstCoupon: number,
  rate: number,
): OddFirstBond {
  const { settlement, maturity, frequency, basis, system } = terms;
  const toFirst: BondTerms = { ...terms, maturity: firstCoupon };
  const period = countCouponDays(toFirst);
  const regular = countCoupons({ ...terms, settlement: firstCoupon, maturity });
  const coupon = (PAR * rate) / frequency;
  const days = (from: number, to: number) => countDaysBetween(from, to, basis, system);
  const whole = days(issue, firstCoupon);
  if (whole < period) {
    const untilFirst = days(settlement, firstCoupon) / period;
    return {
      coupon,
      frequency,
      regular,
      untilFirst,
      firstShare: whole / period,
      accrued: days(issue, settlement) / period,
    };
  }
  const quasi: BondTerms = { ...terms, settlement: issue, maturity: firstCoupon };
  const count = countCoupons(quasi);
  context.spendCells(count);
  let firstShare = 0;
  let accrued = 0;
  for (let i = 0; i < count; i++) {
    const start = findCouponDateBeforeMaturity(quasi, i + 1);
    const end = findCouponDateBeforeMaturity(quasi, i);
    const length = basis === 1 ? end - start : period;
    firstShare += i < count - 1 ? 1 : days(issue, end) / length;
    const from = Math.max(issue, start);
    const to = Math.min(settlement, end);
    if (from < to) accrued += days(from, to) / length;
  }
  const left = basis === 2 || basis === 3 ? countDaysToCoupon(toFirst) : period - countAccruedDays(toFirst);
  const untilFirst = countCoupons(toFirst) - 1 + left / period;
  return { coupon, frequency, regular, untilFirst, firstShare, accrued };
}

/** ODDFPRICE: the clean price per 100 of face value. */
function computeOddFirstPrice(bond: OddFirstBond, redemption: number, annualYield: number): number {
  const { coupon, frequency, firstShare, accrued, untilFirst, regular } = bond;
  const each = annualYield / frequency;
  const annuity = each === 0 ? regular : -computeGrowth(each, -regular) / each;
  const atFirst = coupon * (firstShare + annuity) + redemption * (1 + each) ** -regular;
  return atFirst / (1 + each) ** untilFirst - coupon * accrued;
}

/** ODDFYIELD: the annual yield at which the bond has a clean price. */
function solveOddFirstYield(bond: OddFirstBond, redemption: number, clean: number): Value {
  const step = 1e-6;
  const each = findRateRoot((rate) => {
    const value = computeOddFirstPrice(bond, redemption, rate * bond.frequency) - clean;
    const beside = computeOddFirstPrice(bond, redemption, (rate + step) * bond.frequency) - clean;
    return { value, slope: (beside - value) / step };
  }, bond.coupon / clean);
  return each === null ? NUM : each * bond.frequency;
}

/**
 * A bond that is settled in its last coupon period, which is shorter or longer than the others. Times are in coupon
 * periods.
 */
interface OddLastBond {
  readonly coupon: number;
  readonly frequency: number;
  /** The time from the last interest date to maturity, and its parts before and after settlement. */
  readonly total: number;
  readonly elapsed: number;
  readonly remaining: number;
}

/** Computes the times of a bond with an odd last coupon period from its dates. */
function prepareOddLast(context: FunctionContext, terms: BondTerms, lastInterest: number, rate: number): OddLastBond {
  const { settlement, maturity, frequency, basis, system } = terms;
  const months = 12 / frequency;
  const monthEnd = isMonthEnd(lastInterest, system);
  const days = (from: number, to: number) => (from < to ? countDaysBetween(from, to, basis, system) : 0);
  let total = 0;
  let elapsed = 0;
  let remaining = 0;
  let start = lastInterest;
  for (let i = 1; start < maturity; i++) {
    context.spendCells(1);
    const end = addMonths(lastInterest, i * months, monthEnd, system);
    const length = days(start, end);
    const stop = Math.min(end, maturity);
    total += days(start, stop) / length;
    elapsed += days(start, Math.min(settlement, stop)) / length;
    remaining += days(Math.max(settlement, start), stop) / length;
    start = end;
  }
  return { coupon: (PAR * rate) / frequency, frequency, total, elapsed, remaining };
}

/** Returns the terms of a bond; an error if its dates are not in the required order. */
function readOrderedTerms(
  context: FunctionContext,
  dates: readonly number[],
  settlement: number,
  maturity: number,
  frequency: number,
  basis: number | undefined,
): BondTerms | CellError {
  const days = readDates(...dates);
  if (!('length' in days)) return days;
  if (days.some((day, i) => i > 0 && day <= days[i - 1]!)) return NUM;
  return readTerms(context, settlement, maturity, frequency, basis);
}

/** Defines ODDFPRICE or ODDFYIELD. `accepts`: true for a valid price or yield. */
function defineOddFirst(
  name: string,
  run: (bond: OddFirstBond, priceOrYield: number, redemption: number) => Value,
  accepts: (priceOrYield: number) => boolean,
): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, issue, firstCoupon, rate, priceOrYield, redemption, frequency, basis) => {
      const order = [issue, settlement, firstCoupon, maturity];
      const terms = readOrderedTerms(context, order, settlement, maturity, frequency, basis);
      if (isError(terms)) return terms;
      if (rate < 0 || redemption <= 0 || !accepts(priceOrYield)) return NUM;
      return run(
        prepareOddFirst(context, terms, Math.floor(issue), Math.floor(firstCoupon), rate),
        priceOrYield,
        redemption,
      );
    },
  );
}

/** Defines ODDLPRICE or ODDLYIELD. `accepts`: true for a valid price or yield. */
function defineOddLast(
  name: string,
  run: (bond: OddLastBond, priceOrYield: number, redemption: number) => Value,
  accepts: (priceOrYield: number) => boolean,
): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, lastInterest, rate, priceOrYield, redemption, frequency, basis) => {
      const order = [lastInterest, settlement, maturity];
      const terms = readOrderedTerms(context, order, settlement, maturity, frequency, basis);
      if (isError(terms)) return terms;
      if (rate < 0 || redemption <= 0 || !accepts(priceOrYield)) return NUM;
      return run(prepareOddLast(context, terms, Math.floor(lastInterest), rate), priceOrYield, redemption);
    },
  );
}

function isNotNegative(value: number): boolean {
  return value >= 0;
}

function isPositive(value: number): boolean {
  return value > 0;
}

/** Bonds with an odd first or last coupon period. */
export const ODD_BONDS: readonly FunctionSpec[] = [
  defineOddFirst(
    'ODDFPRICE',
    (bond, annualYield, redemption) => computeOddFirstPrice(bond, redemption, annualYield),
    isNotNegative,
  ),
  defineOddFirst('ODDFYIELD', (bond, clean, redemption) => solveOddFirstYield(bond, redemption, clean), isPositive),
  defineOddLast(
    'ODDLPRICE',
    ({ coupon, frequency, total, elapsed, remaining }, annualYield, redemption) =>
      (coupon * total + redemption) / (1 + (remaining * annualYield) / frequency) - coupon * elapsed,
    isNotNegative,
  ),
  defineOddLast(
    'ODDLYIELD',
    ({ coupon, frequency, total, elapsed, remaining }, clean, redemption) => {
      const paid = clean + coupon * elapsed;
      return ((coupon * total + redemption - paid) / paid) * (frequency / remaining);
    },
    isPositive,
  ),
];
