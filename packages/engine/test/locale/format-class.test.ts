import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type FormatClass,
  formatClass,
  getDefaultFormat,
  isDateFormat,
  LOCALE_IDS,
  LOCALES,
} from '../../src/locale/index.ts';

describe('the class of a format code', () => {
  const cases: readonly [string, FormatClass][] = [
    ['', 'general'],
    ['General', 'general'],
    ['0', 'number'],
    ['#,##0.00', 'number'],
    ['0.00;[Red]-0.00', 'number'],
    ['0%', 'percent'],
    ['0.00%', 'percent'],
    ['#,##0.00 "₽"', 'currency'],
    ['"$"#,##0.00', 'currency'],
    ['$#,##0', 'currency'],
    ['#,##0.00\\ [$₽-419]', 'currency'],
    ['#,##0.00\\ _₽', 'number'],
    ['#,##0.00"р."', 'currency'],
    ['0" шт."', 'number'],
    ['dd.mm.yyyy', 'date'],
    ['[$-419]d mmm;@', 'date'],
    ['mmmm yyyy', 'date'],
    ['dddd', 'date'],
    ['dd.mm.yyyy hh:mm', 'datetime'],
    ['hh:mm', 'time'],
    ['mm:ss', 'time'],
    ['h:mm AM/PM', 'time'],
    ['[h]:mm', 'time'],
    ['[h]', 'time'],
    ['[mm]', 'time'],
    ['@', 'text'],
    ['0.00E+00', 'scientific'],
    ['# ?/?', 'fraction'],
    ['"open', 'general'],
    ['"dd.mm.yyyy"', 'general'],
  ];
  for (const [code, kind] of cases) {
    it(`${code || 'none'} is ${kind}`, () => {
      assert.equal(formatClass(code), kind);
      assert.equal(isDateFormat(code), kind === 'date' || kind === 'time' || kind === 'datetime');
    });
  }
});

describe('formats of hints', () => {
  it('have the class that the hint names', () => {
    for (const locale of LOCALE_IDS) {
      for (const hint of ['date', 'datetime', 'time', 'percent', 'currency'] as const) {
        assert.equal(formatClass(getDefaultFormat(hint, locale)), hint);
      }
      assert.equal(getDefaultFormat('currency', locale), LOCALES[locale].currencyFormat);
    }
  });
});
