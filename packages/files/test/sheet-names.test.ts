import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createXlsxSheetNames } from '../src/index.ts';

const LONG = 'A very long sheet name indeed, yes';

const CASES: readonly [names: readonly string[], expected: readonly string[], why: string][] = [
  [['Data', 'Лист 2'], ['Data', 'Лист 2'], 'names that fit are kept'],
  [[LONG], [LONG.slice(0, 31)], 'long names are cut'],
  [[LONG, `${LONG}!`], [LONG.slice(0, 31), `${LONG.slice(0, 27)} (2)`], 'cut names stay different'],
  [['a:b', 'a/b', 'A_B'], ['a_b (2)', 'a_b (3)', 'A_B'], 'forbidden characters; a name that fits goes first'],
  [["'quoted'", "it's"], ['_quoted_', "it's"], 'apostrophes only at the ends'],
  [['[1]?*\\'], ['_1____'], 'brackets and wildcards'],
  [['History'], ['History (2)'], 'the name that Excel keeps for itself'],
  [[`${'x'.repeat(30)}😀`], ['x'.repeat(30)], 'no half characters'],
  [[`${'x'.repeat(30)}'y`], [`${'x'.repeat(30)}_`], 'an apostrophe at the end of what is left'],
];

for (const [names, expected, why] of CASES) {
  test(`sheet names in .xlsx: ${why}`, () => {
    assert.deepEqual([...createXlsxSheetNames(names).values()], expected);
  });
}

test('sheet names in .xlsx are always valid and unique', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'A', ':', "'", '😀', 'x'.repeat(16)), minLength: 1 });
  const names = fc.uniqueArray(name, { selector: (text) => text.toLowerCase(), maxLength: 12 });
  fc.assert(
    fc.property(names, (requested) => {
      const sheetNames = [...createXlsxSheetNames(requested).values()];
      assert.equal(sheetNames.length, requested.length);
      assert.equal(new Set(sheetNames.map((text) => text.toLowerCase())).size, sheetNames.length);
      for (const text of sheetNames) assert.match(text, /^(?!')[^:\\/?*[\]]{1,31}(?<!')$/);
    }),
  );
});
