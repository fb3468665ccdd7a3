import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DateSystem, LOCALE_IDS, type LocaleId, parseDateText, parseNumberText } from '../../src/locale/index.ts';

function testCases(title: string, cases: readonly (readonly [LocaleId, string, number | null])[]): void {
  describe(title, () => {
    for (const [locale, text, value] of cases) {
      it(`${JSON.stringify(text)} in ${locale} is ${value}`, () => {
        assert.equal(parseNumberText(text, locale, 'google'), value);
      });
    }
  });
}

testCases('numbers follow the marks of the locale', [
  ['ru-RU', '12,5', 12.5],
  ['ru-RU', '12.5', null],
  ['ru-RU', '1 234,5', 1234.5],
  ['ru-RU', '1\u00a0234', 1234],
  ['ru-RU', '1,234.5', null],
  ['en-US', '12.5', 12.5],
  ['en-US', '1,234.5', 1234.5],
  ['en-US', '12,34', null],
  ['en-US', '.5', 0.5],
  ['en-US', '5.', 5],
  ['de-DE', '1.234,5', 1234.5],
  ['de-DE', '1.234', 1234],
  ['fr-FR', '1\u202f234,5', 1234.5],
]);

testCases('numbers as Excel reads them from a text', [
  ['en-US', ' 5 ', 5],
  ['en-US', '-5', -5],
  ['en-US', '+5', 5],
  ['en-US', '007', 7],
  ['en-US', '1E3', 1000],
  ['en-US', '1.5e-3', 0.0015],
  ['en-US', '(5)', -5],
  ['en-US', '(-5)', null],
  ['en-US', '($5.50)', -5.5],
  ['en-US', '5%', 0.05],
  ['ru-RU', '1,5 %', 0.015],
  ['en-US', '$5', 5],
  ['en-US', '-$5', -5],
  ['ru-RU', '1 234,50 ₽', 1234.5],
  ['en-US', '€5', 5],
  ['en-US', '1 1/2', 1.5],
  ['en-US', '1 1/0', null],
  ['en-US', '1E400', null],
  ['en-US', '', null],
  ['en-US', ' ', null],
  ['en-US', 'abc', null],
  ['en-US', '12abc', null],
  ['en-US', '1 2', null],
  ['en-US', 'TRUE', null],
  ['en-US', '--5', null],
  ['en-US', '.', null],
]);

testCases('dates and times as numbers', [
  ['en-US', '1/2/2020', 43_832],
  ['en-GB', '1/2/2020', 43_862],
  ['ru-RU', '1/2/2020', 43_862],
  ['ru-RU', '01.02.2020', 43_862],
  ['en-US', '2020-01-01', 43_831],
  ['en-US', '1-Jan-2020', 43_831],
  ['ru-RU', '1-Jan-2020', 43_831],
  ['en-US', 'Jan 1, 2020', 43_831],
  ['de-DE', 'January 1, 2020', 43_831],
  ['de-DE', '1. Januar 2020', 43_831],
  ['de-DE', '1 Januar 2020', 43_831],
  ['ru-RU', '1 янв 2020', 43_831],
  ['ru-RU', '20 ноября 2026 г.', 46_346],
  ['ru-RU', '5 мая 2020', 43_956],
  ['en-US', 'Jan 2020', 43_831],
  ['en-US', '1/1/29', 47_119],
  ['en-US', '1/1/30', 10_959],
  ['en-US', '1/1/2020 12:00', 43_831.5],
  ['en-US', '10:30 AM', 0.4375],
  ['ru-RU', '10:30 PM', 0.9375],
  ['en-US', '12:00', 0.5],
  ['en-US', '6:00:00', 0.25],
  ['en-US', '2/30/2020', null],
  ['en-US', '13/1/2020', null],
  ['ru-RU', '1.5', null],
  ['ru-RU', '1.2020', null],
  ['en-US', '1/2', null],
  ['en-US', '5-Jan', null],
]);

// Microsoft, “DATEVALUE function” and “VALUE function”: every date format that Excel recognises; LibreOffice's
// acceptance patterns for dates with month names.
describe('a month in letters may be at any position', () => {
  const cases: readonly [LocaleId, string][] = [
    ['en-US', '5 March 2020'],
    ['en-US', '5 Mar 2020'],
    ['en-US', '5-Mar-2020'],
    ['en-US', '5-MAR-20'],
    ['en-US', '5/Mar/2020'],
    ['en-US', 'March 5, 2020'],
    ['en-US', 'Mar. 5, 2020'],
    ['en-US', 'Mar-5-20'],
    ['en-US', 'March 5 2020'],
    ['en-US', '2020 March 5'],
    ['en-US', '2020-Mar-05'],
    ['en-US', '2020, 5 March'],
    ['en-US', '5-2020-Mar'],
    ['en-US', 'Mar 2020 5'],
    ['ru-RU', '5 марта 2020'],
    ['ru-RU', '5 мар 2020'],
    ['ru-RU', '5 марта 2020 г.'],
    ['ru-RU', 'Март 5, 2020'],
    ['de-DE', '5. März 2020'],
    ['de-DE', '5. Mrz. 2020'],
    ['fr-FR', '5 mars 2020'],
    ['es-ES', '5 de marzo de 2020'],
    ['it-IT', '5 marzo 2020'],
  ];
  for (const [locale, text] of cases) {
    it(`${text} in ${locale}`, () => {
      assert.equal(parseNumberText(text, locale, 'google'), 43_895);
      assert.equal(parseNumberText(`${text} 18:00`, locale, 'google'), 43_895.75);
    });
  }

  it('a month of a year is its first day', () => {
    for (const text of ['March 2020', '2020 March', 'Mar-2020']) {
      assert.equal(parseNumberText(text, 'en-US', 'google'), 43_891, text);
    }
    assert.equal(parseNumberText('Mar-32', 'en-US', 'google'), 11_749);
  });

  it('other texts with a month are not dates', () => {
    const invalidTexts = [
      '31 April 2020',
      '0 March 2020',
      '5 March 202',
      '5 March March',
      '5 20 March',
      'March',
      '5 Mar 2020 x',
    ];
    const rareTexts = ['5 Marble 2020', '5 March 2020 25:61', '1 2 March 2020', '5 мар 2020'];
    for (const text of [...invalidTexts, ...rareTexts])
      assert.equal(parseNumberText(text, 'en-US', 'google'), null, text);
  });
});

testCases('times and dates at their bounds', [
  ['en-US', '24:00', 1],
  ['en-US', '25:30', 1.0625],
  ['en-US', '100:00', 100 / 24],
  ['en-US', '9999:59:59', 9999 / 24 + (59 * 60 + 59) / 86_400],
  ['en-US', '10000:00', null],
  ['en-US', '100:60', null],
  ['en-US', '-1:00', null],
  ['en-US', '13:00 PM', null],
  ['en-US', '12/31/9999', 2_958_465],
  ['en-US', '1/1/10000', null],
  ['ru-RU', '10:30:45,5', (10 * 3600 + 30 * 60 + 45.5) / 86_400],
]);

describe('dates from text', () => {
  it('without a year are in the given year', () => {
    assert.equal(parseDateText('5-Jan', 'en-US', 'google'), null);
    assert.equal(parseDateText('5-Jan', 'en-US', 'google', 2020), 43_835);
    assert.equal(parseDateText('1/2', 'en-US', 'google', 2020), 43_832);
    assert.equal(parseDateText('1/2', 'en-GB', 'google', 2020), 43_862);
  });

  it('are counted by the date system', () => {
    const cases: readonly [string, DateSystem, number | null][] = [
      ['1-Jan-2020', 'google', 43_831],
      ['1-Jan-2020', '1900', 43_831],
      ['1-Jan-2020', '1904', 42_369],
      ['1-Feb-1900', 'google', 33],
      ['1-Feb-1900', '1900', 32],
      ['29-Feb-1900', '1900', 60],
      ['29-Feb-1900', 'google', null],
      ['1-Feb-1900', '1904', null],
    ];
    for (const [text, system, serial] of cases) assert.equal(parseDateText(text, 'en-US', system), serial, text);
  });

  it('are not read from numbers and other texts', () => {
    for (const text of ['5', '12.5', '5%', 'abc', '']) assert.equal(parseDateText(text, 'en-US', 'google'), null);
  });
});

describe('numbers from any text', () => {
  it('never throw and are finite', () => {
    const alphabet = fc.constantFrom(...'0123456789 ,.-+/:%₽$€eE()'.split(''), 'Jan', 'янв', 'AM', ' PM');
    const text = fc.array(alphabet, { maxLength: 20 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...LOCALE_IDS),
        fc.constantFrom<DateSystem>('google', '1904'),
        (input, locale, system) => {
          const value = parseNumberText(input, locale, system);
          assert.ok(value === null || Number.isFinite(value), `${input} gave ${value}`);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
