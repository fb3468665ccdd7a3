import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Edit } from '../../src/index.ts';
import { Book, describeContents, ThreadCopy } from '../workbook/book.ts';
import { parseMove } from '../workbook/parse-move.ts';

const ROWS = 3_000;

function createColumnValues(valueAt: (row: number) => string | number): (string | number)[][] {
  return Array.from({ length: ROWS }, (_, row) => [valueAt(row)]);
}

describe('a change sent to another thread', () => {
  it('transfers texts of any length and script', () => {
    const book = new Book();
    const copy = new ThreadCopy();
    book.set('A1', [['short'], ['длинный'.repeat(100)], ['x'.repeat(50_000)], ['\ud800 alone'], ['=A1&"я"']]);
    assert.deepEqual(describeContents(copy.receiveChange(book.head)), describeContents(book.head));
    book.set('A2', 'y'.repeat(300));
    assert.deepEqual(describeContents(copy.receiveChange(book.head)), describeContents(book.head));
    book.set('A1', 'another');
    assert.deepEqual(describeContents(copy.receiveChange(book.head)), describeContents(book.head));
  });

  it('shares unchanged chunks, and takes a few bytes for one cell', () => {
    const book = new Book();
    const copy = new ThreadCopy();
    book.set(
      'A1',
      createColumnValues((row) => row),
    );
    book.set(
      'B1',
      createColumnValues((row) => `=A${row + 1}*2`),
    );
    const first = copy.receiveChange(book.head);
    book.set('A1', 7);
    const second = copy.receiveChange(book.head);
    assert.deepEqual(describeContents(second), describeContents(book.head));
    const isShared = (block: number) => second.sheets[0]?.chunk(0, block) === first.sheets[0]?.chunk(0, block);
    assert.deepEqual([isShared(0), isShared(1), isShared(5)], [false, true, true]);
  });

  it('shares memory between both copies', () => {
    const book = new Book();
    book.set(
      'A1',
      createColumnValues((row) => row),
    );
    const received = new ThreadCopy().receiveChange(book.head);
    const buffers = [received, book.head].map((snapshot) => snapshot.sheets[0]?.chunk(0, 3)?.numbers);
    const [theirs, ours] = buffers as [Float64Array, Float64Array];
    assert.ok(ours.buffer instanceof SharedArrayBuffer);
    assert.equal(theirs[0], 768);
    // Shared memory must not be written. This write only proves that both copies use the same memory.
    ours[0] = -1;
    assert.equal(theirs[0], -1);
  });

  it('replays moves one by one, with a pause after each', () => {
    const book = new Book();
    const copy = new ThreadCopy();
    book.set('A1', [[1, 2, '=A1+B1']]);
    copy.receiveChange(book.head);
    const insertion: Edit = { kind: 'moveCells', move: parseMove('insert columns B 1', (name) => book.sheetId(name)) };
    const afterInsertions = (count: number) => {
      const { change } = book.apply(Array.from({ length: count }, () => insertion));
      return copy.receiveChange(book.head, change);
    };
    assert.deepEqual(describeContents(afterInsertions(20)), describeContents(book.head));
    assert.ok(copy.pauses >= 20, `${copy.pauses} pauses`);
    assert.deepEqual(describeContents(afterInsertions(1)), describeContents(book.head));
  });

  it('builds the formulas of a column only when they are read', () => {
    const book = new Book();
    book.set(
      'A1',
      createColumnValues((row) => `=${row}+SUM(C${row + 1}:D${row + 9})`),
    );
    const received = new ThreadCopy().receiveChange(book.head);
    const list = received.sheets[0]?.columns[0]?.runList;
    assert.equal(list?.length, ROWS);
    assert.ok(!Array.isArray(list));
    assert.deepEqual(describeContents(received), describeContents(book.head));
  });
});
