import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type DateSystem,
  type FormatHint,
  formatForDisplay,
  getDefaultFormat,
  LOCALE_IDS,
  LOCALES,
  type LocaleId,
  type RecognisedInput,
  recognise,
} from '../../src/locale/index.ts';
import { assertLinear } from '../growth.ts';

const RUBLES = '#,##0.00 "₽"';
const NBSP = '\u00a0';
const NARROW = '\u202f';

function recogniseInput(text: string, locale: LocaleId = 'ru-RU', system: DateSystem = 'google'): RecognisedInput {
  return recognise(text, locale, system);
}

function testCases(title: string, cases: readonly (readonly [string, number | boolean | string, string?])[]): void {
  describe(title, () => {
    for (const [text, value, format] of cases) {
      it(`${JSON.stringify(text)} is ${JSON.stringify(value)}${format ? ` as ${format}` : ''}`, () => {
        assert.deepEqual(recogniseInput(text), format === undefined ? { value } : { value, format });
      });
    }
  });
}

testCases('numbers have a decimal comma, a sign, groups of three', [
  ['0', 0],
  ['5', 5],
  ['-5', -5],
  ['+5', 5],
  ['12,5', 12.5],
  ['0,10', 0.1],
  ['-0,5', -0.5],
  [',5', 0.5],
  ['-0', 0],
  ['-0,0', 0],
  ['1 234', 1234],
  [`1${NBSP}234,56`, 1234.56],
  [`1${NARROW}234${NARROW}567`, 1_234_567],
  ['-1 234 567,891', -1_234_567.891],
  ['123456789012345', 123_456_789_012_345],
  ['0,123456789012345', 0.123456789012345],
  [' 5 ', 5],
]);

testCases('what only looks like a number stays text', [
  ['1.5', '1.5'],
  ['1234.5', '1234.5'],
  ['1.234,56', '1.234,56'],
  ['1,234,567', '1,234,567'],
  ['12 34', '12 34'],
  ['1 2345', '1 2345'],
  ['1234 567', '1234 567'],
  ['1  234', '1  234'],
  ['5,', '5,'],
  [',', ','],
  ['-', '-'],
  ['+', '+'],
  ['--5', '--5'],
  ['+-5', '+-5'],
  ['- 5', '- 5'],
  ['−5', '−5'],
  ['(5)', '(5)'],
  ['5 кг', '5 кг'],
  ['0x10', '0x10'],
  ['Infinity', 'Infinity'],
  ['١٢', '١٢'],
  ['', ''],
  ['  ', '  '],
]);

testCases('an exponent needs a decimal comma or a sign of its own', [
  ['1,5e3', 1500],
  ['1,5E3', 1500],
  ['2E-2', 0.02],
  ['2e+5', 200_000],
  ['-2,5e-1', -0.25],
  ['12E4', '12E4'],
  ['1e5', '1e5'],
  ['1,5e', '1,5e'],
  ['e5', 'e5'],
  ['1 000e+3', '1 000e+3'],
  ['1,5e400', '1,5e400'],
  ['1,5e-400', '1,5e-400'],
]);

testCases('nothing is lost silently', [
  ['007', '007'],
  ['-007', '-007'],
  ['00,5', '00,5'],
  ['00', '00'],
  ['0 123', '0 123'],
  ['1234567890123456', '1234567890123456'],
  ['4000000000000000', '4000000000000000'],
  ['0,1234567890123456', '0,1234567890123456'],
  ['1,50000000000000000', 1.5],
  ['+123456', 123_456],
  ['+1234567', '+1234567'],
  ['+7 999 123', '+7 999 123'],
  ['+79991234567', '+79991234567'],
]);

testCases('percent sets a percent format', [
  ['5%', 0.05, '0%'],
  ['1,5%', 0.015, '0.00%'],
  ['1,5 %', 0.015, '0.00%'],
  ['-7%', -0.07, '0%'],
  ['0%', 0, '0%'],
  ['1 000%', 10, '0%'],
  ['%', '%'],
  ['%5', '%5'],
  ['5%%', '5%%'],
  ['1.5%', '1.5%'],
]);

testCases("the locale's currency sign sets a currency format", [
  ['1 234,56 ₽', 1234.56, RUBLES],
  ['₽100', 100, RUBLES],
  ['100₽', 100, RUBLES],
  [`5${NBSP}₽`, 5, RUBLES],
  ['-5 ₽', -5, RUBLES],
  ['-₽5', -5, RUBLES],
  ['₽-5', -5, RUBLES],
  ['₽ 5', 5, RUBLES],
  ['-₽-5', '-₽-5'],
  ['₽5₽', '₽5₽'],
  ['5% ₽', '5% ₽'],
  ['₽', '₽'],
  ['$5', '$5'],
  ['5 руб.', '5 руб.'],
]);

testCases('dates', [
  ['20.11.2026', 46_346, 'dd.mm.yyyy'],
  ['1.5.2026', 46_143, 'dd.mm.yyyy'],
  ['20.11.26', 46_346, 'dd.mm.yyyy'],
  ['01.01.29', 47_119, 'dd.mm.yyyy'],
  ['01.01.30', 10_959, 'dd.mm.yyyy'],
  ['2026-11-20', 46_346, 'dd.mm.yyyy'],
  ['2026-1-5', 46_027, 'dd.mm.yyyy'],
  ['20/11/2026', 46_346, 'dd.mm.yyyy'],
  ['20/11/26', 46_346, 'dd.mm.yyyy'],
  ['29.02.2024', 45_351, 'dd.mm.yyyy'],
  ['30.12.1899', 0, 'dd.mm.yyyy'],
  ['29.12.1899', -1, 'dd.mm.yyyy'],
  ['20.11.2026 12:00', 46_346.5, 'dd.mm.yyyy hh:mm'],
  ['20.11.2026  6:00', 46_346.25, 'dd.mm.yyyy hh:mm'],
  ['2026-11-20 18:00:00', 46_346.75, 'dd.mm.yyyy hh:mm:ss'],
  ['2026-11-20T12:00', 46_346.5, 'dd.mm.yyyy hh:mm'],
  [' 20.11.2026 ', 46_346, 'dd.mm.yyyy'],
]);

testCases('what is no date stays text', [
  ['31.02.2026', '31.02.2026'],
  ['29.02.2026', '29.02.2026'],
  ['29.02.1900', '29.02.1900'],
  ['00.01.2026', '00.01.2026'],
  ['01.13.2026', '01.13.2026'],
  ['01.01.0000', '01.01.0000'],
  ['1.5', '1.5'],
  ['1.5.26', '1.5.26'],
  ['1.05.26', '1.05.26'],
  ['1/5', '1/5'],
  ['1/5/26', '1/5/26'],
  ['20.11.202', '20.11.202'],
  ['20.11.2026 24:00', '20.11.2026 24:00'],
  ['20.11.2026 12:60', '20.11.2026 12:60'],
  ['20.11.2026T12:00', '20.11.2026T12:00'],
  ['20.11.2026 12', '20.11.2026 12'],
  ['20-11-2026', '20-11-2026'],
  ['2026-11', '2026-11'],
  ['2026-11-20T12:00Z', '2026-11-20T12:00Z'],
  ['2026-11-20T12:00:00+03:00', '2026-11-20T12:00:00+03:00'],
  ['192.168.0.1', '192.168.0.1'],
]);

testCases('times are fractions of a day', [
  ['12:00', 0.5, 'hh:mm'],
  ['6:00', 0.25, 'hh:mm'],
  ['00:00', 0, 'hh:mm'],
  ['18:00:00', 0.75, 'hh:mm:ss'],
  ['36:00', 1.5, '[h]:mm:ss'],
  ['10:60', '10:60'],
  ['10:5', '10:5'],
  ['100:00', '100:00'],
  ['10:30:15,5', '10:30:15,5'],
  ['-1:30', '-1:30'],
  ['1:2:3', '1:2:3'],
]);

testCases('booleans in English and in the words of the locale, in any case', [
  ['TRUE', true],
  ['false', false],
  ['ИСТИНА', true],
  ['ложь', false],
  ['да', 'да'],
  ['WAHR', 'WAHR'],
]);

testCases('an apostrophe forces text and is dropped', [
  ["'5", '5'],
  ["'=A1", '=A1'],
  ["''5", "'5"],
  ["'", ''],
]);

describe('slash dates follow the locale', () => {
  const cases: readonly [string, LocaleId, number | string][] = [
    ['12/31/2026', 'en-US', 46_387],
    ['31/12/2026', 'en-US', '31/12/2026'],
    ['31/12/2026', 'en-GB', 46_387],
    ['12/31/2026', 'de-DE', '12/31/2026'],
    ['01/02/2026', 'en-US', 46_024],
    ['01/02/2026', 'fr-FR', 46_054],
  ];
  for (const [text, locale, value] of cases) {
    it(`${text} in ${locale} is ${value}`, () => assert.equal(recogniseInput(text, locale).value, value));
  }
});

describe('the number grammar is the same in every locale', () => {
  for (const locale of LOCALE_IDS) {
    it(locale, () => {
      assert.deepEqual(recogniseInput('1 234,5', locale), { value: 1234.5 });
      assert.deepEqual(recogniseInput('1234.5', locale), { value: '1234.5' });
      assert.deepEqual(recogniseInput('1,234', locale), { value: 1.234 });
      assert.equal(recogniseInput('20.11.2026', locale).value, 46_346);
    });
  }

  it('the grammar of dollar amounts is the same in every locale', () => {
    assert.deepEqual(recogniseInput('$1,5', 'en-US'), { value: 1.5, format: '"$"#,##0.00' });
    assert.deepEqual(recogniseInput('$1,234.50', 'en-US'), { value: '$1,234.50' });
    // Three digits after the comma of a money amount are a group, because amounts have no tenths of a cent.
    assert.deepEqual(recogniseInput('$1,000', 'en-US'), { value: '$1,000' });
    assert.deepEqual(recogniseInput('1,000 ₽'), { value: '1,000 ₽' });
    assert.deepEqual(recogniseInput('$1,00', 'en-US'), { value: 1, format: '"$"#,##0.00' });
    assert.deepEqual(recogniseInput('1,000', 'en-US'), { value: 1 });
    assert.deepEqual(recogniseInput('€ 5', 'de-DE'), { value: 5, format: '#,##0.00 "€"' });
  });
});

describe('a date is shown in the short form of the locale for every form of input', () => {
  const cases: readonly [LocaleId, string][] = [
    ['ru-RU', '05.03.2026'],
    ['de-DE', '05.03.2026'],
    ['en-US', '3/5/2026'],
    ['en-GB', '05/03/2026'],
    ['fr-FR', '05/03/2026'],
    ['es-ES', '05/03/2026'],
    ['it-IT', '05/03/2026'],
  ];
  for (const [locale, date] of cases) {
    it(`${locale}: ${date}`, () => {
      const slashDate = LOCALES[locale].slashOrder === 'mdy' ? '3/5/2026' : '5/3/2026';
      for (const text of ['05.03.2026', '5.3.2026', '05.03.26', '2026-03-05', slashDate]) {
        const { value, format = '' } = recogniseInput(text, locale);
        assert.equal(formatForDisplay(value, format, locale, 'google'), date, text);
      }
      const { value, format = '' } = recogniseInput('2026-03-05 18:30:15', locale);
      assert.equal(formatForDisplay(value, format, locale, 'google'), `${date} 18:30:15`);
    });
  }
});

describe('a number entered into a cell with a percent format is a percentage', () => {
  const cases: readonly [string, RecognisedInput][] = [
    ['7', { value: 0.07 }],
    ['-7', { value: -0.07 }],
    ['7,5', { value: 0.075 }],
    ['1 000', { value: 10 }],
    ['29', { value: 0.29 }],
    ['7%', { value: 0.07, format: '0%' }],
    ['7 ₽', { value: 7, format: RUBLES }],
    ['007', { value: '007' }],
    ['seven', { value: 'seven' }],
  ];
  for (const [text, expected] of cases) {
    it(text, () => assert.deepEqual(recognise(text, 'ru-RU', 'google', true), expected));
  }
});

describe('truth values of each locale', () => {
  const words: readonly [LocaleId, string, string][] = [
    ['de-DE', 'Wahr', 'falsch'],
    ['fr-FR', 'VRAI', 'faux'],
    ['es-ES', 'verdadero', 'FALSO'],
    ['it-IT', 'vero', 'falso'],
    ['en-GB', 'true', 'False'],
  ];
  for (const [locale, yes, no] of words) {
    it(locale, () =>
      assert.deepEqual([recogniseInput(yes, locale).value, recogniseInput(no, locale).value], [true, false]),
    );
  }
});

describe('the date system bounds and numbers dates', () => {
  const cases: readonly [string, DateSystem, number | string][] = [
    ['29.02.1900', '1900', 60],
    ['01.01.1900', '1900', 1],
    ['31.12.1899', '1900', '31.12.1899'],
    ['20.11.2026', '1900', 46_346],
    ['01.01.1904', '1904', 0],
    ['31.12.1903', '1904', '31.12.1903'],
    ['20.11.2026', '1904', 44_884],
  ];
  for (const [text, system, value] of cases) {
    it(`${text} in ${system} is ${value}`, () => assert.equal(recogniseInput(text, 'ru-RU', system).value, value));
  }
});

describe('recognition as a whole', () => {
  it('never throws, and keeps texts unchanged', () => {
    const alphabet = fc.constantFrom(..."0123456789 ,.-+/:%₽$€eETZ\u00a0\u202f'(".split(''), 'TRUE', 'я');
    const text = fc.array(alphabet, { maxLength: 24 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom(...LOCALE_IDS), (input, locale) => {
        const { value } = recogniseInput(input, locale);
        if (typeof value === 'number') assert.ok(Number.isFinite(value) && !Object.is(value, -0));
        if (typeof value === 'string') assert.equal(value, input.startsWith("'") ? input.slice(1) : input);
      }),
      { numRuns: 2000 },
    );
  });

  it('recognises any number of up to fifteen digits with a decimal comma', () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.integer({ min: 0, max: 5 }), (n, places) => {
        const value = n / 10 ** places;
        assert.equal(recogniseInput(String(value).replace('.', ',')).value, value);
      }),
    );
  });

  it('recognises the dates and times that a locale shows', () => {
    const second = fc.integer({ min: 0, max: 80 * 366 * 86_400 });
    const settings = fc.tuple(fc.constantFrom(...LOCALE_IDS), fc.constantFrom<DateSystem>('google', '1900', '1904'));
    const hints = fc.constantFrom<FormatHint>('date', 'datetime', 'time');
    fc.assert(
      fc.property(second, settings, hints, (seconds, [locale, system], hint) => {
        const first = recogniseInput('1905-01-01', locale, system).value as number;
        const text = formatForDisplay(first + seconds / 86_400, getDefaultFormat(hint, locale), locale, system);
        const { value, format } = recogniseInput(text, locale, system);
        assert.equal(formatForDisplay(value, format ?? '', locale, system), text);
      }),
    );
  });

  it('takes time in proportion to the length, also for hostile texts', () => {
    const hostile = ['1', '1 ', ' ', '1 234 ', '0', '1,', '₽', '%', '-', '1.', "'", 'a'];
    for (const piece of hostile) {
      assertLinear(50_000, (size) => {
        const text = `${piece.repeat(size / piece.length)}x`;
        for (const locale of LOCALE_IDS) recogniseInput(text, locale);
      });
    }
  });
});
