import { compareScalars } from '../functions/order.ts';
import type { LocaleId } from '../locale/locales.ts';
import type { Scalar } from '../value/scalar.ts';

/** Compares two values for sorting. Empty cells and empty texts come last in both directions. */
export function compareFilled(a: Scalar, b: Scalar, descending: boolean, locale: LocaleId): number {
  const [isA, isB] = [a !== null && a !== '', b !== null && b !== ''];
  if (!isA || !isB) return Number(isB) - Number(isA);
  const order = compareScalars(a, b, locale);
  return descending ? -order : order;
}
