import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elementAt } from '../../../../test/elements.ts';
import {
  applyDelta,
  type ChangeSet,
  encodeDelta,
  encodeInverse,
  type Input,
  PlainColumnBuilder,
  type PlainValue,
  SharedMemory,
} from '../../src/index.ts';
import { Book, describeContents } from './book.ts';

/** Rows 241 to 280, which lie in two chunks of 256 rows. */
const FIRST = 241;
const ROWS = 40;
const LAST = FIRST + ROWS - 1;
const COLUMN = 'C';

type Column = readonly Input[];

function createColumn(cell: (row: number) => Input): Column {
  return Array.from({ length: ROWS }, (_, i) => cell(FIRST + i));
}

/** Previous contents of the cells, by description. */
const GROUNDS: Readonly<Record<string, (book: Book) => void>> = {
  nothing: () => {},
  'other numbers': (book) => fillColumn(book, (row) => row / 3),
  'numbers of which some are the same': (book) => fillColumn(book, (row) => (row % 3 === 0 ? row : 0)),
  'texts, truths and gaps': (book) => fillColumn(book, (row) => elementAt<Input>([`text ${row}`, true, null], row % 3)),
  'dates and percentages': (book) => fillColumn(book, (row) => (row % 2 === 0 ? '2026-11-23' : '12%')),
  'a column of formulas': (book) => fillColumn(book, (row) => `=A${row}*2`),
  'a formula among numbers': (book) => fillColumn(book, (row) => (row === 265 ? '=A1+1' : row)),
  'what an array spilled': (book) => book.set(`${COLUMN}245`, '=SEQUENCE(30)'),
  'an array beside it': (book) => book.set('F1', '=SEQUENCE(3)'),
};

function fillColumn(book: Book, cell: (row: number) => Input): void {
  book.set(
    `${COLUMN}${FIRST}`,
    createColumn(cell).map((input) => [input]),
  );
}

const WRITTEN: Readonly<Record<string, Column>> = {
  numbers: createColumn((row) => row),
  'numbers with fractions and signs': createColumn((row) => elementAt([-row, row / 7, -0, 1e300], row % 4)),
  'numbers with a gap': createColumn((row) => (row === 262 ? null : row)),
  'numbers with a text': createColumn((row) => (row === 250 ? 'and so on' : row)),
  'numbers with a formula': createColumn((row) => (row === 263 ? '=A1' : row)),
};

function createBook(fillGround: (book: Book) => void): Book {
  const book = new Book();
  book.set(
    'A1',
    Array.from({ length: LAST }, (_, i) => [i + 0.5]),
  );
  book.set('E1', [[`=SUM(${COLUMN}:${COLUMN})`], [`=COUNTA(${COLUMN}:${COLUMN})`]]);
  fillGround(book);
  return book;
}

function listChangedCells(change: ChangeSet): unknown {
  const names = (areas: ChangeSet['written']) =>
    areas
      .flatMap(({ areas: each }) => each)
      .flatMap(({ top, left, bottom, right }) =>
        Array.from({ length: (bottom - top + 1) * (right - left + 1) }, (_, i) => {
          const width = right - left + 1;
          return `R${top + Math.floor(i / width)}C${left + (i % width)}`;
        }),
      )
      .sort();
  return { written: names(change.written), derived: names(change.derived) };
}

describe('numbers written as a block', () => {
  for (const [ground, fillGround] of Object.entries(GROUNDS)) {
    for (const [name, values] of Object.entries(WRITTEN)) {
      it(`${name}, over ${ground}: the same as cell by cell, for readers, the log and an undo`, () => {
        const [blockBook, cellBook] = [createBook(fillGround), createBook(fillGround)];
        const before = blockBook.head;
        const atOnce = blockBook.set(
          `${COLUMN}${FIRST}`,
          values.map((input) => [input, 7]),
        );
        const oneByOne = cellBook.apply(
          values.flatMap((input, i) => [cellBook.write(`${COLUMN}${FIRST + i}`, [[input, 7]])]),
        );
        assert.deepEqual(describeContents(blockBook.head), describeContents(cellBook.head));
        assert.deepEqual(listChangedCells(atOnce.change), listChangedCells(oneByOne.change));
        assert.deepEqual(
          describeContents(applyDelta(before, encodeDelta(atOnce.change))),
          describeContents(cellBook.head),
        );
        blockBook.apply([{ kind: 'takeBack', inverse: encodeInverse(atOnce.change), locked: [] }]);
        assert.deepEqual(describeContents(blockBook.head), describeContents(before));
      });
    }
  }
});

const PUT: Readonly<Record<string, (row: number) => PlainValue>> = {
  numbers: (row) => elementAt([-row, row / 7, -0, 1e300], row % 4),
  'texts, some of them equal': (row) => `text ${row % 7}`,
  'texts in other alphabets, long ones and empty cells': (row) =>
    elementAt(['Ключ', '日本 😀', 'x'.repeat(300 + row), null], row % 4),
  'values of all types': (row) => elementAt<PlainValue>([row, `${row}`, true, false, null, '=A1'], row % 6),
  'the same values as before': (row) => elementAt<PlainValue>([`text ${row}`, true, null], row % 3),
};

/** Every row, or every third row from the last one up. */
const ORDERS: readonly (readonly number[])[] = [
  Array.from({ length: ROWS }, (_, i) => FIRST + i),
  Array.from({ length: ROWS / 3 }, (_, i) => LAST - 3 * i),
];

describe('plain values put by column', () => {
  for (const [ground, fillGround] of Object.entries(GROUNDS)) {
    for (const [name, put] of Object.entries(PUT)) {
      it(`${name}, over ${ground}: the same as cell by cell, for readers, the log and an undo`, () => {
        for (const rows of ORDERS) {
          const [columnBook, cellBook] = [createBook(fillGround), createBook(fillGround)];
          const before = columnBook.head;
          const builder = new PlainColumnBuilder(2);
          for (const row of rows) builder.put(row - 1, put(row));
          const columns = [builder.finish(new SharedMemory())];
          const atOnce = columnBook.apply([{ kind: 'putColumns', sheet: before.sheets[0]?.id ?? 0, columns }]);
          const oneByOne = cellBook.apply(
            rows.map((row) => cellBook.write(`${COLUMN}${row}`, [[put(row) ?? '']], 'raw')),
          );
          assert.deepEqual(describeContents(columnBook.head), describeContents(cellBook.head));
          assert.deepEqual(listChangedCells(atOnce.change), listChangedCells(oneByOne.change));
          assert.deepEqual(
            describeContents(applyDelta(before, encodeDelta(atOnce.change))),
            describeContents(cellBook.head),
          );
          columnBook.apply([{ kind: 'takeBack', inverse: encodeInverse(atOnce.change), locked: [] }]);
          assert.deepEqual(describeContents(columnBook.head), describeContents(before));
        }
      });
    }
  }
});
