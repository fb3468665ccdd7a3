import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { format as libraryFormat } from 'numfmt';
import { scaleRunCount } from '../../../../test/depth.ts';
import { type DateSystem, formatForDisplay, formatText, type LocaleId, toDateSerial } from '../../src/locale/index.ts';
import { DIV0, NA } from '../../src/value/errors.ts';
import type { Scalar } from '../../src/value/scalar.ts';

function displayValue(value: Scalar, code: string, locale: LocaleId = 'ru-RU', system: DateSystem = 'google'): string {
  return formatForDisplay(value, code, locale, system);
}

const ACCOUNTING = '_-* #,##0.00\\ "₽"_-;\\-* #,##0.00\\ "₽"_-;_-* "-"??\\ "₽"_-;_-@_-';

describe('numbers by format', () => {
  const cases: readonly [number, string, string][] = [
    [1234.5, '', '1234,5'],
    [1234.5, 'General', '1234,5'],
    [1234567.891, '#,##0.00', '1 234 567,89'],
    [1234567.891, '#,##0', '1 234 568'],
    [999.999, '#,##0.00', '1 000,00'],
    [5, '0', '5'],
    [5, '000', '005'],
    [-5, '000', '-005'],
    [0.125, '0%', '13%'],
    [0.125, '0.00%', '12,50%'],
    [-0.07, '0%', '-7%'],
    [1.005, '0.00', '1,01'],
    [-1.005, '0.00', '-1,01'],
    [0.615, '0.00', '0,62'],
    [2.5, '0', '3'],
    [-0.001, '0.00', '0,00'],
    [1234.5, '#,##0.00 "₽"', '1 234,50 ₽'],
    [-1234.5, '#,##0.00 "₽"', '-1 234,50 ₽'],
    [1234.5, '#,##0.00\\ [$₽-419]', '1 234,50 ₽'],
    [1234.5, '[$$-409]#,##0.00', '$1 234,50'],
    [1234.5, '[$-409]#,##0.00', '1 234,50'],
    [1234.5, ACCOUNTING, ' 1 234,50 ₽ '],
    [-1234.5, ACCOUNTING, '-1 234,50 ₽ '],
    [0, ACCOUNTING, ' -   ₽ '],
    [-5, '0;(0)', '(5)'],
    [-5, '0;[Red]-0', '-5'],
    [0, '0;-0;"нет"', 'нет'],
    [12345, '0.00E+00', '1,23E+04'],
    [1.5, '# ?/?', '1 1/2'],
    [1_500_000, '#,##0.0,,"M"', '1,5M'],
    [15, '[<10]"мало";"много"', 'много'],
    [5, '[<10]"мало";"много"', 'мало'],
    [5, '"только текст"', 'только текст'],
    [5, '0" шт."', '5 шт.'],
    [1e20, '#,##0', '100 000 000 000 000 000 000'],
  ];
  for (const [value, code, text] of cases) {
    it(`${value} as ${code || 'no format'} is ${JSON.stringify(text)}`, () =>
      assert.equal(displayValue(value, code), text));
  }

  it("have the locale's marks, with a plain space between groups", () => {
    const cases: readonly [LocaleId, string][] = [
      ['ru-RU', '1 234 567,50'],
      ['fr-FR', '1 234 567,50'],
      ['de-DE', '1.234.567,50'],
      ['es-ES', '1.234.567,50'],
      ['it-IT', '1.234.567,50'],
      ['en-US', '1,234,567.50'],
      ['en-GB', '1,234,567.50'],
    ];
    for (const [locale, text] of cases) {
      assert.equal(displayValue(1234567.5, '#,##0.00', locale), text);
      // The condition in this code makes `formatForDisplay` use the format library.
      assert.equal(displayValue(1234567.5, '[>0]#,##0.00;0', locale), text);
    }
  });
});

describe('the fast path shows the same text as the format library', () => {
  const codes = [
    '0',
    '0.00',
    '#,##0',
    '#,##0.00',
    '0%',
    '0.00%',
    '#,##0.000',
    '000.0',
    '"a"0.0"b"',
    '0.00;(0.00)',
    '0.0;-0.0;"z"',
    '#,##0.00_);[Red](#,##0.00)',
  ];
  const numbers = fc.oneof(
    fc.double({ min: -1e7, max: 1e7, noNaN: true }),
    fc.double({ min: -2, max: 2, noNaN: true }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 8 })).map(([n, p]) => n / 10 ** p),
  );
  it('for numbers', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), numbers, (code, value) => {
        assert.equal(displayValue(value, code, 'en-US'), libraryFormat(code, value, { locale: 'en-US' }));
      }),
      { numRuns: scaleRunCount(7_500) },
    );
  });

  const dates = [
    'dd.mm.yyyy',
    'dd.mm.yyyy hh:mm',
    'yyyy-mm-dd hh:mm:ss',
    'd/m/yy',
    'hh:mm',
    'h:mm:ss',
    'mm:ss',
    '[$-419]dd.mm.yyyy;@',
    'dd\\.mm\\.yyyy" г."',
    'hh:mm dd.mm',
  ];
  it('for dates', () => {
    // Omits halves of a second, because their rounding depends on the last binary digit.
    const second = fc.tuple(fc.integer({ min: 0, max: 86_399 }), fc.constantFrom(0, 0.25, 0.75));
    const serials = fc
      .tuple(fc.integer({ min: 0, max: 2_958_464 }), second)
      .map(([day, [whole, part]]) => day + (whole + part) / 86_400);
    fc.assert(
      fc.property(fc.constantFrom(...dates), serials, fc.boolean(), (code, serial, leap1900) => {
        const expected = libraryFormat(code, serial, { locale: 'ru', leap1900 });
        assert.equal(displayValue(serial, code, 'ru-RU', leap1900 ? '1900' : 'google'), expected);
      }),
      { numRuns: scaleRunCount(7_500) },
    );
  });
});

describe('dates by format and date system', () => {
  const cases: readonly [number, string, DateSystem, string][] = [
    [46_346, 'dd.mm.yyyy', 'google', '20.11.2026'],
    [46_346.5, 'dd.mm.yyyy hh:mm', 'google', '20.11.2026 12:00'],
    [46_346, 'yyyy-mm-dd', '1900', '2026-11-20'],
    [44_884, 'dd.mm.yyyy', '1904', '20.11.2026'],
    [44_884.25, 'd mmm yyyy h:mm AM/PM', '1904', '20 ноя 2026 6:00 AM'],
    [0, 'dd.mm.yyyy', 'google', '30.12.1899'],
    [-1, 'dd.mm.yyyy', 'google', '29.12.1899'],
    [0, 'dd.mm.yyyy', '1900', '00.01.1900'],
    [1, 'dd.mm.yyyy', '1900', '01.01.1900'],
    [60, 'dd.mm.yyyy', '1900', '29.02.1900'],
    [60, 'dd.mm.yyyy', 'google', '28.02.1900'],
    [0, 'dd.mm.yyyy', '1904', '01.01.1904'],
    [0.25, 'hh:mm', '1900', '06:00'],
    [0.999999, 'hh:mm:ss', 'google', '00:00:00'],
    [46_346.999999, 'dd.mm.yyyy hh:mm:ss', 'google', '21.11.2026 00:00:00'],
    [1.5, '[h]:mm:ss', 'google', '36:00:00'],
    [0.5, '[h]:mm', '1904', '12:00'],
    [-1.25, '[h]:mm', 'google', '-30:00'],
    [-0.25, 'hh:mm', 'google', '-06:00'],
    [46_346, 'mmmm', 'google', 'Ноябрь'],
    [46_346, 'dddd', 'google', 'пятница'],
    [46_346, '[$-409]d mmmm yyyy', 'google', '20 November 2026'],
    [0.5 + 2 / 86_400_000, 'hh:mm:ss.000', 'google', '12:00:00,002'],
  ];
  for (const [value, code, system, text] of cases) {
    it(`${value} as ${code} in ${system} is ${text}`, () =>
      assert.equal(displayValue(value, code, 'ru-RU', system), text));
  }

  it('names months and days in the locale', () => {
    assert.equal(displayValue(46_346, 'd mmmm yyyy', 'en-US'), '20 November 2026');
    assert.equal(displayValue(46_346, 'dddd', 'de-DE'), 'Freitag');
    assert.equal(displayValue(46_346, 'd mmmm', 'fr-FR'), '20 novembre');
  });

  it('shows a number outside the date system as General', () => {
    assert.equal(displayValue(-1.5, 'dd.mm.yyyy', 'ru-RU', '1900'), '-1,5');
    assert.equal(displayValue(-1.5, 'd mmm yyyy', 'ru-RU', '1900'), '-1,5');
    assert.equal(displayValue(-1.5, 'dd.mm.yyyy', 'ru-RU', '1904'), '-1,5');
    assert.equal(displayValue(3_000_000, 'dd.mm.yyyy', 'ru-RU', '1900'), '3000000');
    // The library's Islamic calendar does not have this day.
    assert.equal(displayValue(60, 'B2dd.mm.yyyy', 'ru-RU', '1900'), '60');
    assert.equal(displayValue(-700_000, 'dd.mm.yyyy', 'ru-RU', 'google'), '-700000');
  });
});

describe('values that are no numbers', () => {
  const cases: readonly [Scalar, string, string][] = [
    [true, 'General', 'TRUE'],
    [false, '0.00', 'FALSE'],
    [null, '0.00', ''],
    [DIV0, 'dd.mm.yyyy', '#DIV/0!'],
    [NA, 'General', '#N/A'],
    ['text', 'General', 'text'],
    ['text', '0.00', 'text'],
    ['text', '@', 'text'],
    ['text', '0;0;0;"<"@">"', '<text>'],
    ['text', '0;-0;0;', ''],
    ['', '@', ''],
    ['text', 'dd.mm.yyyy', 'text'],
  ];
  for (const [value, code, text] of cases) {
    it(`${String(value)} as ${code} is ${JSON.stringify(text)}`, () => assert.equal(displayValue(value, code), text));
  }
});

describe('codes that are no formats', () => {
  const codes = ['[foo]0', '0.0.0/0', '"open', '0;0;0;0;0', 'y'.repeat(1000), '[h', 'General0'];
  for (const code of codes) {
    it(`${code.slice(0, 12)} shows General`, () => assert.equal(displayValue(1234.5, code), '1234,5'));
  }

  it('display never throws', () => {
    const alphabet = fc.constantFrom(
      ...'0#?.,;%@"\\[]$-/ _*EeyYmdhsbgBG+()<>=1АМ'.split(''),
      'AM/PM',
      'General',
      '[h]',
      '[$-F800]',
    );
    const code = fc.array(alphabet, { maxLength: 20 }).map((parts) => parts.join(''));
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.string());
    fc.assert(
      fc.property(code, value, fc.constantFrom<DateSystem>('google', '1900', '1904'), (format, scalar, system) => {
        assert.equal(typeof displayValue(scalar, format, 'ru-RU', system), 'string');
      }),
      { numRuns: scaleRunCount(7_500) },
    );
  });
});

describe('TEXT', () => {
  it('accepts English codes in every locale and uses the marks of the locale', () => {
    assert.equal(formatText(1234.5, '#,##0.00', 'ru-RU', 'google'), '1 234,50');
    assert.equal(formatText(1234.5, '#,##0.00', 'en-US', 'google'), '1,234.50');
    assert.equal(formatText(toDateSerial(2026, 11, 20, 'google'), 'yyyy-mm-dd', 'ru-RU', 'google'), '2026-11-20');
    assert.equal(formatText(1 / 3, 'General', 'ru-RU', 'google'), '0,333333333');
  });

  it('counts an empty cell as 0, and returns texts and booleans unchanged', () => {
    assert.equal(formatText(null, '0.0', 'ru-RU', 'google'), '0,0');
    assert.equal(formatText('abc', '0.0', 'ru-RU', 'google'), 'abc');
    assert.equal(formatText(true, '0.0', 'ru-RU', 'google'), 'TRUE');
    assert.equal(formatText(5, '', 'ru-RU', 'google'), '');
  });

  it('refuses invalid formats, and numbers that a date format cannot show', () => {
    assert.equal(formatText(5, '"open', 'ru-RU', 'google'), null);
    assert.equal(formatText('abc', '"open', 'ru-RU', 'google'), null);
    assert.equal(formatText(-1, 'dd.mm.yyyy', 'ru-RU', '1900'), null);
  });
});
