import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnName } from '../../src/grid/a1.ts';
import type { TableData } from '../../src/index.ts';
import { Book } from './book.ts';

const SALES: TableData = {
  name: 'Sales',
  sheet: 'Sheet1',
  area: { top: 1, left: 0, bottom: 3, right: 1 },
  headerRow: true,
  totalsRow: false,
  columns: ['Qty', 'Twice'],
};

describe('3-D references', () => {
  function threeSheets(): Book {
    const book = new Book();
    for (const [i, name] of ['North', 'Middle', 'South'].entries()) {
      book.addSheet(name);
      book.set(`${name}!A1`, 10 ** i);
    }
    book.set('B1', '=SUM(North:South!A1)');
    assert.equal(book.plainValue('B1'), 111);
    return book;
  }

  for (const [deletedSheets, formula, sum] of [
    [['South'], '=SUM(North:Middle!A1)', 11],
    [['North'], '=SUM(Middle:South!A1)', 110],
    [['Middle'], '=SUM(North:South!A1)', 101],
    [['North', 'South'], '=SUM(Middle:Middle!A1)', 10],
    [['North', 'Middle', 'South'], '=SUM(#REF!)', '#REF!'],
  ] as const) {
    it(`follow the deletion of ${deletedSheets.join(' and ')}`, () => {
      const book = threeSheets();
      for (const name of deletedSheets) book.deleteSheet(name);
      assert.equal(book.formula('B1'), formula);
      assert.equal(book.plainValue('B1'), sum);
    });
  }

  it('follow the sheets between their ends', () => {
    const book = threeSheets();
    book.deleteSheet('Middle');
    book.set('South!A1', 5);
    assert.equal(book.plainValue('B1'), 6);
  });

  it('work when both end sheets exist', () => {
    const book = new Book();
    book.set('A1', '=SUM(First:Last!B2)');
    book.addSheet('First');
    assert.equal(book.plainValue('A1'), '#REF!');
    book.addSheet('last');
    book.set('Last!B2', 3);
    assert.equal(book.plainValue('A1'), 3);
    assert.equal(book.formula('A1'), '=SUM(First:last!B2)');
  });

  it('include sheets that the same batch adds between their ends', () => {
    const book = new Book();
    book.apply([
      { kind: 'addSheet', name: 'One' },
      { kind: 'addSheet', name: 'Two' },
    ]);
    book.apply([
      book.write('A1', '=SUM(One:Two!A1)'),
      { kind: 'renameSheet', sheet: book.sheetId('Two'), name: 'Three' },
      book.write('Two!A1', 4),
    ]);
    assert.equal(book.plainValue('A1'), 4);
    assert.equal(book.formula('A1'), '=SUM(One:Three!A1)');
  });
});

describe('defined names', () => {
  it('work when the sheet that they name is added', () => {
    const names = [
      { name: 'Total', formula: 'SUM(Later!A1:A2)' },
      { name: 'Double', formula: 'Total*2' },
    ];
    const book = Book.fromFile({ names, sheets: { Sheet1: { A1: '=Double', A2: '=Later!A1' } } });
    assert.deepEqual(book.grid('A1:A2'), [['#REF!'], ['#REF!']]);
    book.addSheet('LATER');
    book.set('Later!A1', 4);
    assert.deepEqual(book.grid('A1:A2'), [[8], [4]]);
  });

  it('are deleted with the sheet of their scope; references become #REF! or the name of the document', () => {
    const names = [
      { name: 'Rate', formula: '1' },
      { name: 'Rate', sheet: 'Data', formula: 'Sheet1!$B$1' },
      { name: 'Own', sheet: 'Data', formula: 'Sheet1!$B$1' },
    ];
    const book = Book.fromFile({
      names,
      sheets: { Sheet1: { A1: '=Data!Rate', A2: '=Rate', A3: '=Data!Own', B1: 5 }, Data: { A1: '=Rate' } },
    });
    assert.deepEqual(book.grid('A1:A3'), [[5], [1], [5]]);
    book.deleteSheet('Data');
    assert.deepEqual(book.grid('A1:A3'), [['#REF!'], [1], ['#REF!']]);
    assert.equal(book.formula('A3'), '=#REF!');
  });

  it('follow deleted sheets of their 3-D references', () => {
    const names = [{ name: 'All', formula: 'SUM(One:Two!$A$1)' }];
    const book = Book.fromFile({ names, sheets: { Sheet1: { A1: '=All' }, One: { A1: 1 }, Two: { A1: 2 } } });
    assert.equal(book.plainValue('A1'), 3);
    book.deleteSheet('Two');
    assert.equal(book.plainValue('A1'), 1);
    book.set('One!A1', 7);
    assert.equal(book.plainValue('A1'), 7);
  });

  it('define functions for formulas that already call them, until they are deleted', () => {
    const book = Book.fromFile({ sheets: { Sheet1: { A1: 7, B1: '=twice(A1)', B2: '=SUM(twice(1))' } } });
    const setName = (refersTo: string) => book.apply([{ kind: 'setName', name: 'twice', refersTo }]);
    assert.deepEqual(book.grid('B1:B2'), [['#NAME?'], ['#NAME?']]);
    setName('=LAMBDA(x;x*2)');
    assert.deepEqual(book.grid('B1:B2'), [[14], [2]]);
    setName('=LAMBDA(x;x*2+Sheet1!$A$1)');
    assert.deepEqual(book.grid('B1:B2'), [[21], [9]]);
    book.apply([{ kind: 'deleteName', name: 'twice' }]);
    assert.deepEqual(book.grid('B1:B2'), [['#NAME?'], ['#NAME?']]);
  });

  it('can be defined, redefined and deleted in one batch, in any spelling', () => {
    const book = Book.fromFile({
      names: [
        { name: 'Rate', formula: '1' },
        { name: 'Rate', formula: '2', sheet: 'Sheet1' },
        { name: 'Other', formula: '3' },
      ],
      sheets: { Sheet1: { A1: '=Rate', A2: '=Other', A3: '=New' }, Sheet2: { A1: '=Rate' } },
    });
    const plain = () => [...book.grid('A1:A3').flat(), book.plainValue('Sheet2!A1')];
    assert.deepEqual(plain(), [2, 3, '#NAME?', 1]);
    book.apply([
      { kind: 'setName', name: 'RATE', refersTo: '=10' },
      { kind: 'setName', name: 'new', refersTo: '=20' },
      { kind: 'setName', name: 'New', refersTo: '=30' },
      { kind: 'deleteName', name: 'oTHER' },
      { kind: 'setName', name: 'rate', refersTo: '=11' },
    ]);
    assert.deepEqual(plain(), [2, '#NAME?', 30, 11]);
    assert.deepEqual(
      book.head.names.map(({ name, sheet }) => [name, sheet === undefined]),
      [
        ['Rate', false],
        ['New', true],
        ['rate', true],
      ],
    );
    assert.deepEqual(book.tryEdits([{ kind: 'deleteName', name: 'Other' }]), {
      kind: 'refusal',
      reason: 'nameNotFound',
      edit: 0,
    });
  });

  it('cannot be defined on a missing sheet', () => {
    const book = Book.fromFile({
      names: [{ name: 'Rate', formula: '2' }],
      sheets: { Sheet1: { A1: '=Nowhere!Rate' } },
    });
    assert.equal(book.plainValue('A1'), '#REF!');
    book.addSheet('Nowhere');
    assert.equal(book.plainValue('A1'), 2);
  });
});

describe('functions about sheets', () => {
  it('follow sheets that are added, deleted and renamed', () => {
    const book = new Book();
    book.addSheet('Data');
    book.set('A1', [
      [
        '=SHEETS()',
        '=SHEET("Data")',
        '=SHEET(Data!A1)',
        '=INFO("numfile")',
        '=FORMULATEXT(A2)',
        '=SHEETS(Sheet1:Data!A1)',
      ],
      ['=Data!B2', '=LET(f;SHEETS;f())', '=CELL("filename";Data!A1)'],
    ]);
    const visibleCells = () => book.grid('A1:F1').concat(book.grid('B2:C2'));
    assert.deepEqual(visibleCells(), [
      [2, 2, 2, 2, '=Data!B2', 2],
      [2, 'Data'],
    ]);
    book.renameSheet('Data', 'Neu');
    assert.deepEqual(visibleCells(), [
      [2, '#N/A', 2, 2, '=Neu!B2', 2],
      [2, 'Neu'],
    ]);
    book.addSheet('data');
    assert.deepEqual(visibleCells(), [
      [3, 3, 2, 3, '=Neu!B2', 2],
      [3, 'Neu'],
    ]);
    book.deleteSheet('Neu');
    assert.deepEqual(visibleCells()[0], [2, 2, '#REF!', 2, '=#REF!', 1]);
  });

  it('detect a new formula although the value stays the same', () => {
    const book = new Book();
    book.set('A1', [['=1+1', '=ISFORMULA(A1)', '=SUBTOTAL(9;D1:D2)', '=SUM(D2)', '=FORMULATEXT(A1)']]);
    book.set('D2', [[3]]);
    assert.deepEqual(book.grid('B1:E1'), [[true, 6, 3, '=1+1']]);
    book.set('A1', 2);
    book.set('D2', '=SUBTOTAL(9;E2)+3');
    assert.deepEqual(book.grid('B1:E1'), [[false, 3, 3, '#N/A']]);
  });
});

describe('names in either Unicode form', () => {
  const composed = 'Caf\u00e9';
  const decomposed = 'Cafe\u0301';

  for (const [sheetName, requestedName] of [
    [composed, decomposed],
    [decomposed, composed],
  ] as const) {
    it(`refer to a sheet name of ${sheetName.length} characters with ${requestedName.length} characters`, () => {
      const book = new Book();
      book.set('A1', [
        [
          `=${requestedName}!A1`,
          `='${requestedName}'!A1+0`,
          `=INDIRECT("${requestedName}!A1")`,
          `=SUM(Sheet1:${requestedName}!A2)`,
        ],
      ]);
      book.addSheet(sheetName);
      book.set(`${sheetName}!A1`, 4);
      book.set(`${sheetName}!A2`, 5);
      assert.deepEqual(book.grid('A1:D1'), [[4, 4, 4, 5]]);
      assert.equal(book.formula('A1'), `=${sheetName}!A1`);
    });
  }

  it('also refer to defined names, tables and columns', () => {
    const tables = [{ ...SALES, name: composed, columns: ['Qty', composed] }];
    const book = Book.fromFile({
      tables,
      names: [{ name: `n${composed}`, formula: '3' }],
      sheets: { Sheet1: { A3: 1, B3: 2, B4: 5, D1: `=SUM(${decomposed}[${decomposed}])`, D2: `=n${decomposed}` } },
    });
    assert.deepEqual(book.grid('D1:D2'), [[7], [3]]);
  });
});

describe('arrays at one address of many sheets', () => {
  it('spill on each of 40', () => {
    const book = new Book();
    const names = Array.from({ length: 40 }, (_, i) => `S${i}`);
    book.apply(names.map((name) => ({ kind: 'addSheet', name })));
    book.apply(names.map((name) => book.write(`'${name}'!B2`, '=SEQUENCE(3;1;Sheet1!A1)')));
    book.set('A1', 5);
    for (const name of names) assert.deepEqual(book.grid(`'${name}'!B2:B4`), [[5], [6], [7]]);
  });
});

describe('arrays that depend on each other', () => {
  it('spill for any number of arrays and in any order of writing', () => {
    const last = 60;
    const at = (i: number) => columnName(1 + ((7 * i) % (last + 1)));
    const book = new Book();
    book.apply([
      book.write('A1', `=SEQUENCE(COUNT(B2:${columnName(last + 1)}2))`),
      book.write('A90', `=INDIRECT("${at(last)}1:${at(last)}2")`),
      ...Array.from({ length: last }, (_, i) => {
        const [ownCell, cellBefore] = [at(last - i), at(last - i - 1)];
        return book.write(`${ownCell}1`, `=SEQUENCE(COUNT(${cellBefore}2:${cellBefore}9)+1)`);
      }),
      book.write(`${at(0)}1`, '=SEQUENCE(4)'),
    ]);
    assert.deepEqual(book.grid(`${at(last)}1:${at(last)}5`).flat(), [1, 2, 3, 4, null]);
    assert.equal(book.plainValue(`A${last + 1}`), last + 1);
    assert.deepEqual(book.grid('A90:A91'), [[1], [2]]);
  });
});

describe('a formula filled down across the edges of its table', () => {
  it('reads its own row inside and is #VALUE! outside', () => {
    const formulas = { E1: '=Sales[@Qty]*2', E2: '=Sales[@Qty]*2', E3: '=Sales[@Qty]*2', E4: '=Sales[@Qty]*2' };
    const book = Book.fromFile({ tables: [SALES], sheets: { Sheet1: { A2: 'Qty', A3: 1, A4: 2, ...formulas } } });
    assert.deepEqual(book.grid('E1:E4'), [['#VALUE!'], ['#VALUE!'], [2], [4]]);
    book.set('A4', 5);
    assert.deepEqual(book.grid('E1:E4'), [['#VALUE!'], ['#VALUE!'], [2], [10]]);
  });

  it('follows changes of the table, row by row', () => {
    const rowFormula = '=[@Qty]*2';
    const book = Book.fromFile({
      tables: [{ ...SALES, area: { ...SALES.area, top: 1, bottom: 3 } }],
      sheets: {
        Sheet1: {
          A2: 'Qty',
          A3: 1,
          A4: 2,
          B1: rowFormula,
          B2: rowFormula,
          B3: rowFormula,
          B4: rowFormula,
          B5: rowFormula,
        },
      },
    });
    assert.deepEqual(book.grid('B1:B5'), [['#REF!'], ['#VALUE!'], [2], [4], ['#REF!']]);
    book.set('A3', [[5], [6]]);
    assert.deepEqual(book.grid('B3:B4'), [[10], [12]]);
  });
});

describe('the columns of a table', () => {
  function sales(): Book {
    const cells = { A2: 'Qty', B2: 'Twice', A3: 1, B3: '=[@Qty]*2', A4: 2, B4: '=[@Qty]*2', D1: '=SUM(Sales[qty])' };
    const names = [{ name: 'Sold', formula: 'SUM(Sales[Qty])' }];
    return Book.fromFile({ tables: [SALES], names, sheets: { Sheet1: { ...cells, D2: '=Sold', D3: '=[@Qty]' } } });
  }
  const formulas = (book: Book) => ['D1', 'B3', 'B4', 'D3'].map((ref) => book.formula(ref));

  it('are named by their header cells, and formulas follow', () => {
    const book = sales();
    book.set('A2', 'Pieces');
    assert.deepEqual(formulas(book), ['=SUM(Sales[Pieces])', '=[@Pieces]*2', '=[@Pieces]*2', '=[@Qty]']);
    book.set('A4', 7);
    assert.deepEqual(book.grid('D1:D2'), [[8], [8]]);
    assert.deepEqual(book.grid('B3:B4'), [[2], [14]]);
  });

  it('may swap their names in one batch', () => {
    const book = sales();
    book.set('A2', [['Twice', 'Qty']]);
    assert.deepEqual(formulas(book).slice(0, 2), ['=SUM(Sales[Twice])', '=[@Twice]*2']);
    assert.equal(book.plainValue('D1'), 3);
    assert.deepEqual(book.head.tables[0]?.columns, ['Twice', 'Qty']);
  });

  it('never share a name, and keep their names when the header is cleared', () => {
    const book = sales();
    book.set('A2', 'twice');
    assert.deepEqual(book.head.tables[0]?.columns, ['twice2', 'Twice']);
    book.set('A2', '');
    assert.equal(book.formula('D1'), '=SUM(Sales[twice2])');
    book.set('A2', 46000);
    assert.equal(book.formula('D1'), '=SUM(Sales[46000])');
  });

  it('resolve formulas that named a column before it had the name', () => {
    const book = sales();
    book.set('E1', '=SUM(Sales[Later])');
    assert.equal(book.plainValue('E1'), '#REF!');
    book.set('A2', 'Later');
    assert.equal(book.plainValue('E1'), 3);
  });
});

describe('a write that changes only a format', () => {
  it('is a change of the cell, and of formulas whose results inherit the format', () => {
    const book = new Book();
    book.set('A1', [[46000, '=A1+1', '=B1', '=CELL("format";C1)', '=SEQUENCE(2;1;A1)']]);
    const { change } = book.set('A1', '09.12.2025');
    assert.equal(book.plainValue('A1'), 46000);
    assert.deepEqual(
      ['A1', 'B1', 'C1'].map((ref) => book.text(ref)),
      ['09.12.2025', '10.12.2025', '10.12.2025'],
    );
    assert.equal(book.plainValue('D1'), 'D1');
    const only = (areas: typeof change.written) => areas.map(({ areas }) => areas);
    assert.deepEqual(only(change.written), [[{ top: 0, left: 0, bottom: 0, right: 0 }]]);
    assert.deepEqual(only(change.derived), [[{ top: 0, left: 1, bottom: 0, right: 3 }]]);
  });

  it('is no change if the cell already had the format', () => {
    const book = new Book();
    book.set('A1', '09.12.2025');
    assert.deepEqual(book.set('A1', '09.12.2025').change.written, []);
  });
});
