import { type CellError, NUM } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { define } from '../define.ts';
import type { FunctionSpec } from '../spec.ts';
import { defineStrict } from '../toolpak.ts';
import type { Value } from '../value.ts';

/** Maximum digits of a number in another base. */
const MAX_DIGITS = 10;

/** A notation: ten digits of a base in two's complement, so the top bit is the sign. */
interface NumeralBase {
  readonly name: 'BIN' | 'OCT' | 'HEX';
  readonly radix: 2 | 8 | 16;
  readonly digits: RegExp;
}

const BASES: readonly NumeralBase[] = [
  { name: 'BIN', radix: 2, digits: /^[01]{0,10}$/ },
  { name: 'OCT', radix: 8, digits: /^[0-7]{0,10}$/ },
  { name: 'HEX', radix: 16, digits: /^[0-9a-f]{0,10}$/i },
];

/** The number of values that ten digits of a base can represent. */
function countRepresentableNumbers(base: NumeralBase): number {
  return base.radix ** MAX_DIGITS;
}

/** Parses a numeral in two's complement. */
function parseNumeral(text: string, base: NumeralBase): number | CellError {
  if (!base.digits.test(text)) return NUM;
  const value = text === '' ? 0 : Number.parseInt(text, base.radix);
  return value >= countRepresentableNumbers(base) / 2 ? value - countRepresentableNumbers(base) : value;
}

/**
 * Formats a number in two's complement. A negative number has ten digits, another one is padded to `places` digits.
 * `#NUM!` if it needs more digits.
 */
function formatNumeral(value: number, base: NumeralBase, places: number | undefined): Value {
  const limit = countRepresentableNumbers(base) / 2;
  if (value < -limit || value >= limit) return NUM;
  if (places !== undefined && (places < 1 || places > MAX_DIGITS)) return NUM;
  if (value < 0) return (value + countRepresentableNumbers(base)).toString(base.radix).toUpperCase();
  const text = value.toString(base.radix).toUpperCase();
  if (places === undefined) return text;
  return text.length > places ? NUM : text.padStart(places, '0');
}

/** Defines BIN2DEC, OCT2DEC or HEX2DEC. */
function defineToDecimal(base: NumeralBase): FunctionSpec {
  return defineStrict('engineering', `${base.name}2DEC`, ['text'], (_, text) => parseNumeral(text, base));
}

/** Defines DEC2BIN, DEC2OCT or DEC2HEX. */
function defineFromDecimal(base: NumeralBase): FunctionSpec {
  return defineStrict('engineering', `DEC2${base.name}`, ['integer', 'integer??'], (_, value, places) =>
    formatNumeral(value, base, places),
  );
}

/** Defines a function such as BIN2HEX. */
function defineConversion(from: NumeralBase, to: NumeralBase): FunctionSpec {
  return defineStrict('engineering', `${from.name}2${to.name}`, ['text', 'integer??'], (_, text, places) => {
    const value = parseNumeral(text, from);
    return isError(value) ? value : formatNumeral(value, to, places);
  });
}

const MAX_BITS = 2 ** 48;
const MAX_SHIFT = 53;

/** True for a number that the bitwise functions accept: an integer from 0 to 2^48 - 1. */
function isBitNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < MAX_BITS;
}

/** Defines BITAND, BITOR or BITXOR. */
function defineBitwise(name: string, run: (a: bigint, b: bigint) => bigint): FunctionSpec {
  return define('engineering', name, ['number', 'number'], (_, a, b) =>
    isBitNumber(a) && isBitNumber(b) ? Number(run(BigInt(a), BigInt(b))) : NUM,
  );
}

/** Shifts bits to the left, or to the right for negative places. */
function shiftBits(value: number, bitCount: number): Value {
  if (!isBitNumber(value) || Math.abs(bitCount) > MAX_SHIFT) return NUM;
  const result = bitCount >= 0 ? value * 2 ** bitCount : Math.floor(value / 2 ** -bitCount);
  return result < MAX_BITS ? result : NUM;
}

export const NUMBER_BASES: readonly FunctionSpec[] = [
  ...BASES.map(defineToDecimal),
  ...BASES.map(defineFromDecimal),
  ...BASES.flatMap((from) => BASES.filter((to) => to !== from).map((to) => defineConversion(from, to))),
  defineBitwise('BITAND', (a, b) => a & b),
  defineBitwise('BITOR', (a, b) => a | b),
  defineBitwise('BITXOR', (a, b) => a ^ b),
  define('engineering', 'BITLSHIFT', ['number', 'integer'], (_, value, places) => shiftBits(value, places)),
  define('engineering', 'BITRSHIFT', ['number', 'integer'], (_, value, places) => shiftBits(value, -places)),
];
