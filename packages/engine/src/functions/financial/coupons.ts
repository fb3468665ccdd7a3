import type { DateSystem } from '../../locale/index.ts';
import { addMonths, type Basis, days360Us, daysBetween, isMonthEnd, monthsApart } from './daycount.ts';

/** Coupons per year. */
export type Frequency = 1 | 2 | 4;

/** A bond's coupon calendar for a settlement date. All dates are whole serial numbers. */
export interface Terms {
  readonly settlement: number;
  readonly maturity: number;
  readonly frequency: Frequency;
  readonly basis: Basis;
  readonly system: DateSystem;
}

/** The coupon date `count` periods before maturity. Month ends stay month ends. */
export function couponBefore(terms: Terms, count: number): number {
  const { maturity, frequency, system } = terms;
  return addMonths(maturity, -count * (12 / frequency), isMonthEnd(maturity, system), system);
}

/** The number of coupons after settlement. */
export function couponCount(terms: Terms): number {
  const period = 12 / terms.frequency;
  let count = Math.max(Math.floor(monthsApart(terms.settlement, terms.maturity, terms.system) / period), 0);
  while (couponBefore(terms, count) > terms.settlement) count++;
  return count;
}

/** The last coupon date on or before settlement. */
export function previousCoupon(terms: Terms): number {
  return couponBefore(terms, couponCount(terms));
}

/** The first coupon date after settlement. */
export function nextCoupon(terms: Terms): number {
  return couponBefore(terms, couponCount(terms) - 1);
}

/** The days of the coupon period that contains the settlement. */
export function couponDays(terms: Terms): number {
  if (terms.basis === 1) return nextCoupon(terms) - previousCoupon(terms);
  return (terms.basis === 3 ? 365 : 360) / terms.frequency;
}

/** Days from the period's start to settlement. */
export function daysAccrued(terms: Terms): number {
  return daysBetween(previousCoupon(terms), terms.settlement, terms.basis, terms.system);
}

/** Days from settlement to the next coupon. */
export function daysToCoupon(terms: Terms): number {
  const { settlement, basis, system } = terms;
  const next = nextCoupon(terms);
  if (basis !== 0) return daysBetween(settlement, next, basis, system);
  const previous = previousCoupon(terms);
  return days360Us(previous, next, true, system) - days360Us(previous, settlement, false, system);
}
