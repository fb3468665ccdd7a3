import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQuery } from '../../src/http/bodies/query.ts';

/** Parts of query strings, well-formed and malformed. */
const PIECES = ['a', 'b', '=', '&', '+', '%', '%20', '%D0%AF', '%ff', '%2', '%26', '%3D', '?', '[', ']', 'Я', ' ', ''];

test('names and values equal the results of the URL standard', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (query) => {
      const expected = new Map<string, string[]>();
      for (const [name, value] of new URLSearchParams(query)) {
        expected.set(name, [...(expected.get(name) ?? []), value]);
      }
      const parsed = Object.entries(parseQuery(query)).map(([name, value]) => [name, [value].flat()]);
      assert.deepEqual(new Map(parsed as [string, string[]][]), expected);
    }),
  );
});

test('lists are accepted in all spellings', () => {
  const lists = [
    'ranges=A1&ranges=B2',
    'ranges[]=A1&ranges[]=B2',
    'ranges[0]=A1&ranges%5B1%5D=B2',
    'ranges[]=A1&ranges=B2',
  ];
  for (const query of lists)
    assert.deepEqual({ ...parseQuery(`${query}&limit=2`) }, { ranges: ['A1', 'B2'], limit: 2 });
});
