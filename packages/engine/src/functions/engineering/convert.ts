import { NA } from '../../value/errors.ts';
import { denoise } from '../numeric/rounding.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';
import { BINARY_PREFIXES, PREFIXES, UNITS, type Unit } from './units.ts';

/** A unit by its name, with a prefix where it takes one; a unit's own name wins over a prefixed one. */
function unitOf(name: string): Unit | undefined {
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

function convert(value: number, from: string, to: string): Value {
  const source = unitOf(from);
  const target = unitOf(to);
  if (!source || !target || source.quantity !== target.quantity) return NA;
  if (from === to) return value;
  if (source.quantity !== 'temperature') return value * (source.factor / target.factor);
  return denoise(((value + source.offset) * source.factor) / target.factor - target.offset);
}

export const CONVERSION: readonly FunctionSpec[] = [
  defineStrict('engineering', 'CONVERT', ['number', 'text', 'text'], (_, value, from, to) => convert(value, from, to)),
];
