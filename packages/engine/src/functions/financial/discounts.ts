import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { computeYearFraction } from '../date/span.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import { addMonths, countDaysBetween, type DayCountBasis } from './daycount.ts';
import { readBasis, readDates } from './terms.ts';

const PAR = 100;
const BILL_YEAR = 360;
/**
 * Maximum number of days to maturity of a bill without interest payments before maturity. Longer bills pay interest
 * after half a year.
 */
const HALF_YEAR = 182;

/** Two dates in order, the fraction of a year between them, and its basis. */
interface YearSpan {
  readonly start: number;
  readonly end: number;
  readonly basis: DayCountBasis;
  readonly years: number;
}

function readYearSpan(
  context: FunctionContext,
  start: number,
  end: number,
  basis: number | undefined,
): YearSpan | CellError {
  const dates = readDates(start, end);
  const checked = readBasis(basis);
  if (!('length' in dates)) return dates;
  if (typeof checked !== 'number') return checked;
  const [from, to] = dates as readonly [number, number];
  if (from >= to) return NUM;
  const years = computeYearFraction(from, to, checked, context.dateSystem);
  return isError(years) ? years : { start: from, end: to, basis: checked, years };
}

/** Defines a function of two positive amounts and the years between two dates. */
function defineDiscount(
  name: string,
  run: (first: number, second: number, years: number) => number,
  format?: 'percent',
): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, first, second, basis) => {
      const span = readYearSpan(context, settlement, maturity, basis);
      if (isError(span)) return span;
      return first <= 0 || second <= 0 ? NUM : run(first, second, span.years);
    },
    format ? { format } : {},
  );
}

/** Defines a function of a security that pays interest at maturity. */
function defineAtMaturity(
  name: string,
  run: (rate: number, priceOrYield: number, issued: number, elapsed: number, remaining: number) => number,
): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, issue, rate, priceOrYield, basis) => {
      const term = readYearSpan(context, issue, maturity, basis);
      const elapsed = readYearSpan(context, issue, settlement, basis);
      const remaining = readYearSpan(context, settlement, maturity, basis);
      if (isError(remaining)) return remaining;
      if (isError(term)) return term;
      if (isError(elapsed)) return elapsed;
      if (rate < 0 || priceOrYield < 0) return NUM;
      // For all three parts, a year has as many days as between issue and settlement.
      const days = countDaysBetween(elapsed.start, elapsed.end, elapsed.basis, context.dateSystem);
      const year = days / elapsed.years;
      const issued = countDaysBetween(term.start, term.end, term.basis, context.dateSystem) / year;
      return run(rate, priceOrYield, issued, elapsed.years, issued - elapsed.years);
    },
  );
}

/** Defines a function of a Treasury bill with at most one year to maturity. */
function defineBillFunction(name: string, run: (days: number, discountOrPrice: number) => Value): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number'],
    (context, settlement, maturity, discountOrPrice) => {
      const dates = readDates(settlement, maturity);
      if (!('length' in dates)) return dates;
      const [from, to] = dates as readonly [number, number];
      if (from >= to || to > addMonths(from, 12, false, context.dateSystem) || discountOrPrice <= 0) return NUM;
      return run(to - from, discountOrPrice);
    },
  );
}

/** The yield of a bond that equals a bill's discount. Longer bills are compounded half-yearly. */
function computeBondEquivalent(days: number, discount: number): Value {
  const price = 1 - (discount * days) / BILL_YEAR;
  if (price <= 0) return NUM;
  if (days <= HALF_YEAR) return (365 * discount) / (BILL_YEAR - discount * days);
  const term = days / (days === 366 ? 366 : 365);
  const root = Math.sqrt(term * term - (2 * term - 1) * (1 - 1 / price));
  return (2 * (root - term)) / (2 * term - 1);
}

/** TBILLPRICE: the price per 100 of face value. */
function computeBillPrice(days: number, discount: number): Value {
  const price = PAR * (1 - (discount * days) / BILL_YEAR);
  return price < 0 ? NUM : price;
}

export const DISCOUNTS: readonly FunctionSpec[] = [
  defineDiscount('DISC', (price, redemption, years) => (redemption - price) / redemption / years, 'percent'),
  defineDiscount(
    'INTRATE',
    (investment, redemption, years) => (redemption - investment) / investment / years,
    'percent',
  ),
  defineDiscount('PRICEDISC', (discount, redemption, years) => redemption - discount * redemption * years),
  defineDiscount('YIELDDISC', (price, redemption, years) => (redemption - price) / price / years, 'percent'),
  defineStrict(
    'financial',
    'RECEIVED',
    ['number', 'number', 'number', 'number', 'number??'],
    (context, settlement, maturity, investment, discount, basis) => {
      const span = readYearSpan(context, settlement, maturity, basis);
      if (isError(span)) return span;
      const price = 1 - discount * span.years;
      return investment <= 0 || discount <= 0 || price <= 0 ? NUM : investment / price;
    },
  ),
  defineStrict(
    'financial',
    'ACCRINTM',
    ['number', 'number', 'number', 'number??', 'number??'],
    (context, issue, settlement, rate, par, basis) => {
      const span = readYearSpan(context, issue, settlement, basis);
      if (isError(span)) return span;
      const face = par ?? 1000;
      return rate <= 0 || face <= 0 ? NUM : face * rate * span.years;
    },
  ),
  defineAtMaturity(
    'PRICEMAT',
    (rate, annualYield, issued, gone, left) => PAR * ((1 + issued * rate) / (1 + left * annualYield) - gone * rate),
  ),
  defineAtMaturity('YIELDMAT', (rate, price, issued, gone, left) => {
    const paid = price / PAR + gone * rate;
    return (1 + issued * rate - paid) / paid / left;
  }),
  defineBillFunction('TBILLEQ', computeBondEquivalent),
  defineBillFunction('TBILLPRICE', computeBillPrice),
  defineBillFunction('TBILLYIELD', (days, price) => ((PAR - price) / price) * (BILL_YEAR / days)),
];
