import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { cellView, type DateSystem, type Input, LOCALE_IDS, type LocaleId, Workbook } from '@cellwire/engine';
import { boolean, constantFrom, double, assert as holds, integer, oneof, property, string } from 'fast-check';
import type { Cell } from '../src/data/types.ts';
import { createEditText, toInput } from '../src/grid/formula/cell-text.ts';

/** Formats that hide parts of a value, order it differently, or show something else. */
const FORMATS = [
  'General',
  '0',
  '0.00',
  '#,##0.00 "€"',
  '0.00E+00',
  '# ?/?',
  '0%',
  '0.0%',
  'dd/mm/yyyy',
  'm/d/yy',
  'yyyy-mm-dd',
  'd mmm',
  'mmmm yyyy',
  'dddd',
  'h:mm',
  'h:mm AM/PM',
  'hh:mm:ss',
  '[h]:mm',
  'dd.mm.yyyy hh:mm',
  'm/d/yyyy h:mm:ss AM/PM',
  '@',
  '"x"',
];

/** A cell of a document in the service. */
class CellInWorkbook {
  private readonly workbook: Workbook;
  private readonly locale: LocaleId;
  private readonly context = { now: 0, seed: 1, budget: { cells: 1e6, milliseconds: 60_000, clock: () => 0 } };

  constructor(locale: LocaleId, dateSystem: DateSystem) {
    this.locale = locale;
    this.workbook = Workbook.create({ locale, dateSystem, timeZone: 'UTC' }, 'S');
  }

  private get sheet(): number {
    return this.workbook.head.sheets[0]?.id ?? 0;
  }

  format(format: string): void {
    const area = { top: 0, left: 0, bottom: 0, right: 0 };
    this.workbook.apply([{ kind: 'setFormat', sheet: this.sheet, area, format }], this.context);
  }

  enter(value: Input, mode: 'raw' | 'user'): void {
    const { sheet, locale } = this;
    this.workbook.apply(
      [{ kind: 'setValues', sheet, row: 0, column: 0, values: [[value]], mode, locale }],
      this.context,
    );
  }

  get cell(): Cell | null {
    return cellView(this.workbook.head, this.sheet, 0, 0) as Cell | null;
  }
}

const seconds = integer({ min: 0, max: 100_000 * 86_400 }).map((count) => count / 86_400);
const milliseconds = integer({ min: 0, max: 50_000 * 86_400_000 }).map((count) => count / 86_400_000);
const ambiguousText = constantFrom(
  ...['500', '1/2/2026', '=1+1', 'TRUE', "'quoted", '5%', '$5', '1,5', '1.5', '1e5', '2:30 PM', '3 Mar 2026', ' 7 '],
  ...['ИСТИНА', 'WAHR', '+', '-', '007', '2026-01-01', '0.30000000000000004', '36:00', '#N/A', '=', "'"],
);
const value = oneof(
  double({ noNaN: true, noDefaultInfinity: true }),
  integer(),
  seconds,
  milliseconds,
  integer({ min: -100, max: 100_000 }),
  boolean(),
  ambiguousText,
  string({ minLength: 1, maxLength: 12 }),
);

/** Equal except for the rounding of times of day. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  return a === b || Math.abs(a - b) <= Math.abs(b) * 2 ** -47;
}

suite('initial text of a cell editor', () => {
  test('reads as the same value in each locale and format', () => {
    holds(
      property(
        value,
        constantFrom(...FORMATS),
        constantFrom(...LOCALE_IDS),
        constantFrom<DateSystem>('google', '1900', '1904'),
        (enteredValue, format, locale, dateSystem) => {
          const one = new CellInWorkbook(locale, dateSystem);
          one.format(format);
          one.enter(enteredValue, 'raw');
          const before = one.cell;
          const text = createEditText(before, { locale, dateSystem });
          one.enter(toInput(text, text, { locale, dateSystem }), 'user');
          const after = one.cell;
          assert.ok(isSame(after?.v, before?.v), `${before?.m} as ${text} became ${after?.m}`);
          if (after?.v === before?.v) assert.equal(after?.m, before?.m);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('shows a date with year and time, and a changed year changes nothing else', () => {
    const one = new CellInWorkbook('en-US', 'google');
    one.format('dd/mm/yyyy');
    one.enter(46_000.75, 'raw');
    const inputLocale = { locale: 'en-US', dateSystem: 'google' } as const;
    const text = createEditText(one.cell, inputLocale);
    assert.equal(text, '2025-12-09 18:00');
    one.enter(toInput('2026-12-09 18:00', text, inputLocale), 'user');
    assert.deepEqual(one.cell, { v: 46_365.75, m: '09/12/2026', t: 'd' });
  });

  test('keeps all digits of a number when one of them changes', () => {
    const inputLocale = { locale: 'de-DE', dateSystem: 'google' } as const;
    const text = createEditText({ v: 1 / 3, m: '0,33' }, inputLocale);
    assert.equal(text, '0,3333333333333333');
    assert.equal(toInput('1,333333333333333', text, inputLocale), 1.333333333333333);
    assert.equal(toInput('0,4333333333333333', text, inputLocale), 0.4333333333333333);
    assert.equal(toInput('12345678901234567890', text, inputLocale), '12345678901234567890');
  });

  const cases: readonly (readonly [Cell, string])[] = [
    [{ v: 1234.5, m: '1 234,50' }, '1234,5'],
    [{ v: 0.125, m: '12,5%' }, '12,5%'],
    [{ v: 46000, m: '9 дек', t: 'd' }, '09.12.2025'],
    [{ v: 1.5, m: '36:00', t: 'd' }, '36:00'],
    [{ v: 2, m: '2', f: '=1+1' }, '=1+1'],
    [{ v: '=text', m: '=text' }, "'=text"],
    [{ v: '1.5', m: '1.5' }, '1.5'],
    [{ v: '1,5', m: '1,5' }, "'1,5"],
    [{ v: true, m: 'TRUE' }, 'TRUE'],
  ];
  for (const [cell, text] of cases) {
    test(`is “${text}” for ${cell.m}`, () =>
      assert.equal(createEditText(cell, { locale: 'ru-RU', dateSystem: 'google' }), text));
  }
});
