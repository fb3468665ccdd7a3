import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseA1, quoteName } from '../../src/google/a1.ts';
import { compileMask, selectMembers } from '../../src/google/field-mask.ts';
import { parsePath } from '../../src/google/http/path.ts';
import { Problem } from '../../src/google/problem.ts';

const SHEET = {
  sheets: [{ properties: { title: 'a', index: 0 }, data: [{ rowData: [] }] }, { properties: { title: 'b' } }],
  id: 1,
};

describe('field masks', () => {
  const applyMask = (mask: string) => selectMembers(SHEET, compileMask(mask));

  it('select members by dots, slashes, parentheses and stars', () => {
    const titles = { sheets: [{ properties: { title: 'a' } }, { properties: { title: 'b' } }] };
    for (const mask of ['sheets.properties.title', 'sheets/properties/title', 'sheets(properties(title))']) {
      assert.deepEqual(applyMask(mask), titles, mask);
    }
    assert.deepEqual(applyMask('*'), SHEET);
    assert.deepEqual(applyMask('id,sheets.properties(index, title)'), {
      id: 1,
      sheets: [{ properties: { title: 'a', index: 0 } }, { properties: { title: 'b' } }],
    });
    assert.deepEqual(applyMask('sheets,sheets.properties.title'), { sheets: SHEET.sheets });
    assert.deepEqual(applyMask('spread_sheet_id'), {});
  });

  it('keep the positions of list elements', () => {
    assert.deepEqual(applyMask('sheets.data.rowData'), { sheets: [{ data: [{ rowData: [] }] }, {}] });
  });

  it('are refused if they are malformed, too deep or too long', () => {
    const deep = Array(100).fill('a').join('.');
    for (const mask of ['a.', '.a', 'a(b', 'a)b', 'a,,b', 'a b', '', '((', deep, 'a'.repeat(20_000)]) {
      assert.throws(() => compileMask(mask), Problem, mask.slice(0, 20));
    }
  });
});

describe('request paths', () => {
  const parsePathText = (text: string) => parsePath(text);

  it('end in a verb only if Google defines it', () => {
    assert.deepEqual(parsePathText('/v4/spreadsheets/x/values/A1:append'), {
      segments: ['v4', 'spreadsheets', 'x', 'values', 'A1'],
      verb: 'append',
    });
    assert.deepEqual(parsePathText('/v4/spreadsheets/x/values/Sheet1!1:1'), {
      segments: ['v4', 'spreadsheets', 'x', 'values', 'Sheet1!1:1'],
      verb: null,
    });
    assert.deepEqual(parsePathText('/v4/spreadsheets/x/values/A1%3Aappend')?.verb, 'append');
    assert.deepEqual(parsePathText('/v4/spreadsheets/x/:batchUpdate'), {
      segments: ['v4', 'spreadsheets', 'x'],
      verb: 'batchUpdate',
    });
    assert.deepEqual(parsePathText('/v4/spreadsheets/x/'), { segments: ['v4', 'spreadsheets', 'x'], verb: null });
    assert.equal(parsePathText('/v4/%E0%A4%A'), null);
  });
});

describe('ranges in A1 notation', () => {
  it('may be open on any side', () => {
    const parseRangeText = (text: string) => parseA1(text)?.range;
    assert.deepEqual(parseRangeText('B2:A1'), { top: 0, left: 0, bottom: 1, right: 1 });
    assert.deepEqual(parseRangeText('A:C'), { top: 0, left: 0, bottom: null, right: 2 });
    assert.deepEqual(parseRangeText('2:3'), { top: 1, left: 0, bottom: 2, right: null });
    assert.deepEqual(parseRangeText('$B$5:C'), { top: 4, left: 1, bottom: null, right: 2 });
    assert.deepEqual(parseRangeText('A1:ZZZ9999999'), { top: 0, left: 0, bottom: 9_999_998, right: 18_277 });
    for (const text of ['A', '7', 'A0', 'total', ':', 'A1:', 'A1:B2:C3'])
      assert.equal(parseRangeText(text), null, text);
  });

  it('may be written with the numbers of rows and columns', () => {
    const range = (text: string) => parseA1(text)?.range;
    assert.deepEqual(range('R2C3'), { top: 1, left: 2, bottom: 1, right: 2 });
    assert.deepEqual(range("'My data'!R3C2:R1C4"), { top: 0, left: 1, bottom: 2, right: 3 });
    assert.deepEqual(range('R1:R2'), { top: 0, left: 17, bottom: 1, right: 17 }, 'column R');
    for (const text of ['R0C1', 'R1C0', 'R1C', 'RC', 'R[1]C[1]']) assert.equal(range(text), null, text);
  });

  it('quote sheet names that are not plain words', () => {
    const names = ['Sheet1', 'my_data', 'My data', "It's", 'D3', 'R1C1', '2020', 'Лист', 'A-B', 'x.y', 'TRUE'];
    assert.deepEqual(names.map(quoteName), [
      'Sheet1',
      'my_data',
      "'My data'",
      "'It''s'",
      "'D3'",
      "'R1C1'",
      "'2020'",
      "'Лист'",
      "'A-B'",
      'x.y',
      'TRUE',
    ]);
  });
});
