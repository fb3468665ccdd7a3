/** (1 + rate)^periods − 1, exact also for small rates. */
export function computeGrowth(rate: number, periods: number): number {
  return rate > -0.5 ? Math.expm1(periods * Math.log1p(rate)) : (1 + rate) ** periods - 1;
}

/** (1 + rate)^periods, exact to the last digits also near 0. */
function computeGrowthFactor(rate: number, periods: number): number {
  const grown = computeGrowth(rate, periods);
  return grown > -0.5 ? 1 + grown : (1 + rate) ** periods;
}

/**
 * The value, at the end of its term, of an annuity that pays 1 per period. `due`: 1 for payments at the start of
 * periods, else 0.
 */
function computeAnnuityValue(rate: number, periods: number, due: number): number {
  return rate === 0 ? periods : ((1 + rate * due) * computeGrowth(rate, periods)) / rate;
}

/** The value at the end of a term; money paid out is negative. */
export function computeFutureValue(
  rate: number,
  periods: number,
  payment: number,
  present: number,
  due: number,
): number {
  return -(present * computeGrowthFactor(rate, periods) + payment * computeAnnuityValue(rate, periods, due));
}

/**
 * The value at the start of a term. The division is the last operation, so that it overflows for the same arguments as
 * in Excel.
 */
export function computePresentValue(
  rate: number,
  periods: number,
  payment: number,
  future: number,
  due: number,
): number {
  if (rate === 0) return -(future + payment * periods);
  const paid = payment * (1 + rate * due) * computeGrowth(rate, periods);
  return -(future * rate + paid) / (rate * computeGrowthFactor(rate, periods));
}

/** The payment of one period. The division is the last operation, as in Excel. */
export function computePayment(rate: number, periods: number, present: number, future: number, due: number): number {
  if (rate === 0) return -(present + future) / periods;
  const owed = present * rate * computeGrowthFactor(rate, periods) + future * rate;
  return -owed / ((1 + rate * due) * computeGrowth(rate, periods));
}

/**
 * The part of principal in the payments of periods `first` to `last` (counted from 1). Uses the ratio of growth
 * factors, because a difference of balances loses all digits if payments consist nearly only of interest.
 */
export function computePrincipalPart(
  rate: number,
  first: number,
  last: number,
  periods: number,
  present: number,
  future: number,
  due: number,
): number {
  const whole = present + future;
  if (rate === 0) return (-whole * (last - first + 1)) / periods;
  if (due === 1 && first === 1) {
    const opening = computePayment(rate, periods, present, future, 1);
    return last === 1 ? opening : opening + computePrincipalPart(rate, 2, last, periods, present, future, 1);
  }
  const before = 1 + computeGrowth(rate, first - 1);
  const part = (-whole * before * computeGrowth(rate, last - first + 1)) / computeGrowth(rate, periods);
  return due === 1 ? part / (1 + rate) : part;
}
