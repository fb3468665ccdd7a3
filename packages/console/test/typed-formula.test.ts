import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { LocaleId } from '@cellwire/engine';
import { listCatalogue, listLocalNames } from '../scripts/functions.ts';
import { closeBrackets, toApiFormula, toNameKey } from '../src/grid/formula/typed-formula.ts';

suite('local function names', () => {
  test('name exactly one function, and never the English name of another', () => {
    const known = new Set(listCatalogue().map(({ name }) => name));
    for (const [language, pairs] of Object.entries(listLocalNames())) {
      const invalidPairs = pairs.filter(([local, english]) => !known.has(english) || known.has(local));
      assert.deepEqual(invalidPairs, [], language);
      const keys = pairs.map(([local]) => toNameKey(local));
      const twice = keys.filter((key, i) => keys.indexOf(key) !== i);
      assert.deepEqual(twice, [], language);
    }
  });
});

suite('typed formulas', () => {
  const names = new Map(
    Object.entries(listLocalNames()).map(([language, pairs]) => [
      language,
      new Map(pairs.map(([local, english]) => [toNameKey(local), english])),
    ]),
  );
  const cases: readonly (readonly [LocaleId, typed: string, sent: string])[] = [
    ['ru-RU', '=СУММ(A1:A3)', '=SUM(A1:A3)'],
    ['ru-RU', '=если(A1>1,5;"СУММ(";счет(A1:A2))', '=IF(A1>1,5;"СУММ(";COUNT(A1:A2))'],
    ['ru-RU', '=СУММ(СУММ!A1;ИСТИНА)', '=SUM(СУММ!A1;TRUE)'],
    ['ru-RU', "=СУММ('ЕСЛИ('!A1)", "=SUM('ЕСЛИ('!A1)"],
    ['ru-RU', '=SUM(A1;A2)', '=SUM(A1;A2)'],
    [
      'de-DE',
      '=WENN(A1=WAHR;SUMME(A1:A3);SVERWEIS(1;A1:B2;2;FALSCH))',
      '=IF(A1=TRUE;SUM(A1:A3);VLOOKUP(1;A1:B2;2;FALSE))',
    ],
    ['fr-FR', '=SI(ET(A1>1;A2<2);SOMME (A1:A2);NB.SI(A:A;"x"))', '=IF(AND(A1>1;A2<2);SUM (A1:A2);COUNTIF(A:A;"x"))'],
    ['es-ES', '=SI(Y(A1;O(A2));SUMA(A1:A2);AÑO(A3)+dia(A3))', '=IF(AND(A1;OR(A2));SUM(A1:A2);YEAR(A3)+DAY(A3))'],
    ['en-US', '=SUM(A1;A2;{1,2;3,4})', '=SUM(A1,A2,{1,2;3,4})'],
    ['en-US', '=IF(A1=";";"a;b";1.5)', '=IF(A1=";","a;b",1.5)'],
    ['en-GB', '=СУММ(A1)', '=СУММ(A1)'],
    ['de-DE', 'SUMME(A1)', 'SUMME(A1)'],
  ];
  for (const [locale, typed, sent] of cases) {
    test(`${locale}: ${typed}`, () => {
      assert.equal(toApiFormula(typed, locale, names.get(locale.slice(0, 2))), sent);
    });
  }

  test('closes open brackets and braces', () => {
    for (const [typed, closed] of [
      ['=SUM(A1:A3', '=SUM(A1:A3)'],
      ['=IF(A1>1;SUM(A1;A2', '=IF(A1>1;SUM(A1;A2))'],
      ['=SUM(A1)', '=SUM(A1)'],
      ['=SUM({1;2', '=SUM({1;2})'],
      ['=SUM({1)', '=SUM({1)'],
      ['=LEN("((")', '=LEN("((")'],
      ['=LEN("(', '=LEN("('],
      ["='a(b'!A1", "='a(b'!A1"],
      ['=A1)', '=A1)'],
      ['=', '='],
      ['(text', '(text'],
    ] as const) {
      assert.equal(closeBrackets(typed), closed);
    }
  });
});
