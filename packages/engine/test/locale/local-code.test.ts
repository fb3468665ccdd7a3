import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatText, LOCALE_IDS, LOCALES, type LocaleId } from '../../src/locale/index.ts';
import { toEnglishCode } from '../../src/locale/local-code.ts';

/** 2026-11-20, 18:22:13. */
const FRIDAY = 46_346 + (18 * 3600 + 22 * 60 + 13) / 86_400;

function testCases(title: string, value: number, cases: readonly (readonly [LocaleId, string, string])[]): void {
  describe(title, () => {
    for (const [locale, code, expected] of cases) {
      it(`${code} in ${locale}`, () => assert.equal(formatText(value, code, locale, 'google'), expected));
    }
  });
}

// Excel's codes in each language: Microsoft, “TEXT function” in Russian, German, French, Spanish and Italian.
testCases('number codes in the notation of the locale', 1234.5, [
  ['ru-RU', '0,00', '1234,50'],
  ['ru-RU', '# ##0,00', '1 234,50'],
  ['ru-RU', '# ##0', '1 235'],
  ['ru-RU', '#\u00a0##0,00', '1 234,50'],
  ['ru-RU', '# ##0,00 ₽', '1 234,50 ₽'],
  ['ru-RU', '0,00;-0,00', '1234,50'],
  ['ru-RU', '0,00E+00', '1,23E+03'],
  ['ru-RU', '0,###', '1234,5'],
  ['ru-RU', '[>1000,5]0,0;0', '1234,5'],
  ['ru-RU', 'Основной', '1234,5'],
  ['ru-RU', '0 "м"', '1235 м'],
  ['ru-RU', '0 м', '1235 м'],
  ['de-DE', '#.##0,00', '1.234,50'],
  ['de-DE', '#.##0', '1.235'],
  ['de-DE', '0.000', '1.235'],
  ['de-DE', '0,00 €', '1234,50 €'],
  ['de-DE', 'Standard', '1234,5'],
  ['fr-FR', '# ##0,00 €', '1 234,50 €'],
  ['es-ES', '#.##0,0', '1.234,5'],
  ['it-IT', 'Generale', '1234,5'],
]);

testCases('English number codes that have no other meaning in the locale', 1234.5, [
  ['ru-RU', '0.00', '1234,50'],
  ['ru-RU', '#,##0', '1 235'],
  ['ru-RU', '#,##0.00', '1 234,50'],
  ['ru-RU', '#,###,##0', '1 235'],
  ['ru-RU', '0,', '1'],
  ['ru-RU', '#,##0.0,', '1,2'],
  ['ru-RU', '# ?/?', '1234 1/2'],
  ['ru-RU', '000 000 00 00', '000 000 12 35'],
  ['de-DE', '0.00', '1234,50'],
  ['de-DE', '#,##0.00', '1.234,50'],
  ['de-DE', '#,##0', '1.235'],
  ['en-US', '0,00', '1,235'],
  ['en-US', '# ##0', '1 235'],
]);

testCases('date codes in the notation of the locale', FRIDAY, [
  ['ru-RU', 'ДД.ММ.ГГГГ', '20.11.2026'],
  ['ru-RU', 'дд.мм.гг', '20.11.26'],
  ['ru-RU', 'ДД.ММ.ГГГГ чч:мм:сс', '20.11.2026 18:22:13'],
  ['ru-RU', 'ч:мм AM/PM', '6:22 PM'],
  ['ru-RU', '[чч]:мм', '1112322:22'],
  ['ru-RU', 'сс,00', '13,00'],
  ['ru-RU', 'ДДДД, ДД МММ', 'пятница, 20 ноя'],
  ['ru-RU', 'ММММ', 'Ноябрь'],
  ['ru-RU', 'ДД.ММ.ГГГГ г.', '20.11.2026 г.'],
  ['de-DE', 'TT.MM.JJJJ', '20.11.2026'],
  ['de-DE', 'TTTT, T. MMMM JJJJ', 'Freitag, 20. November 2026'],
  ['de-DE', 'TT.MM.JJ hh:mm "Uhr"', '20.11.26 18:22 Uhr'],
  ['fr-FR', 'JJ/MM/AAAA', '20/11/2026'],
  ['fr-FR', 'jjjj j mmmm aaaa', 'vendredi 20 novembre 2026'],
  ['es-ES', 'dd/mm/aaaa', '20/11/2026'],
  ['es-ES', 'd "de" mmmm "de" aaaa', '20 de noviembre de 2026'],
  ['it-IT', 'GG/MM/AAAA', '20/11/2026'],
]);

testCases('English codes of dates', FRIDAY, [
  ['ru-RU', 'dd.mm.yyyy', '20.11.2026'],
  ['de-DE', 'yyyy-mm-ddThh:mm', '2026-11-20T18:22'],
  ['de-DE', 'dd.mm.yyyy', '20.11.2026'],
  ['fr-FR', 'dd/mm/yyyy h:mm', '20/11/2026 18:22'],
  ['it-IT', 'dddd', 'venerdì'],
  ['es-ES', 'hh:mm:ss', '18:22:13'],
]);

describe('codes of any kind', () => {
  const comma = LOCALE_IDS.filter((id) => LOCALES[id].decimal === ',');
  const section = fc
    .record({
      whole: fc.constantFrom('0', '00', '#', '#,##0', '#,###,##0', '0,000'),
      fraction: fc.constantFrom('', '.0', '.00', '.0000', '.0##', '.#'),
      rest: fc.constantFrom('', '%', ' "₽"', 'E+00', '_-', '\\ x'),
    })
    .map(({ whole, fraction, rest }) => ({ whole, fraction, rest, code: whole + fraction + rest }));

  it('mean the same with local marks as with English marks', () => {
    fc.assert(
      fc.property(section, fc.constantFrom(...comma), ({ whole, fraction, rest, code }, locale) => {
        const local = whole.replaceAll(',', LOCALES[locale].group) + fraction.replace('.', ',') + rest;
        assert.equal(toEnglishCode(local, locale), code);
      }),
    );
  });

  it('stay unchanged if they contain no local mark or letter', () => {
    const codes = [
      'General',
      '0',
      '0.00',
      '#,##0.00',
      '0%',
      'yyyy-mm-dd',
      'hh:mm:ss',
      '[h]:mm',
      '@',
      '# ??/??',
      '0.0E+0',
    ];
    for (const locale of LOCALE_IDS) for (const code of codes) assert.equal(toEnglishCode(code, locale), code);
  });

  it('never throw, and keep literals unchanged', () => {
    const piece = fc.constantFrom(...'0#?.,; %"\\[]ГМДчсJTаagE+-/_*@$'.split(''), '"ДД"', '[Red]', '\\Г', 'AM/PM');
    const code = fc.array(piece, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(code, fc.constantFrom(...LOCALE_IDS), fc.double({ noNaN: true }), (text, locale, value) => {
        const formatted = formatText(value, text, locale, 'google');
        assert.ok(formatted === null || typeof formatted === 'string');
        assert.equal(toEnglishCode(`"${text.replaceAll('"', '')}"`, locale), `"${text.replaceAll('"', '')}"`);
      }),
      { numRuns: 500 },
    );
  });
});
