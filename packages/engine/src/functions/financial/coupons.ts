import type { DateSystem } from '../../locale/index.ts';
import {
  addMonths,
  countDays360Us,
  countDaysBetween,
  countMonthsBetween,
  type DayCountBasis,
  isMonthEnd,
} from './daycount.ts';

/** Coupons per year. */
export type CouponFrequency = 1 | 2 | 4;

/** A bond's coupon calendar for a settlement date. All dates are whole serial numbers. */
export interface BondTerms {
  readonly settlement: number;
  readonly maturity: number;
  readonly frequency: CouponFrequency;
  readonly basis: DayCountBasis;
  readonly system: DateSystem;
}

/** The coupon date `count` periods before maturity. If maturity is the end of a month, all coupon dates are. */
export function findCouponDateBeforeMaturity(terms: BondTerms, count: number): number {
  const { maturity, frequency, system } = terms;
  return addMonths(maturity, -count * (12 / frequency), isMonthEnd(maturity, system), system);
}

/** The number of coupons after settlement. */
export function countCoupons(terms: BondTerms): number {
  const period = 12 / terms.frequency;
  let count = Math.max(Math.floor(countMonthsBetween(terms.settlement, terms.maturity, terms.system) / period), 0);
  while (findCouponDateBeforeMaturity(terms, count) > terms.settlement) count++;
  return count;
}

/** The last coupon date on or before settlement. */
export function findPreviousCouponDate(terms: BondTerms): number {
  return findCouponDateBeforeMaturity(terms, countCoupons(terms));
}

/** The first coupon date after settlement. */
export function findNextCouponDate(terms: BondTerms): number {
  return findCouponDateBeforeMaturity(terms, countCoupons(terms) - 1);
}

/** The days of the coupon period that contains the settlement. */
export function countCouponDays(terms: BondTerms): number {
  if (terms.basis === 1) return findNextCouponDate(terms) - findPreviousCouponDate(terms);
  return (terms.basis === 3 ? 365 : 360) / terms.frequency;
}

/** Days from the period's start to settlement. */
export function countAccruedDays(terms: BondTerms): number {
  return countDaysBetween(findPreviousCouponDate(terms), terms.settlement, terms.basis, terms.system);
}

/** Days from settlement to the next coupon. */
export function countDaysToCoupon(terms: BondTerms): number {
  const { settlement, basis, system } = terms;
  const next = findNextCouponDate(terms);
  if (basis !== 0) return countDaysBetween(settlement, next, basis, system);
  const previous = findPreviousCouponDate(terms);
  return countDays360Us(previous, next, true, system) - countDays360Us(previous, settlement, false, system);
}
