import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { quoteSheetName, splitSheetPrefix } from '../../src/formula/index.ts';

describe('quoting sheet names', () => {
  for (const [name, text] of [
    ['Sheet1', 'Sheet1'],
    ['Лист1', 'Лист1'],
    ['表1', '表1'],
    ['a.b_c', 'a.b_c'],
    ['Jan', 'Jan'],
    ['My sheet', "'My sheet'"],
    ["It's", "'It''s'"],
    ['2024', "'2024'"],
    ['A1', "'A1'"],
    ['xfd99', "'xfd99'"],
    ['R1C1', "'R1C1'"],
    ['rc', "'rc'"],
    ['R', "'R'"],
    ['C12', "'C12'"],
    ['true', "'true'"],
    ['a-b', "'a-b'"],
    ['a!b', "'a!b'"],
    ['.a', "'.a'"],
    ['🙂', "'🙂'"],
  ] as const) {
    it(name, () => assert.equal(quoteSheetName(name), text));
  }
});

describe('splitting range texts', () => {
  for (const [text, sheet, isQuoted, rest] of [
    ['A1:B2', null, false, 'A1:B2'],
    ['Sheet1!A1', 'Sheet1', false, 'A1'],
    ["'It''s'!A1:B2", "It's", true, 'A1:B2'],
    ["'a:b [1]'!A1", 'a:b [1]', true, 'A1'],
    ["'My sheet'", 'My sheet', true, ''],
    ["'a!b'!A:A", 'a!b', true, 'A:A'],
    ['My sheet!A1', 'My sheet', false, 'A1'],
    ['a!b!A1', 'a!b', false, 'A1'],
    ['Sheet1', null, false, 'Sheet1'],
  ] as const) {
    it(text, () => assert.deepEqual(splitSheetPrefix(text), { sheet, quoted: isQuoted, rest }));
  }
  for (const text of ['', "'", "''", "''!A1", "'a", "'a'b", "'a'A1", "'a'!", '!A1', 'Sheet1!', "'a''!A1"]) {
    it(`${text || 'nothing'} is malformed`, () => assert.equal(splitSheetPrefix(text), null));
  }
  it('undoes the quoting of any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
        assert.equal(splitSheetPrefix(`${quoteSheetName(name)}!A1`)?.sheet, name);
      }),
    );
  });
});
