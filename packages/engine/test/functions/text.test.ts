import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callAndReadRows, callAndReadScalar, createMatrix, createReference } from './call.ts';

type TextCase = readonly [
  name: string,
  args: readonly (string | number | boolean | null | undefined)[],
  expected: unknown,
];

function testCases(title: string, cases: readonly TextCase[], locale: 'en-US' | 'ru-RU' = 'en-US') {
  describe(title, () => {
    for (const [name, args, expected] of cases) {
      it(`${name}(${args.map((a) => JSON.stringify(a) ?? '').join(', ')})`, () => {
        assert.deepEqual(callAndReadScalar(name, args, { locale }), expected);
      });
    }
  });
}

testCases('parts of texts', [
  ['LEFT', ['Sale Price', 4], 'Sale'],
  ['LEFT', ['Sweden'], 'S'],
  ['LEFT', ['abc', 0], ''],
  ['LEFT', ['abc', -1], '#VALUE!'],
  ['RIGHT', ['Sale Price', 5], 'Price'],
  ['RIGHT', ['abc', 9], 'abc'],
  ['MID', ['Fluid Flow', 7, 20], 'Flow'],
  ['MID', ['Fluid Flow', 20, 5], ''],
  ['MID', ['Fluid Flow', 0, 5], '#VALUE!'],
  ['LEFTB', ['中文字', 4], '中文'],
  ['LEFTB', ['中文字', 3], '中'],
  ['RIGHTB', ['中文a', 3], '文a'],
  ['MIDB', ['中文字', 3, 2], '文'],
  ['LEN', [' One '], 5],
  ['LEN', [true], 4],
  ['LENB', ['a中'], 3],
  ['REPLACE', ['abcdefghijk', 6, 5, '*'], 'abcde*k'],
  ['REPLACE', ['2009', 3, 2, '10'], '2010'],
  ['LEN', ['a😀'], 2],
  ['LEFT', ['😀a', 1], '😀'],
  ['RIGHT', ['a😀', 1], '😀'],
  ['MID', ['a😀b', 2, 1], '😀'],
  ['REPLACE', ['a😀b', 2, 1, '-'], 'a-b'],
  ['FIND', ['b', 'a😀b'], 3],
  ['REPT', ['-', 10], '----------'],
  ['REPT', ['ab', 16_384], '#VALUE!'],
  ['REPT', ['ab', -1], '#VALUE!'],
]);

testCases('case, blanks and characters', [
  ['PROPER', ['2-way street'], '2-Way Street'],
  ['PROPER', ['76BudGet'], '76Budget'],
  ['PROPER', ['ПРИВЕТ, мир'], 'Привет, Мир'],
  ['UPPER', ['straße'], 'STRAßE'],
  ['LOWER', ['E. E. Cummings'], 'e. e. cummings'],
  ['TRIM', ['  First   Quarter '], 'First Quarter'],
  ['TRIM', ['\u00a0x'], '\u00a0x'],
  ['CLEAN', ['\tMonthly\nreport'], 'Monthlyreport'],
  ['CHAR', [65], 'A'],
  ['CHAR', [128], '€'],
  ['CHAR', [0], '#VALUE!'],
  ['CHAR', [256], '#VALUE!'],
  ['CODE', ['€uro'], 128],
  ['CODE', ['я'], 63],
  ['CODE', [''], '#VALUE!'],
  ['UNICHAR', [8364], '€'],
  ['UNICHAR', [0xd800], '#N/A'],
  ['UNICODE', ['😀'], 0x1f600],
  ['EXACT', ['Word', 'word'], false],
  ['T', [19], ''],
  ['T', ['Rainfall'], 'Rainfall'],
  ['JIS', ['ｶﾞA1'], 'ガＡ１'],
  ['ASC', ['ガＡ１'], 'ｶﾞA1'],
]);

testCases('searching and changing', [
  ['FIND', ['M', 'Miriam McGovern'], 1],
  ['FIND', ['m', 'Miriam McGovern'], 6],
  ['FIND', ['M', 'Miriam McGovern', 3], 8],
  ['FIND', ['x', 'abc'], '#VALUE!'],
  ['FIND', ['', 'abc', 4], 4],
  ['FIND', ['a', 'abc', 5], '#VALUE!'],
  ['SEARCH', ['e', 'Statements', 6], 7],
  ['SEARCH', ['MARGIN', 'Profit Margin'], 8],
  ['SEARCH', ['b?d', 'abcbxd'], 4],
  ['SEARCH', ['~?', 'who?'], 4],
  ['SEARCH', ['a*d', 'xxabcd'], 3],
  ['SUBSTITUTE', ['Quarter 1, 2011', '1', '2', 3], 'Quarter 1, 2012'],
  ['SUBSTITUTE', ['Sales Data', 'Sales', 'Cost'], 'Cost Data'],
  ['SUBSTITUTE', ['abc', '', 'x'], 'abc'],
  ['SUBSTITUTE', ['abc', 'a', 'x', 0], '#VALUE!'],
  ['ENCODEURL', ['a b&c/é'], 'a%20b%26c%2F%C3%A9'],
]);

const RED = "Little Red Riding Hood's red hood";
testCases('before and after', [
  ['TEXTAFTER', [RED, 'hood'], ''],
  ['TEXTBEFORE', [RED, 'hood'], "Little Red Riding Hood's red "],
  ['TEXTBEFORE', [RED, 'HOOD', 1, 1], 'Little Red Riding '],
  ['TEXTAFTER', ['a-b-c', '-', -1], 'c'],
  ['TEXTBEFORE', ['a-b-c', '-', -1], 'a-b'],
  ['TEXTAFTER', ['a-b-c', '-', 3], '#N/A'],
  ['TEXTAFTER', ['a-b-c', '-', 3, 0, 0, 'none'], 'none'],
  ['TEXTAFTER', ['abc', '-', 0], '#VALUE!'],
  ['TEXTBEFORE', ['Socrates', ' ', undefined, undefined, 1], 'Socrates'],
  ['TEXTAFTER', ['Socrates', ' ', undefined, undefined, 1], ''],
  ['TEXTAFTER', ['Socrates', ' ', -1, undefined, 1], 'Socrates'],
  ['TEXTAFTER', ['Socrates', ''], 'Socrates'],
]);

testCases('numbers as texts', [
  ['FIXED', [1234.567, 1], '1,234.6'],
  ['FIXED', [1234.567, -1], '1,230'],
  ['FIXED', [-1234.567, -1, true], '-1230'],
  ['FIXED', [44.332], '44.33'],
  ['FIXED', [0.005, 2], '0.01'],
  ['FIXED', [999.999, 2], '1,000.00'],
  ['FIXED', [50, -2], '100'],
  ['FIXED', [49, -2], '0'],
  ['FIXED', [1, 128], '#VALUE!'],
  ['DOLLAR', [1234.567], '$1,234.57'],
  ['DOLLAR', [-1234.567, -2], '($1,200)'],
  ['DOLLAR', [99.888], '$99.89'],
  ['TEXT', [1234.567, '#,##0.00'], '1,234.57'],
  ['TEXT', ['12', '0.0'], '12.0'],
  ['TEXT', ['word', '0.0'], 'word'],
  ['TEXT', [true, '0'], 'TRUE'],
  ['VALUE', ['$1,000'], 1000],
  ['VALUE', ['12%'], 0.12],
  ['VALUE', [''], '#VALUE!'],
  ['VALUE', [true], '#VALUE!'],
  ['NUMBERVALUE', ['2.500,27', ',', '.'], 2500.27],
  ['NUMBERVALUE', ['3.5%'], 0.035],
  ['NUMBERVALUE', ['9%%'], 0.0009],
  ['NUMBERVALUE', [''], 0],
  ['NUMBERVALUE', ['1.2.3'], '#VALUE!'],
  ['NUMBERVALUE', ['1.2,3'], '#VALUE!'],
  ['BAHTTEXT', [1234], 'หนึ่งพันสองร้อยสามสิบสี่บาทถ้วน'],
  ['BAHTTEXT', [21.25], 'ยี่สิบเอ็ดบาทยี่สิบห้าสตางค์'],
]);

testCases(
  'a locale with a decimal comma',
  [
    ['FIXED', [1234.5, 2], '1 234,50'],
    ['DOLLAR', [1234.5], '1 234,50 ₽'],
    ['CONCAT', [0.5, '|'], '0,5|'],
    ['VALUE', ['1,5'], 1.5],
    ['NUMBERVALUE', ['1 234,5'], 1234.5],
  ],
  'ru-RU',
);

describe('joining and splitting', () => {
  const grid = [
    ['US', null, 'AU'],
    [1, true, ''],
  ];
  it('TEXTJOIN skips or keeps empty texts', () => {
    assert.equal(callAndReadScalar('TEXTJOIN', [', ', true, createReference('A1:C2')], { grid }), 'US, AU, 1, TRUE');
    assert.equal(callAndReadScalar('TEXTJOIN', [',', false, createReference('A1:C2')], { grid }), 'US,,AU,1,TRUE,');
    assert.equal(callAndReadScalar('TEXTJOIN', [createMatrix([['-', '+']]), true, 'a', 'b', 'c', 'd']), 'a-b+c-d');
    assert.equal(callAndReadScalar('TEXTJOIN', ['', true, 'x'.repeat(32_767), 'y']), '#VALUE!');
  });
  it('CONCAT reads ranges row by row', () => {
    assert.equal(callAndReadScalar('CONCAT', [createReference('A1:C2'), '!'], { grid }), 'USAU1TRUE!');
  });
  it('CONCATENATE joins arrays element by element', () => {
    assert.deepEqual(callAndReadRows('CONCATENATE', [createMatrix([['a'], ['b']]), '-', 1]), [['a-1'], ['b-1']]);
  });
  it('TEXTSPLIT pads short rows', () => {
    assert.deepEqual(callAndReadRows('TEXTSPLIT', ['Do. Or do not. ', '.', undefined, true]), [
      ['Do', ' Or do not', ' '],
    ]);
    assert.deepEqual(callAndReadRows('TEXTSPLIT', ['1=a;2', '=', ';']), [
      ['1', 'a'],
      ['2', '#N/A'],
    ]);
    assert.deepEqual(callAndReadRows('TEXTSPLIT', ['1=a;2', '=', ';', false, 0, '']), [
      ['1', 'a'],
      ['2', ''],
    ]);
    assert.deepEqual(callAndReadRows('TEXTSPLIT', ['a,b;c', createMatrix([[',', ';']])]), [['a', 'b', 'c']]);
    assert.equal(callAndReadScalar('TEXTSPLIT', ['abc', '']), '#VALUE!');
  });
  it('ARRAYTOTEXT has a concise and a strict format', () => {
    const values = createMatrix([
      ['a"b', 1.5],
      [true, null],
    ]);
    assert.equal(callAndReadScalar('ARRAYTOTEXT', [values]), 'a"b, 1.5, TRUE, ');
    assert.equal(callAndReadScalar('ARRAYTOTEXT', [values, 1]), '{"a""b",1.5;TRUE,}');
    assert.equal(callAndReadScalar('ARRAYTOTEXT', [values, 1], { locale: 'ru-RU' }), '{"a""b"\\1,5;TRUE\\}');
    assert.equal(callAndReadScalar('ARRAYTOTEXT', [values, 2]), '#VALUE!');
  });
  it('VALUETOTEXT quotes texts when strict', () => {
    assert.equal(callAndReadScalar('VALUETOTEXT', ['Seattle', 1]), '"Seattle"');
    assert.equal(callAndReadScalar('VALUETOTEXT', [1234.01234]), '1234.01234');
  });
});

describe('text functions on arrays', () => {
  it('run once per element and keep errors in their position', () => {
    assert.deepEqual(callAndReadRows('UPPER', [createMatrix([['a', 1, true]])]), [['A', '1', 'TRUE']]);
    assert.deepEqual(callAndReadRows('LEFT', [createMatrix([['abc'], ['def']]), createMatrix([[1, 2]])]), [
      ['a', 'ab'],
      ['d', 'de'],
    ]);
  });
});
