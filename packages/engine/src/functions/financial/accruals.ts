import type { DateSystem } from '../../locale/index.ts';
import { NUM } from '../../value/errors.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import type { CouponFrequency } from './coupons.ts';
import {
  addMonths,
  countDays360Us,
  countDaysBetween,
  countMonthsBetween,
  type DayCountBasis,
  isMonthEnd,
} from './daycount.ts';
import { readBasis, readDates, readFrequency } from './terms.ts';

interface Accrual {
  readonly issue: number;
  readonly firstInterest: number;
  readonly settlement: number;
  readonly frequency: CouponFrequency;
  readonly basis: DayCountBasis;
  readonly system: DateSystem;
}

/** A quasi-coupon date: `count` periods after the first interest date, or before it for a negative count. */
function computeQuasiCouponDate(accrual: Accrual, count: number): number {
  const { firstInterest, frequency, system } = accrual;
  return addMonths(firstInterest, count * (12 / frequency), isMonthEnd(firstInterest, system), system);
}

/** Days of a complete coupon period by the day-count basis. */
function countWholePeriodDays(accrual: Accrual, start: number, end: number): number {
  const { basis, frequency, system } = accrual;
  if (basis === 2 || basis === 3) return (basis === 2 ? 360 : 365) / frequency;
  return basis === 0 ? countDays360Us(start, end, true, system) : countDaysBetween(start, end, basis, system);
}

/** The normal length of a coupon period in days, by which accrued days are divided. */
function computePeriodLength(accrual: Accrual, start: number, end: number): number {
  const { basis, frequency } = accrual;
  if (basis === 1) return end - start;
  return (basis === 3 ? 365 : 360) / frequency;
}

/** Returns the `count` for which `computeQuasiCouponDate` returns the last date that is not after `date`. */
function countPeriodsBefore(accrual: Accrual, date: number): number {
  const period = 12 / accrual.frequency;
  let count = Math.ceil(countMonthsBetween(accrual.firstInterest, date, accrual.system) / period) + 1;
  while (computeQuasiCouponDate(accrual, count) > date) count--;
  return count;
}

/** Coupon periods from issue to settlement, including partial ones. */
function countAccruedPeriods(context: FunctionContext, accrual: Accrual, fromIssue: boolean): number {
  const { issue, firstInterest, settlement, basis, system } = accrual;
  // If the settlement is a coupon date, the period that ends on it still counts as partial.
  const last = settlement > firstInterest && fromIssue ? countPeriodsBefore(accrual, settlement - 1) : -1;
  const from = Math.max(issue, computeQuasiCouponDate(accrual, last));
  // A partial period is always measured as a share of the period before the first interest date.
  const length = computePeriodLength(accrual, computeQuasiCouponDate(accrual, -1), firstInterest);
  let total = countDaysBetween(from, settlement, basis, system) / length;
  const first = countPeriodsBefore(accrual, issue);
  context.spendCells(Math.max(last - first, 0));
  for (let count = last - 1; count >= first; count--) {
    const start = computeQuasiCouponDate(accrual, count);
    const end = computeQuasiCouponDate(accrual, count + 1);
    if (issue <= start) {
      total += fromIssue ? 1 : 0;
      continue;
    }
    const broken =
      basis === 0 ? countDays360Us(issue, end, false, system) : countDaysBetween(issue, end, basis, system);
    total += broken / countWholePeriodDays(accrual, start, end);
  }
  return total;
}

/** ACCRINT: the interest of a security at settlement. `serials`: issue, first interest date and settlement. */
function computeAccruedInterest(
  context: FunctionContext,
  serials: readonly [number, number, number],
  rate: number,
  par: number,
  frequency: number,
  basis: number | undefined,
  fromIssue: boolean,
): Value {
  const dates = readDates(...serials);
  const checkedFrequency = readFrequency(frequency);
  const checkedBasis = readBasis(basis);
  if (!('length' in dates)) return dates;
  if (typeof checkedFrequency !== 'number') return checkedFrequency;
  if (typeof checkedBasis !== 'number') return checkedBasis;
  const [issue, firstInterest, settlement] = dates as readonly [number, number, number];
  if (rate <= 0 || par <= 0 || issue >= settlement) return NUM;
  const system = context.dateSystem;
  const accrual = { issue, firstInterest, settlement, frequency: checkedFrequency, basis: checkedBasis, system };
  return ((par * rate) / checkedFrequency) * countAccruedPeriods(context, accrual, fromIssue);
}

export const ACCRUALS: readonly FunctionSpec[] = [
  defineStrict(
    'financial',
    'ACCRINT',
    ['number', 'number', 'number', 'number', 'number??', 'number', 'number??', 'boolean??'],
    (context, issue, first, settlement, rate, par, frequency, basis, method) =>
      computeAccruedInterest(context, [issue, first, settlement], rate, par ?? 1000, frequency, basis, method ?? true),
  ),
];
