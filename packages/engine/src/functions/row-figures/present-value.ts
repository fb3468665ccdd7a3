import type { RowMeasure } from './row-tree.ts';

/** The value of payments, one period before the first payment. */
class PresentValue {
  count = 0;
  value = 0;
  private readonly rate: number;

  constructor(rate: number) {
    this.rate = rate;
  }

  include(next: PresentValue): void {
    if (next.value !== 0) this.value += discount(next.value, this.rate, this.count);
    this.count += next.count;
  }
}

/** Divides a value by `(1 + rate) ** periods`. */
function discount(value: number, rate: number, periods: number): number {
  const factor = (1 + rate) ** -periods;
  if (factor !== 0 && Number.isFinite(factor)) return value * factor;
  // The factor is out of range, but the result may not be.
  const half = Math.floor(periods / 2);
  return value * (1 + rate) ** -half * (1 + rate) ** (half - periods);
}

/** Creates the measure of the present value of the payments in one column. */
export function createPresentValueMeasure(rate: number): RowMeasure<PresentValue> {
  return {
    width: 1,
    counted: 'numbers',
    create: () => new PresentValue(rate),
    measure: ([numbers], from, to) => {
      const payments = new PresentValue(rate);
      for (let row = to - 1; row >= from; row--) {
        const payment = numbers![row]!;
        if (Number.isNaN(payment)) continue;
        payments.count++;
        payments.value = (payments.value + payment) / (1 + rate);
      }
      return payments;
    },
  };
}
