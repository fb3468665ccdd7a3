import { NA } from '../../value/errors.ts';
import { removeNoise } from '../numeric/rounding.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import { BINARY_PREFIXES, type MeasurementUnit, PREFIXES, type TemperatureScale, UNITS } from './units.ts';

/**
 * Finds a unit by name, with a prefix if the unit allows it. If a name is both a unit and a prefixed unit, it is the
 * unit.
 */
function findUnit(name: string): MeasurementUnit | undefined {
  const plain = UNITS.get(name);
  if (plain) return plain;
  for (const length of [1, 2]) {
    const unit = UNITS.get(name.slice(length));
    if (!unit || unit.prefixPower === 0) continue;
    const prefix = name.slice(0, length);
    const size = PREFIXES.get(prefix) ?? (unit.quantity === 'information' ? BINARY_PREFIXES.get(prefix) : undefined);
    if (size !== undefined) return { ...unit, factor: unit.factor * size ** unit.prefixPower };
  }
  return undefined;
}

function convertUnit(value: number, from: string, to: string): Value {
  const source = findUnit(from);
  const target = findUnit(to);
  if (!source || !target || source.quantity !== target.quantity) return NA;
  if (from === to) return value;
  if (!source.scale || !target.scale) return value * (source.factor / target.factor);
  const degrees = value * computePrefixFactor(source, source.scale);
  return convertDegrees(degrees, source.scale, target.scale) / computePrefixFactor(target, target.scale);
}

/** The prefix of a temperature unit as a number: 1000 for kK. */
function computePrefixFactor({ factor }: MeasurementUnit, { numerator, denominator }: TemperatureScale): number {
  return (factor * denominator) / numerator;
}

/**
 * Converts a temperature. Whole degrees are converted by one fraction of integers if the scales allow it: 32 °F are
 * exactly 0 °C.
 */
function convertDegrees(value: number, from: TemperatureScale, to: TemperatureScale): number {
  const slope = from.numerator * to.denominator;
  const divisor = from.denominator * to.numerator;
  const scaled = value * slope;
  const shift = (from.zero * slope - to.zero * divisor) / 100;
  const sum = addRounded(scaled, shift);
  return Number.isInteger(sum) ? sum / divisor : removeNoise(sum / divisor);
}

/** Number of decimal digits that every double preserves. */
const EXACT_DIGITS = 15;

/** Adds two numbers and rounds the sum to the decimals that the larger one can have: 300 − 273,15 is 26,85. */
function addRounded(a: number, b: number): number {
  const largest = Math.max(Math.abs(a), Math.abs(b));
  const decimals = EXACT_DIGITS - Math.ceil(Math.log10(largest));
  return b === 0 || Number.isInteger(a + b) || decimals < 0 ? a + b : Number((a + b).toFixed(Math.min(decimals, 100)));
}

export const CONVERSION: readonly FunctionSpec[] = [
  defineStrict('engineering', 'CONVERT', ['number', 'text', 'text'], (_, value, from, to) =>
    convertUnit(value, from, to),
  ),
];
