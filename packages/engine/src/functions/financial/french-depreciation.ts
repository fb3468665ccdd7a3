import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { yearFraction } from '../date/span.ts';
import type { FunctionContext, FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import { basisOf, datesOf } from './terms.ts';

/** What both French depreciations are given. */
interface Asset {
  readonly cost: number;
  readonly salvage: number;
  readonly rate: number;
  /** The part of the first year that the asset was owned. */
  readonly firstYear: number;
}

function assetOf(
  context: FunctionContext,
  cost: number,
  purchased: number,
  firstPeriod: number,
  salvage: number,
  period: number,
  rate: number,
  basis: number | undefined,
): Asset | CellError {
  const dates = datesOf(purchased, firstPeriod);
  const checked = basisOf(basis);
  if (!('length' in dates)) return dates;
  if (typeof checked !== 'number') return checked;
  const [from, to] = dates as readonly [number, number];
  if (from > to || cost <= 0 || salvage < 0 || salvage > cost || period < 0 || rate <= 0 || checked === 2) return NUM;
  const firstYear = yearFraction(from, to, checked, context.dateSystem);
  return isError(firstYear) ? firstYear : { cost, salvage, rate, firstYear };
}

/** AMORLINC: straight, with the first year by its part and the rest in the last. */
function linear(asset: Asset, period: number): number {
  const { cost, salvage, rate, firstYear } = asset;
  const each = cost * rate;
  const first = each * (firstYear === 0 ? 1 : firstYear);
  const whole = cost - salvage;
  if (period === 0) return Math.min(first, whole);
  const full = Math.trunc((whole - first) / each);
  if (period <= full) return each;
  return period === full + 1 ? Math.max(whole - first - each * full, 0) : 0;
}

/** The factor by which AMORDEGRC raises the rate, by the life in years. */
function coefficient(life: number): number {
  if (life < 3) return 1;
  if (life < 5) return 1.5;
  return life <= 6 ? 2 : 2.5;
}

function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}

/** Longest life of an asset that is depreciated year by year, in years. */
const MAX_LIFE = 10_000;

/** AMORDEGRC: declining, each amount rounded to whole units, half of the rest in each of the last two years. */
function degressive(asset: Asset, period: number): Value {
  const { cost, salvage, firstYear } = asset;
  const life = 1 / asset.rate;
  if (life < 3 || (life > 4 && life < 5) || life > MAX_LIFE) return NUM;
  const rate = asset.rate * coefficient(life);
  let amount = roundHalfUp((firstYear === 0 ? 1 : firstYear) * rate * cost);
  let left = cost - amount;
  let spare = left - salvage;
  const periods = Math.ceil(life);
  for (let n = 0; n < Math.min(period, periods); n++) {
    amount = roundHalfUp(rate * left);
    spare -= amount;
    if (spare < 0) {
      const remaining = period - n;
      return remaining === 0 || remaining === 1 ? roundHalfUp(left * 0.5) : 0;
    }
    left -= amount;
  }
  return period > periods ? 0 : amount;
}

function french(name: string, run: (asset: Asset, period: number) => Value): FunctionSpec {
  return defineStrict(
    'financial',
    name,
    ['number', 'number', 'number', 'number', 'number', 'number', 'number??'],
    (context, cost, purchased, firstPeriod, salvage, period, rate, basis) => {
      const asset = assetOf(context, cost, purchased, firstPeriod, salvage, period, rate, basis);
      return isError(asset) ? asset : run(asset, Math.trunc(period));
    },
    { format: 'currency' },
  );
}

/** Depreciation by the French rules. */
export const FRENCH_DEPRECIATION: readonly FunctionSpec[] = [
  french('AMORLINC', linear),
  french('AMORDEGRC', degressive),
];
