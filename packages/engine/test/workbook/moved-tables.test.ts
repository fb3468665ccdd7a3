import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areaText, type Edit, encodeInverse } from '../../src/index.ts';
import { Book, describeContents, replayBatch, storeAndRestore } from './book.ts';
import { parseMove } from './parse-move.ts';

/**
 * A move in a sheet with a table in A1:B3, a row below it, a text next to its headers, and a sum of its first column.
 */
interface TableMoveExample {
  readonly title: string;
  readonly move: string;
  readonly range: string;
  readonly columns: readonly string[];
  readonly formula: string;
  readonly sum: number;
  readonly hasHeaders?: false;
}

const KEPT = { columns: ['Qty', 'Sum'], formula: '=SUM(Sales[Qty])', sum: 4 } as const;

const EXAMPLES: readonly TableMoveExample[] = [
  { title: 'rows of data change places', move: 'reorder rows 3 1 2', range: 'A1:B3', ...KEPT },
  { title: 'a row of data is put above the headers', move: 'reorder rows 3 1 1', range: 'A2:B3', ...KEPT, sum: 1 },
  { title: 'a row from below is put above the headers', move: 'reorder rows 4 1 1', range: 'A2:B4', ...KEPT },
  {
    title: 'the headers are put below the data',
    move: 'reorder rows 1 1 4',
    range: 'A1:B3',
    ...KEPT,
    hasHeaders: false,
  },
  { title: 'the headers are put elsewhere', move: 'reorder rows 1 1 7', range: 'A1:B2', ...KEPT, hasHeaders: false },
  {
    title: 'the headers and some data are put elsewhere',
    move: 'reorder rows 1 2 6',
    range: 'A1:B1',
    ...KEPT,
    sum: 3,
    hasHeaders: false,
  },
  {
    title: 'a column with a header of its own comes between',
    move: 'reorder columns D 1 B',
    range: 'A1:C3',
    ...KEPT,
    columns: ['Qty', 'Price', 'Sum'],
  },
  {
    title: 'another cell is cut over a header',
    move: 'carry D1:D1 Sheet1 A1',
    range: 'A1:B3',
    columns: ['Price', 'Sum'],
    formula: '=SUM(Sales[Price])',
    sum: 4,
  },
  { title: 'a header is cut away', move: 'carry A1:A1 Other D9', range: 'A1:B3', ...KEPT },
  {
    title: 'a header is deleted and what is below it comes up',
    move: 'delete rows 1 1 across A',
    range: 'A1:B3',
    columns: ['1', 'Sum'],
    formula: '=SUM(Sales[1])',
    sum: 8,
  },
  {
    title: 'cells are inserted in the place of a header',
    move: 'insert rows 1 1 across A',
    range: 'A1:B3',
    ...KEPT,
    sum: 1,
  },
  {
    title: 'cells are inserted between a header and its data',
    move: 'insert rows 2 1 across A',
    range: 'A1:B3',
    ...KEPT,
    sum: 1,
  },
];

describe('a table', () => {
  for (const { title, move, range, columns, formula, sum, hasHeaders = true } of EXAMPLES) {
    it(`keeps the names of its header cells and its formula when ${title}`, () => {
      const book = new Book();
      book.addSheet('Other');
      book.set('A1', [
        ['Qty', 'Sum', '', 'Price'],
        [1, 2],
        [3, 4],
        [5, 6],
      ]);
      book.apply([{ kind: 'setTable', name: 'Sales', sheet: 1, area: { top: 0, left: 0, bottom: 2, right: 1 } }]);
      book.set('Other!A1', '=SUM(Sales[Qty])');
      const before = storeAndRestore(book.head);
      const batch = book.apply([{ kind: 'moveCells', move: parseMove(move, (name) => book.sheetId(name)) }]);
      const [table] = book.head.tables;
      assert.ok(table);
      assert.deepEqual([areaText(table.area), table.headerRow, table.columns], [range, hasHeaders, columns]);
      assert.deepEqual([book.formula('Other!A1'), book.plainValue('Other!A1')], [formula, sum]);
      assert.deepEqual(describeContents(replayBatch(batch, before)), describeContents(book.head));
      const after = describeContents(book.head);
      const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(batch.change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), describeContents(before));
      book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), after);
    });
  }

  for (const name of ['Price', 'Column1']) {
    it(`has the same header cells after undoing the move of a column ${name} with an empty header`, () => {
      const book = new Book();
      book.set('A1', [['Qty', name, 'Sum'], [1]]);
      book.apply([{ kind: 'setTable', name: 'Sales', sheet: 1, area: { top: 0, left: 0, bottom: 2, right: 2 } }]);
      book.clear('B1');
      const before = describeContents(book.head);
      const away = parseMove('reorder columns B 1 E', (sheet) => book.sheetId(sheet));
      const { change } = book.apply([{ kind: 'moveCells', move: away }]);
      const after = describeContents(book.head);
      const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), before);
      book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
      assert.deepEqual(describeContents(book.head), after);
    });
  }

  it('has the names that were written into its header cells before an undo restores it', () => {
    const book = new Book();
    const setTable = (top: number, right: number): Edit => ({
      ...{ kind: 'setTable', name: 'Sales', sheet: 1 },
      area: { top, left: 0, bottom: top + 2, right },
    });
    book.apply([setTable(0, 1)]);
    book.apply([setTable(1, 2)]);
    const { change } = book.apply([setTable(0, 1)]);
    book.set('A2', 'Qty');
    book.set('E1', '=SUM(Sales[Column1])');
    const before = describeContents(book.head);
    const back = book.apply([{ kind: 'takeBack', inverse: encodeInverse(change), locked: [] }]);
    const [table] = book.head.tables;
    assert.ok(table);
    assert.deepEqual([areaText(table.area), table.columns], ['A2:C4', ['Qty', 'Column2', 'Column3']]);
    assert.equal(book.formula('E1'), '=SUM(Sales[Qty])');
    book.apply([{ kind: 'takeBack', inverse: encodeInverse(back.change), locked: [] }]);
    assert.deepEqual(describeContents(book.head), before);
  });
});
