import { isLeapYear } from '../../locale/calendar.ts';
import { type DateSystem, toCalendarDate } from '../../locale/index.ts';
import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import { countDaysBetween, type DayCountBasis } from './daycount.ts';
import { readBasis, readDates } from './terms.ts';

/** The input of both French depreciations. */
interface FrenchAsset {
  readonly cost: number;
  readonly salvage: number;
  readonly rate: number;
  /** The fraction of the first year that remains after the purchase. */
  readonly firstYear: number;
}

/** Checks the common arguments of AMORLINC and AMORDEGRC. */
function readAsset(
  context: FunctionContext,
  cost: number,
  purchased: number,
  firstPeriod: number,
  salvage: number,
  period: number,
  rate: number,
  basis: number | undefined,
): FrenchAsset | CellError {
  const dates = readDates(purchased, firstPeriod);
  const checked = readBasis(basis);
  if (!('length' in dates)) return dates;
  if (typeof checked !== 'number') return checked;
  const [from, to] = dates as readonly [number, number];
  if (from > to || cost <= 0 || salvage < 0 || salvage > cost || period < 0 || rate <= 0 || checked === 2) return NUM;
  return { cost, salvage, rate, firstYear: computeYearShare(from, to, checked, context.dateSystem) };
}

/**
 * The part of a year between two dates: days by the basis, divided by the days of a year. With actual days, the length
 * of the year of `from` is used.
 */
function computeYearShare(from: number, to: number, basis: DayCountBasis, system: DateSystem): number {
  const days = countDaysBetween(from, to, basis, system);
  if (basis !== 1) return days / (basis === 3 ? 365 : 360);
  return days / (isLeapYear(toCalendarDate(from, system).year) ? 366 : 365);
}

/** AMORLINC: straight-line depreciation, with a fraction in the first year and the remainder in the last year. */
function computeLinearDepreciation(asset: FrenchAsset, period: number): number {
  const { cost, salvage, rate, firstYear } = asset;
  const each = cost * rate;
  const first = each * (firstYear === 0 ? 1 : firstYear);
  const whole = cost - salvage;
  if (period === 0) return Math.min(first, whole);
  const full = Math.trunc((whole - first) / each);
  if (period <= full) return each;
  return period === full + 1 ? Math.max(whole - first - each * full, 0) : 0;
}

/** AMORDEGRC's factor for the rate, by the life in years. */
function getDegressiveFactor(life: number): number {
  if (life < 3) return 1;
  if (life < 5) return 1.5;
  return life <= 6 ? 2 : 2.5;
}

function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}

/** Maximum life of an asset that is depreciated year by year, in years. */
const MAX_LIFE = 10_000;

/**
 * Number of years before the end of life in which half of the remaining value is written off. The next year writes off
 * the rest.
 */
const YEARS_LEFT_FOR_HALF = 2;

/**
 * AMORDEGRC: declining-balance depreciation until the last year but one, then half of the remaining value, then all of
 * it; nothing if the remaining value is below the salvage value. Only the first amount is rounded before the others are
 * subtracted.
 */
function computeDegressiveDepreciation(asset: FrenchAsset, period: number): Value {
  const { cost, salvage, firstYear } = asset;
  const life = 1 / asset.rate;
  if (life < 3 || (life > 4 && life < 5) || life > MAX_LIFE) return NUM;
  const years = Math.ceil(life);
  if (period > years) return 0;
  let rate = asset.rate * getDegressiveFactor(life);
  let amount = roundHalfUp((firstYear === 0 ? 1 : firstYear) * rate * cost);
  let left = cost - amount;
  for (let n = 1; n <= period; n++) {
    const half = years - n === YEARS_LEFT_FOR_HALF;
    amount = left < salvage ? 0 : left * (half ? 0.5 : rate);
    if (half) rate = 1;
    left -= amount;
  }
  return roundHalfUp(amount);
}

/** Defines AMORLINC or AMORDEGRC. */
function defineFrenchDepreciation(name: string, run: (asset: FrenchAsset, period: number) => Value): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, cost, purchased, firstPeriod, salvage, period, rate, basis) => {
      const asset = readAsset(context, cost, purchased, firstPeriod, salvage, period, rate, basis);
      return isError(asset) ? asset : run(asset, Math.trunc(period));
    },
    { format: 'currency' },
  );
}

/** Depreciation by the French rules. */
export const FRENCH_DEPRECIATION: readonly FunctionSpec[] = [
  defineFrenchDepreciation('AMORLINC', computeLinearDepreciation),
  defineFrenchDepreciation('AMORDEGRC', computeDegressiveDepreciation),
];
