import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Edit, encodeInverse, parseArea, splitSheetPrefix, Workbook } from '../../src/index.ts';
import { MAX_NAMES, MAX_SHEETS, MAX_TABLES } from '../../src/sheet/structure-size.ts';
import { Book, describeContents, replayBatch, storeAndRestore } from './book.ts';

type PlainValue = string | number | boolean | null;

function toArea(book: Book, text: string) {
  const prefix = splitSheetPrefix(text);
  const area = parseArea(prefix?.rest ?? '');
  assert.ok(prefix && area);
  const { top, left, bottom, right } = area;
  return { sheet: book.sheetId(prefix.sheet ?? 'Sheet1'), area: { top, left, bottom, right } };
}

const createCopy = (book: Book, from: string, to: string): Edit => {
  const { sheet, area } = toArea(book, to);
  return { kind: 'copy', ...toArea(book, from), toSheet: sheet, row: area.top, column: area.left };
};
const createCut = (book: Book, from: string, to: string): Edit => {
  const { sheet, area } = toArea(book, to);
  const move = { kind: 'carry', ...toArea(book, from), toSheet: sheet, row: area.top, column: area.left } as const;
  return { kind: 'moveCells', move };
};
const createFill = (book: Book, from: string, to: string): Edit => ({
  kind: 'fill',
  ...toArea(book, from),
  to: toArea(book, to).area,
});
const createSort = (book: Book, range: string, ...by: readonly [column: number, descending: boolean][]): Edit => ({
  kind: 'sort',
  ...toArea(book, range),
  by: by.map(([column, descending]) => ({ column, descending })),
});
const createReplacement = (book: Book, range: string, find: string, by: string, options = {}): Edit => ({
  ...{ kind: 'replace', ...toArea(book, range), find, with: by },
  ...{ matchCase: false, entireCell: false, formulas: false, ...options },
});
const createDuplicateRemoval = (book: Book, range: string, ...columns: number[]): Edit => ({
  ...{ kind: 'removeDuplicates', ...toArea(book, range), columns },
});
const createTable = (book: Book, name: string, range: string): Edit => ({
  kind: 'setTable',
  name,
  ...toArea(book, range),
});

interface OperationExample {
  readonly title: string;
  readonly cells: Readonly<Record<string, string | number | boolean>>;
  readonly edits: (book: Book) => readonly Edit[];
  readonly cellsWritten?: number;
  readonly formulas?: Readonly<Record<string, string | undefined>>;
  readonly values?: Readonly<Record<string, PlainValue>>;
  readonly grids?: Readonly<Record<string, readonly (readonly PlainValue[])[]>>;
}

const PEOPLE = { A1: 'Riga', B1: 3, A2: 'oslo', B2: 1, A3: 'Oslo', B3: 2 } as const;

const EXAMPLES: readonly OperationExample[] = [
  {
    title: 'clears with blanks that lie right of, and below, all that is held',
    cells: { A4: 1, A5: 2, B5: 3, A6: 4 },
    edits: (book) => [createCopy(book, 'Sheet1!C1:D1', 'Sheet1!A5'), createCopy(book, 'Sheet1!C900:C901', 'Sheet1!A5')],
    grids: {
      'A4:B6': [
        [1, null],
        [null, null],
        [null, null],
      ],
    },
  },
  {
    title: 'copies with relative references, and clears for blanks',
    cells: { A1: 1, A2: 2, B1: '=A1*10', B2: '=$A$1+A2', D2: 'old' },
    edits: (book) => [createCopy(book, 'A1:C2', 'B4'), createCopy(book, 'B1', 'A1')],
    cellsWritten: 6,
    formulas: { C4: '=B4*10', C5: '=$A$1+B5', A1: '=#REF!*10' },
    values: { B4: 1, C4: 10, A1: '#REF!' },
  },
  {
    title: 'copies to another sheet, where references without a sheet read that sheet',
    cells: { A1: 5, B1: '=A1', 'Other!A1': 7 },
    edits: (book) => [createCopy(book, 'B1', 'Other!B1')],
    formulas: { 'Other!B1': '=A1' },
    values: { 'Other!B1': 7 },
  },
  {
    title: 'fills by repeating in either direction',
    cells: { A3: 1, A4: 2, B3: '=A3*2' },
    edits: (book) => [createFill(book, 'A3:A4', 'A1:A7'), createFill(book, 'B3', 'B4:B5')],
    cellsWritten: 7,
    formulas: { B4: '=A4*2', B5: '=A5*2' },
    grids: { 'A1:A7': [[1], [2], [1], [2], [1], [2], [1]] },
    values: { B4: 4, B5: 2 },
  },
  {
    title: 'sorts numbers, texts in any case, FALSE, TRUE, errors, blanks last both ways',
    cells: { A1: 'b', A2: true, A3: 5, A4: 'A', A6: '=1/0', A7: false, A8: -1, B5: 'blank' },
    edits: (book) => [createSort(book, 'A1:B8', [0, true])],
    grids: {
      'A1:B8': [
        ['#DIV/0!', null],
        [true, null],
        [false, null],
        ['b', null],
        ['A', null],
        [5, null],
        [-1, null],
        [null, 'blank'],
      ],
    },
  },
  {
    title: 'sorts by several keys, stable, with formulas as if copied',
    cells: { ...PEOPLE, C1: '=B1*2', C2: '=B2*2', C3: '=B3*2', E1: '=B1' },
    edits: (book) => [createSort(book, 'A1:C3', [0, false], [1, true])],
    grids: {
      'A1:C3': [
        ['Oslo', 2, 4],
        ['oslo', 1, 2],
        ['Riga', 3, 6],
      ],
    },
    formulas: { C1: '=B1*2', C3: '=B3*2', E1: '=B1' },
    values: { E1: 2 },
  },
  {
    title: 'sorts by results that edits before gave',
    cells: { A1: 1, A2: 2, B1: '=-A1', B2: '=-A2' },
    edits: (book) => [book.write('A1', 3), createSort(book, 'A1:B2', [1, true])],
    grids: {
      'A1:B2': [
        [2, -2],
        [3, -3],
      ],
    },
  },
  {
    title: 'replaces literally, in any case unless told, and leaves formulas alone',
    cells: { A1: 'Riga (a.b)', A2: 'RIGA', A3: '="Riga"', A4: 'riga' },
    edits: (book) => [
      createReplacement(book, 'A1:A4', 'riga', 'Rīga'),
      createReplacement(book, 'A1:A4', '(a.b)', '$&'),
    ],
    cellsWritten: 3,
    grids: { 'A1:A4': [['Rīga $&'], ['Rīga'], ['Riga'], ['Rīga']] },
    formulas: { A3: '="Riga"' },
  },
  {
    title: 'replaces whole cells, by case, in formulas, and clears what becomes empty',
    cells: { A1: 'x', A2: 'X', A3: 'xx', A4: '=SUM(B1)', B1: 2 },
    edits: (book) => [
      createReplacement(book, 'A:A', 'x', '', { entireCell: true, matchCase: true }),
      createReplacement(book, 'A:A', 'SUM', 'MAX', { formulas: true }),
    ],
    cellsWritten: 1,
    values: { A1: null, A2: 'X', A3: 'xx', A4: 2 },
    formulas: { A4: '=MAX(B1)' },
  },
  {
    title: 'removes rows that repeat the columns of one above, in any case',
    cells: { ...PEOPLE, A4: 'end', C2: 'beside' },
    edits: (book) => [createDuplicateRemoval(book, 'A1:B4', 0)],
    grids: {
      'A1:C4': [
        ['Riga', 3, null],
        ['oslo', 1, 'beside'],
        ['end', null, null],
        [null, null, null],
      ],
    },
  },
  {
    title: 'duplicates a sheet whose formulas read the copy where they name no sheet',
    cells: { A1: 2, B1: '=A1*2', C1: '=Sheet1!A1', 'Other!A1': '=Sheet1!B1' },
    edits: (book) => [
      { kind: 'duplicateSheet', sheet: 1, name: 'Copy' },
      { ...(book.write('A1', 9) as object), sheet: 3 } as Edit,
    ],
    formulas: { 'Copy!B1': '=A1*2', 'Copy!C1': '=Sheet1!A1' },
    values: { 'Copy!A1': 9, 'Copy!B1': 18, 'Copy!C1': 2, B1: 4 },
  },
  {
    title: 'duplicates a sheet within which cells and formulas were cut: the copy reads itself',
    cells: { A1: 2, B1: '=A1*2' },
    edits: (book) => [
      ...[createCut(book, 'A1', 'A3'), createCut(book, 'B1', 'B2')],
      { kind: 'duplicateSheet', sheet: 1, name: 'Copy' },
      { ...(book.write('A3', 9) as object), sheet: 3 } as Edit,
    ],
    formulas: { B2: '=A3*2', 'Copy!B2': '=A3*2' },
    values: { B2: 4, 'Copy!B2': 18 },
  },
  {
    title: 'cuts formulas to a sheet: they name the sheet of what they left, not of what came along',
    cells: { A1: 2, B1: '=A1*2', C1: '=A1+D1', D1: 5 },
    edits: (book) => [
      createCut(book, 'A1:C1', 'Other!A1'),
      { kind: 'duplicateSheet', sheet: 2, name: 'Copy' },
      { ...(book.write('A1', 9) as object), sheet: 3 } as Edit,
    ],
    formulas: { 'Copy!B1': '=A1*2', 'Copy!C1': '=A1+Sheet1!D1' },
    values: { 'Copy!B1': 18, 'Copy!C1': 14, 'Other!B1': 4, 'Other!C1': 7 },
  },
  {
    title: 'duplicates a sheet with the names that refer to it: on the copy they mean the copy',
    cells: { A1: 2, B1: '=rate*2', C1: '=other*2', 'Other!A1': 5, 'Other!B1': '=rate' },
    edits: (book) => [
      { kind: 'setName', name: 'rate', refersTo: '=Sheet1!$A$1' },
      { kind: 'setName', name: 'other', refersTo: '=Other!$A$1' },
      { kind: 'duplicateSheet', sheet: 1, name: 'Copy' },
      { ...(book.write('A1', 9) as object), sheet: 3 } as Edit,
      { kind: 'duplicateSheet', sheet: 3, name: 'Third' },
      { ...(book.write('A1', 7) as object), sheet: 4 } as Edit,
    ],
    formulas: { 'Copy!B1': '=rate*2' },
    values: { B1: 4, 'Copy!B1': 18, 'Third!B1': 14, 'Third!C1': 10, 'Other!B1': 2 },
  },
  {
    title: 'duplicates a sheet with its tables: formulas of the copy, and names on it, read these',
    cells: {
      ...{ A1: 'Qty', A2: 1, A3: 2, C1: '=SUM(Sales[Qty])', C2: '=[@Qty]', D1: '=total' },
      ...{ 'Other!A1': '=SUM(Sales[Qty])', 'Other!A2': '=total' },
    },
    edits: (book) => [
      createTable(book, 'Sales', 'A1:A3'),
      { kind: 'setName', name: 'total', refersTo: '=SUM(Sales[Qty])' },
      { kind: 'setName', name: 'Sales2', refersTo: '=Other!$B$1' },
      { kind: 'duplicateSheet', sheet: 1, name: 'Copy' },
      { ...(book.write('A2', 8) as object), sheet: 3 } as Edit,
      { ...(book.write('A4', 5) as object), sheet: 3 } as Edit,
    ],
    formulas: { 'Copy!C1': '=SUM(Sales3[Qty])', C1: '=SUM(Sales[Qty])', 'Copy!D1': '=total' },
    values: { C1: 3, 'Copy!C1': 10, 'Other!A1': 3, D1: 3, 'Copy!D1': 10, 'Other!A2': 3 },
  },
  {
    title: 'moves a sheet out of a 3-D reference',
    cells: { A1: 1, 'Other!A1': 10, B1: '=SUM(Sheet1:Other!A1)' },
    edits: () => [
      { kind: 'duplicateSheet', sheet: 2, name: 'Third' },
      { kind: 'moveSheet', sheet: 3, order: 1 },
    ],
    values: { B1: 21 },
  },
  {
    title: 'gives names, changes what they mean and takes them away',
    cells: { A1: 2, A2: 3, B1: '=rate*2', B2: '=gone+1' },
    edits: () => [
      { kind: 'setName', name: 'rate', refersTo: '=Sheet1!$A$1' },
      { kind: 'setName', name: 'RATE', refersTo: '=Sheet1!$A$2' },
      { kind: 'setName', name: 'gone', refersTo: '=0,5' },
      { kind: 'deleteName', name: 'Gone' },
    ],
    values: { B1: 6, B2: '#NAME?' },
  },
  {
    title: 'makes tables, which structured references read',
    cells: { A1: 'Qty', B1: 'Sum', A2: 2, A3: 5, D1: '=SUM(Sales[Qty])' },
    edits: (book) => [createTable(book, 'Sales', 'A1:B2'), book.write('B2', '=[@Qty]*10')],
    values: { D1: 2, B2: 20 },
    formulas: { D1: '=SUM(Sales[Qty])', B2: '=[@Qty]*10' },
  },
  {
    title: 'keeps results when a table goes',
    cells: { A1: 'Qty', B1: 'Sum', A2: 2, D1: '=SUM(Sales[Qty])', E1: '=SUM(Sales)' },
    edits: (book) => [
      createTable(book, 'Sales', 'A1:B3'),
      book.write('B2', '=[@Qty]*10'),
      { kind: 'deleteTable', name: 'sales' },
    ],
    values: { D1: 2, B2: 20, E1: 22 },
    formulas: { D1: '=SUM($A$2:$A$3)', B2: '=$A2*10', E1: '=SUM($A$2:$B$3)' },
  },
];

describe('operations on cells, sheets, names and tables', () => {
  for (const { title, cells, edits, cellsWritten, formulas = {}, values = {}, grids = {} } of EXAMPLES) {
    it(title, () => {
      const book = new Book();
      book.addSheet('Other');
      for (const [at, input] of Object.entries(cells)) book.set(at, input);
      const before = describeContents(book.head);
      const reopened = storeAndRestore(book.head);
      const batch = book.apply(edits(book));
      if (cellsWritten !== undefined) assert.equal(batch.outcomes[0]?.cells, cellsWritten);
      for (const [at, text] of Object.entries(formulas)) assert.equal(book.formula(at), text, at);
      for (const [at, value] of Object.entries(values)) assert.equal(book.plainValue(at), value, at);
      for (const [at, grid] of Object.entries(grids)) assert.deepEqual(book.grid(at), grid, at);
      assert.deepEqual(describeContents(replayBatch(batch, reopened)), describeContents(book.head));
      book.apply([{ kind: 'takeBack', inverse: encodeInverse(batch.change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), before);
    });
  }

  for (const [title, edit, reason] of [
    ['a name that reads as a cell', { kind: 'setName', name: 'AB12', refersTo: '=1' }, 'invalidName'],
    ['a name with a blank', { kind: 'setName', name: 'a b', refersTo: '=1' }, 'invalidName'],
    ['a name that begins with a digit', { kind: 'setName', name: '1a', refersTo: '=1' }, 'invalidName'],
    ['a formula that cannot be read', { kind: 'setName', name: 'rate', refersTo: '=1+' }, 'invalidFormula'],
    ['a name that nobody gave', { kind: 'deleteName', name: 'rate' }, 'nameNotFound'],
    ['a table that is not there', { kind: 'deleteTable', name: 'Sales' }, 'tableNotFound'],
  ] as const) {
    it(`refuses ${title}`, () => {
      const outcome = new Book().tryEdits([edit]);
      assert.equal(outcome.kind === 'refusal' && outcome.reason, reason);
    });
  }

  for (const [title, edits] of [
    ['to fill the whole sheet', (book) => [createFill(book, 'A1', 'A1:XFD1048576')]],
    ['to fill with the whole sheet', (book) => [createFill(book, 'A1:XFD1048576', 'A1')]],
    ['to sort a sheet of which one far corner is filled', (book) => [createSort(book, 'A1:XFD1048576', [0, false])]],
  ] as readonly (readonly [title: string, edits: (book: Book) => readonly Edit[]])[]) {
    it(`refuses ${title} before creating cells`, () => {
      const book = new Book();
      book.set('A1', [[2], [1]]);
      book.set('XFD1048576', 1);
      const outcome = book.tryEdits(edits(book));
      assert.equal(outcome.kind === 'refusal' && outcome.reason, 'calculationLimit');
    });
  }

  it('refuses sheets, names and tables above the limit, unless the batch deletes one first', () => {
    const many = <T>(count: number, create: (index: number) => T) =>
      Array.from({ length: count }, (_, index) => create(index));
    const book = Book.fromFile({
      sheets: Object.fromEntries(many(MAX_SHEETS - 1, (i) => [`Sheet${i + 1}`, {}])),
      names: many(MAX_NAMES - 1, (i) => ({ name: `rate_${i}`, formula: '1' })),
      tables: many(MAX_TABLES - 1, (i) => ({
        ...{ name: `Sales_${i}`, sheet: 'Sheet1', headerRow: true, totalsRow: false, columns: ['Qty'] },
        area: { top: 2 * i, left: 0, bottom: 2 * i, right: 0 },
      })),
    });
    const cases: readonly [title: string, addOne: (name: string) => Edit, deleteOne: Edit][] = [
      ['sheets', (name) => ({ kind: 'addSheet', name }), { kind: 'deleteSheet', sheet: 1 }],
      [
        'names',
        (name) => ({ kind: 'setName', name: `rate_${name}`, refersTo: '=1' }),
        { kind: 'deleteName', name: 'rate_1' },
      ],
      [
        'tables',
        (name) => createTable(book, name, name === 'One' ? 'C1:C2' : 'E1:E2'),
        { kind: 'deleteTable', name: 'Sales_1' },
      ],
    ];
    for (const [title, addOne, deleteOne] of cases.toReversed()) {
      book.apply([addOne('One')]);
      const outcome = book.tryEdits([addOne('Two')]);
      assert.deepEqual(outcome.kind === 'refusal' && outcome.reason === 'tooMany' && outcome.what, title);
      const replacement = book.apply([deleteOne, addOne('Two')]);
      book.apply([{ kind: 'takeBack', inverse: encodeInverse(replacement.change), locked: [] }]);
    }
  });

  it('refuses tables that overlap', () => {
    const book = new Book();
    const outcome = book.tryEdits([createTable(book, 'One', 'A1:B3'), createTable(book, 'Two', 'B3:C5')]);
    assert.equal(outcome.kind === 'refusal' && outcome.reason, 'invalidTable');
  });

  it('extends a table by rows written directly below it, in the same batch', () => {
    const book = new Book();
    book.apply([
      book.write('A1', [
        ['Qty', 'Sum'],
        [1, 2],
      ]),
      createTable(book, 'Sales', 'A1:B2'),
    ]);
    book.set('E1', '=SUM(Sales[Qty])');
    book.set('A3', [[5], [6], [null], [100]]);
    assert.deepEqual([book.plainValue('E1'), book.head.tables[0]?.area.bottom], [12, 3]);
    book.apply([{ kind: 'append', sheet: 1, column: 0, values: [[7]], mode: 'user' }]);
    assert.equal(book.plainValue('E1'), 12);
    const grown = book.set('A5', 8);
    assert.deepEqual([book.plainValue('E1'), book.head.tables[0]?.area.bottom], [20, 4]);
    book.apply([{ kind: 'takeBack', inverse: encodeInverse(grown.change), locked: [] }]);
    assert.equal(book.plainValue('E1'), 12);
  });

  it('tables follow inserted, deleted and moved rows and columns', () => {
    const book = new Book();
    book.apply([
      book.write('A1', [
        ['Qty', 'Sum'],
        [1, 2],
        [3, 4],
      ]),
      createTable(book, 'Sales', 'A1:B3'),
    ]);
    book.set('E1', '=SUM(Sales[Sum])');
    const lines = { kind: 'insert', sheet: 1, count: 1 } as const;
    book.apply([{ kind: 'moveCells', move: { ...lines, axis: 'columns', at: 1 } }]);
    assert.deepEqual(book.head.tables[0]?.columns, ['Qty', 'Column1', 'Sum']);
    assert.equal(book.plainValue('B1'), 'Column1');
    book.apply([{ kind: 'moveCells', move: { ...lines, axis: 'rows', at: 2 } }]);
    book.set('C3', 10);
    assert.equal(book.plainValue('F1'), 16);
    book.apply([{ kind: 'moveCells', move: { ...lines, kind: 'delete', axis: 'columns', at: 0 } }]);
    assert.deepEqual(book.head.tables[0]?.columns, ['Column1', 'Sum']);
    assert.equal(book.plainValue('E1'), 16);
  });

  it('restores a deleted sheet and its readers after reopening the document', () => {
    const book = new Book();
    book.addSheet('Data');
    book.set('Data!A1', 7);
    book.set('A1', '=SUM(Data!A:A)');
    const deletion = book.deleteSheet('Data');
    book.workbook = Workbook.open(storeAndRestore(book.head));
    book.apply([{ kind: 'takeBack', inverse: encodeInverse(deletion.change), locked: [] }]);
    assert.equal(book.plainValue('A1'), 7);
  });
});
