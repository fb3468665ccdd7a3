import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AppliedBatch,
  countLostLinks,
  countUncalculable,
  type Edit,
  encodeInverse,
  errorByCode,
  exportData,
  Workbook,
} from '../../src/index.ts';
import { Book, describeContents, replayBatch, storeAndRestore, ThreadCopy } from './book.ts';

/*
 * A workbook whose formulas another program calculated with macros and links: A1 is 5, B1 and B2 read another workbook,
 * B3 calls a macro, B4 reads a pivot table's cell, B5 reads a name of another workbook. C1 to C5 read B1 to B5.
 */
const FILE = {
  names: [
    { name: 'Elsewhere', formula: '[1]Prices!$B$2' },
    { name: 'Twice', formula: 'LAMBDA(x,x*2)' },
  ],
  sheets: {
    Sheet1: {
      A1: 5,
      A2: 'x',
      B1: { value: 7, formula: '[1]Prices!$A$1' },
      B2: { value: 'wood', formula: "VLOOKUP(A1,'[2]Old prices'!$A:$C,2,0)" },
      B3: { value: true, formula: 'MyMacro(A1)' },
      B4: { value: 12.5, formula: 'GETPIVOTDATA("Sum",$A$1,"City","Riga")' },
      B5: { value: 3, formula: 'Elsewhere*2' },
      B6: { value: errorByCode('#N/A') ?? null, formula: '[1]!Stock("X")' },
      C1: { value: 0, formula: 'B1*2', dynamic: true },
      C2: { value: 0, formula: 'B2&"!"', dynamic: true },
      C4: { value: 0, formula: 'Twice(B4)', dynamic: true },
      E1: { value: 1, formula: '[1]Prices!$A$1:$A$3', array: { top: 0, left: 4, bottom: 2, right: 4 } },
      E2: { value: 'two', spilled: true },
      E3: { value: 3, spilled: true },
      F1: { value: null, formula: '[1]Prices!$A$1' },
    },
    Other: { A1: 1 },
  },
} as const;

const HELD = [
  [7, 14],
  ['wood', 'wood!'],
  [true, null],
  [12.5, 25],
  [3, null],
  ['#N/A', null],
];

/** The imported book, and the same book after storing and reopening it. */
function createBooks(): readonly (readonly [string, Book])[] {
  const reopened = Book.fromFile(FILE);
  reopened.workbook = Workbook.open(storeAndRestore(reopened.head));
  return [
    ['imported', Book.fromFile(FILE)],
    ['stored', reopened],
  ];
}

function undo(book: Book, { change }: AppliedBatch): AppliedBatch {
  const inverse = encodeInverse(change);
  return book.apply([{ kind: 'takeBack', inverse, locked: [] } as unknown as Edit]);
}

describe('formulas that cannot be calculated', () => {
  for (const [how, book] of createBooks()) {
    it(`${how}: keep the result of the file, which other formulas read`, () => {
      assert.deepEqual(book.grid('B1:C6'), HELD);
      assert.deepEqual(book.grid('E1:F3'), [
        [1, '#REF!'],
        ['two', null],
        [3, null],
      ]);
      assert.equal(book.formula('B2'), "=VLOOKUP(A1;'[2]Old prices'!$A:$C;2;0)");
      assert.equal(book.formula('B3'), '=@MYMACRO(A1)');
      assert.deepEqual(countUncalculable(book.head), { otherWorkbook: 6, unknownFunction: 2, unknownSyntax: 0 });
    });
  }

  const UNRELATED: readonly [string, (book: Book) => unknown][] = [
    ['another cell is written', (book) => book.set('A2', 'y')],
    ['a sheet comes and is renamed', (book) => [book.addSheet('Prices'), book.renameSheet('Prices', 'Old prices')]],
    ['another sheet goes', (book) => book.deleteSheet('Other')],
    ['a name comes', (book) => book.apply([{ kind: 'setName', name: 'Rate', refersTo: '=Sheet1!$A$2' } as Edit])],
    [
      'a name that it uses is renamed',
      (book) => book.apply([{ kind: 'renameName', name: 'Elsewhere', newName: 'Far' }]),
    ],
    ['all is calculated anew', (book) => book.apply([{ kind: 'recalculate', everything: true }])],
    ['it is entered once more', (book) => book.set('B1', [['=[1]Prices!$A$1'], [null], ['=@mymacro(a1)']])],
    ['what it depends on is written as it was', (book) => book.set('A1', 5)],
  ];
  for (const [title, change] of UNRELATED) {
    it(`keep the result of the file when ${title}`, () => {
      for (const [, book] of createBooks()) {
        change(book);
        assert.deepEqual(book.grid('B1:C6'), HELD);
      }
    });
  }

  it('keep their results when their rows move', () => {
    const book = Book.fromFile(FILE);
    const sheet = book.sheetId('Sheet1');
    book.apply([{ kind: 'moveCells', move: { kind: 'insert', sheet, axis: 'rows', at: 0, count: 2 } } as Edit]);
    assert.deepEqual(book.grid('B3:C8'), HELD);
    assert.equal(book.formula('B5'), '=@MYMACRO(A3)');
  });

  it('become errors when a cell that they read changes, and an undo restores their results', () => {
    for (const [, book] of createBooks()) {
      const copy = new ThreadCopy();
      const before = book.head;
      copy.receiveChange(before);
      const batch = book.set('A1', 6);
      assert.deepEqual(
        ['B1', 'B2', 'B3', 'B4', 'C2', 'C4'].map((ref) => book.plainValue(ref)),
        [7, '#REF!', '#NAME?', '#REF!', '#REF!', '#REF!'],
      );
      assert.equal(book.formula('B3'), '=@MYMACRO(A1)');
      assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
      assert.deepEqual(describeContents(copy.receiveChange(book.head, batch.change)), describeContents(book.head));
      undo(book, batch);
      assert.deepEqual(book.grid('B1:C6'), HELD);
      book.set('A1', 7);
      assert.equal(book.plainValue('B3'), '#NAME?');
    }
  });

  it('keep their results when an undo restores cells, rows and sheets', () => {
    const changes: readonly ((book: Book) => AppliedBatch)[] = [
      (book) => book.clear('B1:B6'),
      (book) => book.set('B1', [[1], [2], ['=3'], [4], [5], [6]]),
      (book) => {
        const move = { kind: 'delete', sheet: book.sheetId('Sheet1'), axis: 'rows', at: 0, count: 6 };
        return book.apply([{ kind: 'moveCells', move } as Edit]);
      },
      (book) => book.deleteSheet('Sheet1'),
    ];
    for (const change of changes) {
      const book = Book.fromFile(FILE);
      undo(book, change(book));
      assert.deepEqual(book.grid('Sheet1!B1:C6'), HELD);
    }
  });

  it('lose the result in copies', () => {
    const book = Book.fromFile(FILE);
    const sheet = book.sheetId('Sheet1');
    const from = { top: 0, left: 1, bottom: 2, right: 1 };
    book.apply([{ kind: 'copy', sheet, area: from, toSheet: sheet, row: 10, column: 1 } as Edit]);
    assert.deepEqual(book.grid('B11:B13'), [['#REF!'], ['#REF!'], ['#NAME?']]);
    assert.deepEqual(book.grid('B1:C6'), HELD);
  });

  it('are exported as formulas if the file contains the other workbooks', () => {
    const exportedFormulas = (externalBooks?: number) => {
      const data = exportData(Book.fromFile(FILE).head, externalBooks === undefined ? {} : { externalBooks });
      return [...(data.sheets[0]?.cells ?? [])].flatMap(({ column, value, formula }) =>
        column === 1 ? [[value instanceof Object ? 'error' : value, formula]] : [],
      );
    };
    const allCells = [
      [7, '[1]Prices!$A$1'],
      ['wood', "VLOOKUP(A1,'[2]Old prices'!$A:$C,2,0)"],
      [true, 'MYMACRO(A1)'],
      [12.5, 'GETPIVOTDATA("Sum",$A$1,"City","Riga")'],
      [3, 'Elsewhere*2'],
      ['error', '[1]!Stock("X")'],
    ];
    assert.deepEqual(exportedFormulas(), allCells);
  });

  it('are exported as values if the file lacks the other workbook, and counted', () => {
    const { head } = Book.fromFile(FILE);
    const exported = (externalBooks: number) =>
      [...(exportData(head, { externalBooks }).sheets[0]?.cells ?? [])].flatMap(({ column, value, formula }) =>
        column === 1 && formula === undefined ? [value instanceof Object ? value.code : value] : [],
      );
    assert.deepEqual([exported(2), exported(1), exported(0)], [[], ['wood'], [7, 'wood', 3, '#N/A']]);
    // Counts the array in E1, the formula in F1, and the name that B5 reads.
    assert.deepEqual([countLostLinks(head, 2), countLostLinks(head, 1), countLostLinks(head, 0)], [0, 1, 7]);
  });

  it('are exported with the area of an array formula, even if the formula cannot be read', () => {
    const array = { top: 0, left: 0, bottom: 0, right: 1 };
    const cells = {
      A1: { value: 2, formula: "COLUMN('file:///a'#$Sheet3!B3:D8)", array },
      B1: { value: 3, spilled: true },
    };
    const [exported] = exportData(Book.fromFile({ sheets: { Sheet1: cells } }).head).sheets;
    assert.deepEqual(
      [...(exported?.cells ?? [])].map(({ value, array, spilled }) => [value, array, spilled]),
      [
        [2, array, undefined],
        [3, undefined, true],
      ],
    );
  });

  it('are counted without a result in the file too', () => {
    const cells = { A1: { value: null, formula: '[1]Prices!$A$1' }, A2: { value: null, formula: 'MYMACRO(1)' } };
    const counts = countUncalculable(Book.fromFile({ sheets: { Sheet1: cells } }).head);
    assert.deepEqual(counts, { otherWorkbook: 1, unknownFunction: 1, unknownSyntax: 0 });
  });

  it('are exported with the names and paths of other workbooks', () => {
    const formulas = ["'C:\\[x.xls]S'!A1", '[Book2.xlsx]Sheet1!$A$1*2', "'[Book 2.xlsx]Sheet 1'!A1"];
    const cells = Object.fromEntries(formulas.map((formula, i) => [`A${i + 1}`, { value: i, formula }]));
    const data = exportData(Book.fromFile({ sheets: { Sheet1: cells } }).head, { externalBooks: 0 });
    assert.deepEqual(
      [...(data.sheets[0]?.cells ?? [])].map(({ value, formula }) => [value, formula]),
      formulas.map((formula, i) => [i, formula]),
    );
  });
});
