import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { elementAt } from '../../../../test/elements.ts';
import { applyDelta, type ChangeSet, encodeDelta, encodeInverse, type Input } from '../../src/index.ts';
import { Book, contents } from './book.ts';

/** Rows 241 to 280, which lie in two chunks of 256 rows. */
const FIRST = 241;
const ROWS = 40;
const LAST = FIRST + ROWS - 1;
const COLUMN = 'C';

type Column = readonly Input[];

function column(cell: (row: number) => Input): Column {
  return Array.from({ length: ROWS }, (_, i) => cell(FIRST + i));
}

/** Previous contents of the cells, by description. */
const GROUNDS: Readonly<Record<string, (book: Book) => void>> = {
  nothing: () => {},
  'other numbers': (book) => fill(book, (row) => row / 3),
  'numbers of which some are the same': (book) => fill(book, (row) => (row % 3 === 0 ? row : 0)),
  'texts, truths and gaps': (book) => fill(book, (row) => elementAt<Input>([`text ${row}`, true, null], row % 3)),
  'dates and percentages': (book) => fill(book, (row) => (row % 2 === 0 ? '2026-11-23' : '12%')),
  'a column of formulas': (book) => fill(book, (row) => `=A${row}*2`),
  'a formula among numbers': (book) => fill(book, (row) => (row === 265 ? '=A1+1' : row)),
  'what an array spilled': (book) => book.set(`${COLUMN}245`, '=SEQUENCE(30)'),
  'an array beside it': (book) => book.set('F1', '=SEQUENCE(3)'),
};

function fill(book: Book, cell: (row: number) => Input): void {
  book.set(
    `${COLUMN}${FIRST}`,
    column(cell).map((input) => [input]),
  );
}

const WRITTEN: Readonly<Record<string, Column>> = {
  numbers: column((row) => row),
  'numbers with fractions and signs': column((row) => elementAt([-row, row / 7, -0, 1e300], row % 4)),
  'numbers with a gap': column((row) => (row === 262 ? null : row)),
  'numbers with a text': column((row) => (row === 250 ? 'and so on' : row)),
  'numbers with a formula': column((row) => (row === 263 ? '=A1' : row)),
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

function changedCells(change: ChangeSet): unknown {
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
        assert.deepEqual(contents(blockBook.head), contents(cellBook.head));
        assert.deepEqual(changedCells(atOnce.change), changedCells(oneByOne.change));
        assert.deepEqual(contents(applyDelta(before, encodeDelta(atOnce.change))), contents(cellBook.head));
        blockBook.apply([{ kind: 'takeBack', inverse: encodeInverse(atOnce.change), locked: [] }]);
        assert.deepEqual(contents(blockBook.head), contents(before));
      });
    }
  }
});
