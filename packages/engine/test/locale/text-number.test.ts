import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type DateSystem, dateFromText, LOCALE_IDS, type LocaleId, numberFromText } from '../../src/locale/index.ts';

function table(title: string, cases: readonly (readonly [LocaleId, string, number | null])[]): void {
  describe(title, () => {
    for (const [locale, text, value] of cases) {
      it(`${JSON.stringify(text)} in ${locale} is ${value}`, () => {
        assert.equal(numberFromText(text, locale, 'google'), value);
      });
    }
  });
}

table('numbers follow the marks of the locale', [
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

table('numbers as Excel reads them from a text', [
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
  ['en-US', '€5', null],
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

table('dates and times as numbers', [
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

describe('dates from text', () => {
  it('without a year take the one that is given', () => {
    assert.equal(dateFromText('5-Jan', 'en-US', 'google'), null);
    assert.equal(dateFromText('5-Jan', 'en-US', 'google', 2020), 43_835);
    assert.equal(dateFromText('1/2', 'en-US', 'google', 2020), 43_832);
    assert.equal(dateFromText('1/2', 'en-GB', 'google', 2020), 43_862);
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
    for (const [text, system, serial] of cases) assert.equal(dateFromText(text, 'en-US', system), serial, text);
  });

  it('are nothing else', () => {
    for (const text of ['5', '12.5', '5%', 'abc', '']) assert.equal(dateFromText(text, 'en-US', 'google'), null);
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
          const value = numberFromText(input, locale, system);
          assert.ok(value === null || Number.isFinite(value), `${input} gave ${value}`);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
