import { DIV0, NUM } from '../../value/errors.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

/** The power of ten with the number of digits that a price quoted in fractions needs: 100 for 32nds. */
function getDecimalScale(fraction: number): number {
  return 10 ** Math.ceil(Math.log10(fraction));
}

/**
 * Converts the part of a price after the decimal point between a fraction and a decimal number (DOLLARDE, DOLLARFR).
 */
function convertQuote(price: number, fraction: number, convert: (part: number, scale: number) => number): Value {
  if (fraction < 0) return NUM;
  const whole = Math.trunc(fraction);
  if (whole === 0) return DIV0;
  const size = Math.abs(price);
  const units = Math.floor(size);
  return (price < 0 ? -1 : 1) * (units + convert(size - units, getDecimalScale(whole)));
}

export const DOLLARS: readonly FunctionSpec[] = [
  defineStrict('financial', 'DOLLARDE', ['number', 'number'], (_, price, fraction) =>
    convertQuote(price, fraction, (part, scale) => (part * scale) / Math.trunc(fraction)),
  ),
  defineStrict('financial', 'DOLLARFR', ['number', 'number'], (_, price, fraction) =>
    convertQuote(price, fraction, (part, scale) => (part * Math.trunc(fraction)) / scale),
  ),
];
