import type { FormatHint } from '../../locale/format-class.ts';
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
  findNextCouponDate,
  findPreviousCouponDate,
} from './coupons.ts';
import { readTerms } from './terms.ts';

/** The face value for which prices are given. */
const PAR = 100;

/** The properties of a coupon bond that determine its price for a given yield. */
interface Bond {
  readonly coupons: number;
  /** Elapsed and remaining parts of the coupon period at settlement. */
  readonly elapsed: number;
  readonly remaining: number;
  readonly coupon: number;
  readonly redemption: number;
  readonly frequency: number;
}

function createBond(terms: BondTerms, rate: number, redemption: number): Bond {
  const days = countCouponDays(terms);
  const accrued = countAccruedDays(terms);
  return {
    coupons: countCoupons(terms),
    elapsed: accrued / days,
    remaining: (days - accrued) / days,
    coupon: (PAR * rate) / terms.frequency,
    redemption,
    frequency: terms.frequency,
  };
}

/** The clean price per 100 of face value. */
function computePrice(bond: Bond, annualYield: number): number {
  const { coupons, elapsed, remaining, coupon, redemption, frequency } = bond;
  const each = annualYield / frequency;
  if (coupons === 1) return (redemption + coupon) / (1 + remaining * each) - coupon * elapsed;
  const factor = 1 + each;
  const annuity = each === 0 ? coupons : -computeGrowth(each, -coupons) / each;
  const discounted = coupon * annuity * factor + redemption * factor ** (1 - coupons);
  return discounted / factor ** remaining - coupon * elapsed;
}

/** The annual yield at which a bond has a clean price. */
function solveYield(bond: Bond, clean: number): Value {
  const { coupons, elapsed, remaining, coupon, redemption, frequency } = bond;
  if (coupons === 1) {
    const paid = clean + coupon * elapsed;
    return ((redemption + coupon - paid) / paid / remaining) * frequency;
  }
  const slopeStep = 1e-6;
  const excess = (yieldGuess: number) => {
    const value = computePrice(bond, yieldGuess * frequency) - clean;
    const slope = (computePrice(bond, (yieldGuess + slopeStep) * frequency) - clean - value) / slopeStep;
    return { value, slope };
  };
  const each = findRateRoot(excess, coupon / clean);
  return each === null ? NUM : each * frequency;
}

/** Macaulay's duration in years. */
function computeMacaulayDuration(bond: Bond, annualYield: number): number {
  const { coupons, remaining, frequency } = bond;
  const factor = 1 + annualYield / frequency;
  const coupon = bond.coupon;
  let worth = 0;
  let weighted = 0;
  for (let k = 0; k < coupons; k++) {
    const time = k + remaining;
    const flow = (coupon + (k === coupons - 1 ? PAR : 0)) / factor ** time;
    worth += flow;
    weighted += flow * time;
  }
  return weighted / worth / frequency;
}

/** Defines a function of a bond's coupon dates, such as COUPNUM. */
function defineCouponFunction(name: string, run: (terms: BondTerms) => number, format?: FormatHint): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number??'],
    (context, settlement, maturity, frequency, basis) => {
      const terms = readTerms(context, settlement, maturity, frequency, basis);
      return isError(terms) ? terms : run(terms);
    },
    format ? { format } : {},
  );
}

/** Defines DURATION or MDURATION. */
function defineDuration(name: string, modified: boolean): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, rate, annualYield, frequency, basis) => {
      const terms = readTerms(context, settlement, maturity, frequency, basis);
      if (isError(terms)) return terms;
      if (rate < 0 || annualYield < 0) return NUM;
      const bond = createBond(terms, rate, PAR);
      context.spendCells(bond.coupons);
      const years = computeMacaulayDuration(bond, annualYield);
      return modified ? years / (1 + annualYield / terms.frequency) : years;
    },
  );
}

/** Checks the arguments of a bond function and returns the bond, or an error. */
function checkBond(
  context: FunctionContext,
  settlement: number,
  maturity: number,
  rate: number,
  redemption: number,
  frequency: number,
  basis: number | undefined,
): Bond | CellError {
  const terms = readTerms(context, settlement, maturity, frequency, basis);
  if (isError(terms)) return terms;
  return rate < 0 || redemption <= 0 ? NUM : createBond(terms, rate, redemption);
}

export const BONDS: readonly FunctionSpec[] = [
  defineCouponFunction('COUPNUM', countCoupons),
  defineCouponFunction('COUPPCD', findPreviousCouponDate, 'date'),
  defineCouponFunction('COUPNCD', findNextCouponDate, 'date'),
  defineCouponFunction('COUPDAYS', countCouponDays),
  defineCouponFunction('COUPDAYBS', countAccruedDays),
  defineCouponFunction('COUPDAYSNC', countDaysToCoupon),
  defineStrict(
    'financial',
    'PRICE',
    ['number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, rate, annualYield, redemption, frequency, basis) => {
      const bond = checkBond(context, settlement, maturity, rate, redemption, frequency, basis);
      if (isError(bond)) return bond;
      return annualYield < 0 ? NUM : computePrice(bond, annualYield);
    },
  ),
  defineStrict(
    'financial',
    'YIELD',
    ['number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, rate, clean, redemption, frequency, basis) => {
      const bond = checkBond(context, settlement, maturity, rate, redemption, frequency, basis);
      if (isError(bond)) return bond;
      return clean <= 0 ? NUM : solveYield(bond, clean);
    },
    { format: 'percent' },
  ),
  defineDuration('DURATION', false),
  defineDuration('MDURATION', true),
];
