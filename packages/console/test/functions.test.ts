import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { catalogue, functionRows, functionTexts } from '../scripts/functions.ts';

suite('help texts of functions', () => {
  for (const language of ['en', 'ru'] as const) {
    test(`name each argument and describe it in ${language}`, () => {
      const texts = functionTexts(language);
      const incomplete = catalogue().filter(({ name, args }) => {
        const words = texts.get(name);
        return words === undefined || words.what === '' || words.args.length !== args.length || words.args.includes('');
      });
      assert.deepEqual(
        incomplete.map(({ name }) => name),
        [],
        `functions/${language}.txt`,
      );
      const known = new Set(catalogue().map(({ name }) => name));
      assert.deepEqual(
        [...texts.keys()].filter((name) => !known.has(name)),
        [],
      );
    });
  }

  test('put optional arguments in brackets and repeat the last ones', () => {
    const row = (name: string) => functionRows('en').find(([one]) => one === name);
    assert.deepEqual(row('SUMIFS'), [
      'SUMIFS',
      'math',
      ['range to add', 'range', 'condition'],
      ['range', 'condition'],
      'The sum of cells whose rows meet all conditions',
    ]);
    assert.deepEqual(row('ROUND')?.[2], ['number', '[digits]']);
    assert.equal(row('STDEV')?.[4], row('STDEV.S')?.[4]);
  });
});
