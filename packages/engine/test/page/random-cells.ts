import fc from 'fast-check';
import type { Area, Edit, Input } from '../../src/index.ts';
import { Book } from '../workbook/book.ts';

const decimal = fc
  .tuple(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, places]) => digits / 10 ** places);
/** Numbers of all lengths, and those at the limits of how they are shown. */
export const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  decimal,
  // Numbers with few integer digits and many decimals, which General rounds.
  fc
    .tuple(fc.integer({ min: -(10 ** 9), max: 10 ** 9 }), fc.integer({ min: 3, max: 99_999_999 }))
    .map(([a, b]) => a / b),
  fc
    .tuple(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 0, max: 9 }))
    .map(([a, places]) => (a + 0.5) / 10 ** places),
  fc.integer({ min: -20_000, max: 20_000 }),
  fc.constantFrom(0, -0, 9999, 10_000, 99_999_999, 1e8, 999_999_999, 1e9, 2 ** 31, 1e10, 1e11, 1e21, 0.1 + 0.2, 1e-4),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 12 }),
  fc.constantFrom('"', '\\', '\n', '\u0000', '\u007f', 'Ёж', '€', '😀', '\ud83d', '\ude00\ud83d', 'é'.repeat(300)),
);
const typedInput = fc.constantFrom<Input>(
  '01.02.2026',
  '5%',
  '12:30',
  '=1/0',
  '=A1',
  '=Other!A1*2',
  '=$A$1&"\u0000"',
  '=A1:B2*2',
  '=nonsense(',
  '=UNKNOWN(1)',
  '1,5e3',
  '',
  null,
  true,
);

/** The area of random edits. */
export const AREA: Area = { top: 0, left: 0, bottom: 7, right: 4 };

function arbitraryEdit(book: Book, mode: 'user' | 'raw'): fc.Arbitrary<Edit> {
  const cell =
    mode === 'raw' ? fc.oneof(number, text, fc.boolean()) : fc.oneof({ weight: 3, arbitrary: typedInput }, number);
  return fc.record({
    kind: fc.constant('setValues' as const),
    sheet: fc.constant(book.head.sheets[0]?.id ?? 0),
    row: fc.nat(AREA.bottom),
    column: fc.nat(AREA.right),
    values: fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    mode: fc.constant(mode),
  });
}

const book = new Book();
/** Edits of the first sheet: values of all types, texts as users type them, and formulas. */
export const edit = fc.oneof(arbitraryEdit(book, 'raw'), arbitraryEdit(book, 'user'));
