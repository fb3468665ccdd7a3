import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { listCatalogue, listFunctionRows, readFunctionTexts } from '../scripts/functions.ts';

suite('help texts of functions', () => {
  for (const language of ['en', 'ru'] as const) {
    test(`name each argument and describe it in ${language}`, () => {
      const texts = readFunctionTexts(language);
      const incomplete = listCatalogue().filter(({ name, args }) => {
        const words = texts.get(name);
        return words === undefined || words.what === '' || words.args.length !== args.length || words.args.includes('');
      });
      assert.deepEqual(
        incomplete.map(({ name }) => name),
        [],
        `functions/${language}.txt`,
      );
      const known = new Set(listCatalogue().map(({ name }) => name));
      assert.deepEqual(
        [...texts.keys()].filter((name) => !known.has(name)),
        [],
      );
    });
  }

  test('put optional arguments in brackets and repeat the last ones', () => {
    const findFunctionRow = (name: string) => listFunctionRows('en').find(([one]) => one === name);
    assert.deepEqual(findFunctionRow('SUMIFS'), [
      'SUMIFS',
      'math',
      ['range to add', 'range', 'condition'],
      ['range', 'condition'],
      'The sum of cells whose rows meet all conditions',
    ]);
    assert.deepEqual(findFunctionRow('ROUND')?.[2], ['number', '[digits]']);
    assert.equal(findFunctionRow('STDEV')?.[4], findFunctionRow('STDEV.S')?.[4]);
  });
});
