import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Book } from './book.ts';

describe('SUMIF reads as many cells as its first argument has', () => {
  const cases: readonly (readonly [title: string, formula: string])[] = [
    ['beside a cell', '=SUMIF(A1:A3;"x";B1)'],
    ['beside a smaller name', '=SUMIF(A1:A3;"x";first)'],
    ['in names of different sizes', '=SUMIF(keys;"x";first)'],
    ['in names of one size', '=SUMIF(keys;"x";amounts)'],
    ['beside a name in parentheses', '=SUMIF(A1:A3;"x";(first))'],
    ['beside a chosen cell', '=SUMIF(A1:A3;"x";IF(TRUE;B1;C1))'],
    ['beside an inner name', '=LET(cell;B1;SUMIF(A1:A3;"x";cell))'],
  ];
  for (const [title, formula] of cases) {
    it(title, () => {
      const book = new Book('en-US');
      book.apply([
        { kind: 'setName', name: 'keys', refersTo: '=Sheet1!$A$1:$A$3' },
        { kind: 'setName', name: 'amounts', refersTo: '=Sheet1!$B$1:$B$3' },
        { kind: 'setName', name: 'first', refersTo: '=Sheet1!$B$1' },
      ]);
      book.set('A1', [
        ['x', 1],
        ['y', 2],
        ['x', 4],
      ]);
      book.set('D1', formula);
      assert.equal(book.value('D1'), 5);
      book.set('B3', 8);
      assert.equal(book.value('D1'), 9);
    });
  }
});
