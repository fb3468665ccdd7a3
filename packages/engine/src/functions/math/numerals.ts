import { NUM, VALUE } from '../../value/errors.ts';
import { isError } from '../../value/scalar.ts';
import { toNumber } from '../coerce.ts';
import { define } from '../define.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import type { FunctionSpec } from '../spec.ts';
import type { Value } from '../value.ts';

const MAX_ROMAN = 3999;
/** Maximum length of a Roman numeral in ARABIC, in characters. */
const MAX_ROMAN_LENGTH = 255;
/** The first integer that BASE does not accept. */
const MAX_BASE_NUMBER = 2 ** 53;
const MAX_BASE_WIDTH = 255;

/** Values of Roman letters and pairs of letters, in descending order. */
const CLASSIC: readonly (readonly [number, string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

/** Shorter subtractive pairs that each of the simplified forms of ROMAN allows in addition to the previous form. */
const SHORTER_PAIRS: readonly (readonly (readonly [number, string])[])[] = [
  [
    [950, 'LM'],
    [450, 'LD'],
    [95, 'VC'],
    [45, 'VL'],
  ],
  [
    [990, 'XM'],
    [490, 'XD'],
    [99, 'IC'],
    [49, 'IL'],
  ],
  [
    [995, 'VM'],
    [495, 'VD'],
  ],
  [
    [999, 'IM'],
    [499, 'ID'],
  ],
];

function toRoman(number: number, form: number): Value {
  if (number < 0 || number > MAX_ROMAN || form < 0 || form > SHORTER_PAIRS.length) return VALUE;
  const units = [...CLASSIC, ...SHORTER_PAIRS.slice(0, form).flat()].sort((a, b) => b[0] - a[0]);
  let rest = number;
  let text = '';
  for (const [value, letters] of units) {
    while (rest >= value) {
      text += letters;
      rest -= value;
    }
  }
  return text;
}

const LETTERS: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };

function parseRoman(text: string): Value {
  const trimmed = text.trim().toUpperCase();
  const negative = trimmed.startsWith('-');
  const letters = negative ? trimmed.slice(1) : trimmed;
  if (letters.length > MAX_ROMAN_LENGTH || (negative && letters === '')) return VALUE;
  let total = 0;
  let before = 0;
  for (let i = letters.length - 1; i >= 0; i--) {
    const value = LETTERS[letters[i]!];
    if (value === undefined) return VALUE;
    total += value < before ? -value : value;
    before = Math.max(before, value);
  }
  return (negative ? -total : total) + 0;
}

function toBase(number: number, radix: number, width: number): Value {
  if (number < 0 || number >= MAX_BASE_NUMBER || radix < 2 || radix > 36 || width < 0 || width > MAX_BASE_WIDTH) {
    return NUM;
  }
  return number.toString(radix).toUpperCase().padStart(width, '0');
}

/** DECIMAL: parses digits of a base up to 36. Ignores `0x` or a final `h` for base 16, and a final `b` for base 2. */
function parseInBase(text: string, radix: number): Value {
  if (radix < 2 || radix > 36 || text.length > MAX_TEXT_LENGTH) return NUM;
  let digits = text.trim().toLowerCase();
  if (radix === 16) digits = digits.replace(/^0?x/, '').replace(/h$/, '');
  if (radix === 2) digits = digits.replace(/b$/, '');
  let total = 0;
  for (const digit of digits) {
    const value = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(digit);
    if (value < 0 || value >= radix) return NUM;
    total = total * radix + value;
  }
  return total;
}

export const NUMERALS: readonly FunctionSpec[] = [
  define('math', 'ROMAN', ['integer', 'any?'], (context, number, form) => {
    if (form === undefined || form === null || form === true) return toRoman(number, 0);
    if (form === false) return toRoman(number, 4);
    const style = toNumber(form, context);
    return isError(style) ? style : toRoman(number, Math.trunc(style));
  }),
  define('math', 'ARABIC', ['text'], (_, text) => parseRoman(text)),
  define('math', 'BASE', ['integer', 'integer', 'integer?'], (_, number, radix, width) =>
    toBase(number, radix, width ?? 0),
  ),
  define('math', 'DECIMAL', ['text', 'integer'], (_, text, radix) => parseInBase(text, radix)),
];
