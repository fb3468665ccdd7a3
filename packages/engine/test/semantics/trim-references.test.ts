import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FILE, parse, print, WIRE } from '../../src/formula/index.ts';
import { FILE_NAMES } from '../../src/functions/file-names.ts';
import { Book } from '../workbook/book.ts';
import { testFormulas } from './test-formulas.ts';

const PLACE = { row: 9, column: 9 };
const NAMES = { findSheetId: (name: string) => (name === 'Data' ? 1 : -1), getSheetName: () => 'Data' };

testFormulas(
  'ranges without their blank edges',
  [
    ['=ROWS(B1:.B9)', 5],
    ['=ROWS(B1.:B9)', 7],
    ['=ROWS(B1.:.B9)', 3],
    ['=COLUMNS(A1:.D9)', 3],
    ['=COLUMNS(A1.:.D9)', 2],
    ['=B.:.B', [[1], [0], [3]]],
    ['=SUM(B:.B)', 4],
    ['=ROWS(A:.C)', 5],
    ['=ROWS(3:.8)', 3],
    ['=COLUMNS(3.:.8)', 2],
    [
      '=B3.:.C9',
      [
        [1, 'x'],
        [0, 0],
        [3, 0],
      ],
    ],
    ['=ROWS(B2:.INDEX(B:B,9))', 4],
    ['=ROWS(INDEX(B:B,1).:.B9)', 3],
    ['=SUM(OFFSET(B1.:.B9,0,0,1))', 1],
    ['=ROWS(D1:.D9)', '#CALC!'],
    ['=SUM(Other!A:.A)', 12],
    ['=SUM(B1:.B9,Other!A.:.A)', 16],
    ['=_TRO_ALL(B1:B9)', [[1], [0], [3]]],
    ['=ROWS(TRIMRANGE(B1:B9,2))', 5],
  ],
  { cells: { B3: 1, B5: 3, C3: 'x' }, sheets: { Other: [[5], [7]] } },
);

describe('trim references', () => {
  it('parse to the same references after printing, in both grammars', () => {
    for (const text of [
      '=A1:.A9',
      '=$A$1.:B$9',
      '=$A1.:.A9',
      '=A:.A',
      '=$A.:.B',
      '=1:.3',
      '=$1.:.$3',
      '=A2:.C',
      '=Data!A1:.A9',
      '=SUM(A1:.A9)+A1',
      '=OFFSET(A1,1,1):.A9',
      '=INDEX(A:A,2).:.INDEX(A:A,5)',
      '=(A1:.A9):B3',
      '=@A1:.A9',
    ]) {
      const file = print(parse(text, FILE, PLACE, NAMES), FILE, PLACE, NAMES);
      assert.equal(file, text);
      const wire = print(parse(text, FILE, PLACE, NAMES), WIRE, PLACE, NAMES);
      assert.equal(wire, text.replaceAll(',', ';'));
      assert.equal(print(parse(wire, WIRE, PLACE, NAMES), WIRE, PLACE, NAMES), wire);
    }
  });

  it('are functions in files, as Excel stores them', () => {
    for (const [text, fileText] of [
      ['=SUM(A1:.A9)', '=SUM(_xlfn._TRO_TRAILING(A1:A9))'],
      ['=A.:A', '=_xlfn._TRO_LEADING(A:A)'],
      ['=Data!A1.:.A9', '=_xlfn._TRO_ALL(Data!A1:A9)'],
    ] as const) {
      const tree = parse(text, WIRE, PLACE, NAMES);
      assert.equal(print(tree, FILE, PLACE, NAMES, { file: FILE_NAMES }), fileText);
      assert.deepEqual(parse(fileText, FILE, PLACE, NAMES), tree);
    }
  });

  it('update after writes into the range and moves of cells', () => {
    const book = new Book('en-US');
    book.set('Sheet1!A2', [[1], [2]]);
    book.set('Sheet1!C1', '=ROWS(A1:.A9)');
    assert.equal(book.plainValue('Sheet1!C1'), 3);
    book.set('Sheet1!A7', 5);
    assert.equal(book.plainValue('Sheet1!C1'), 7);
    const sheet = book.sheetId('Sheet1');
    book.apply([{ kind: 'moveCells', move: { kind: 'insert', sheet, axis: 'rows', at: 0, count: 2 } }]);
    assert.equal(book.view('Sheet1!C3')?.f, '=ROWS(A3:.A11)');
    assert.equal(book.plainValue('Sheet1!C3'), 7);
  });

  it('are not confused with numbers and names that contain dots', () => {
    for (const text of ['=1.5', '=.5', '=a.b', '=A1:A9', '=SUM(1.5,.5)']) {
      assert.equal(
        print(parse(text, FILE, PLACE, NAMES), FILE, PLACE, NAMES)
          .replace('=0.5', '=.5')
          .replace(',0.5', ',.5'),
        text,
      );
    }
  });
});
