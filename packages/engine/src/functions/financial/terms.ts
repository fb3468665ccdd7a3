import { type CellError, NUM } from '../../value/errors.ts';
import type { FunctionContext } from '../spec.ts';
import type { BondTerms, CouponFrequency } from './coupons.ts';
import type { DayCountBasis } from './daycount.ts';

/** The serial number of the last day of the year 9999. Greater numbers are not dates. */
const MAX_SERIAL = 2_958_465;

/** Returns the whole days of serial numbers; `#NUM!` if one is not a date. */
export function readDates(...serials: readonly number[]): readonly number[] | CellError {
  const days = serials.map(Math.floor);
  return days.every((day) => day >= 0 && day <= MAX_SERIAL) ? days : NUM;
}

export function readBasis(value: number | undefined): DayCountBasis | CellError {
  const basis = Math.trunc(value ?? 0);
  return basis >= 0 && basis <= 4 ? (basis as DayCountBasis) : NUM;
}

export function readFrequency(value: number): CouponFrequency | CellError {
  const frequency = Math.trunc(value);
  return frequency === 1 || frequency === 2 || frequency === 4 ? frequency : NUM;
}

/** Checks the common arguments of bond functions: settlement before maturity, a known frequency and basis. */
export function readTerms(
  context: FunctionContext,
  settlement: number,
  maturity: number,
  frequency: number,
  basis: number | undefined,
): BondTerms | CellError {
  const dates = readDates(settlement, maturity);
  const checkedFrequency = readFrequency(frequency);
  const checkedBasis = readBasis(basis);
  if (!('length' in dates)) return dates;
  if (typeof checkedFrequency !== 'number') return checkedFrequency;
  if (typeof checkedBasis !== 'number') return checkedBasis;
  const [from, to] = dates as readonly [number, number];
  if (from >= to) return NUM;
  return {
    settlement: from,
    maturity: to,
    frequency: checkedFrequency,
    basis: checkedBasis,
    system: context.dateSystem,
  };
}
