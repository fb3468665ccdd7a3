import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosedReads } from '../../src/index.ts';
import { Book, contextWith } from './book.ts';

const OWNER = 1;
const EDITOR = 2;

/** The decision about a state, and the number of formulas that were read for it. */
function checkState(closed: ClosedReads, { head }: Book): { readonly says: boolean; readonly looked: number } {
  const looking = closed.in(head);
  for (let looked = 0; ; looked++) {
    const { done, value } = looking.next();
    if (done) return { says: value, looked };
  }
}

test('successive states check only changed columns, and all columns if names or sheets changed', () => {
  const book = Book.fromFile({ sheets: { Open: { A1: 1 }, Secret: { A1: 5 } } });
  book.context = contextWith({ writer: EDITOR, rights: { owner: OWNER, hidden: [] } });
  book.set('Open!B1', [['=A1+1'], ['=A1*2'], ['=A1&"x"']]);
  const closed = new ClosedReads({ owner: OWNER, hidden: [{ sheet: book.sheetId('Secret'), seenBy: [] }] });
  assert.deepEqual(checkState(closed, book), { says: false, looked: 3 });
  book.set('Open!C1', '=A1-1');
  assert.deepEqual(checkState(closed, book), { says: false, looked: 1 });
  book.set('Open!A1', 7);
  assert.equal(checkState(closed, book).says, false);
  book.renameSheet('Secret', 'Hidden');
  assert.deepEqual(checkState(closed, book), { says: false, looked: 4 });
  book.set('Open!D1', '=Hidden!A1');
  assert.equal(checkState(closed, book).says, true);
  book.clear('Open!D1');
  book.apply([{ kind: 'setName', name: 'seen', refersTo: '=Hidden!A1' }]);
  book.set('Open!D1', '=seen');
  assert.equal(checkState(closed, book).says, true);
});

test('formulas of the owner and of permitted writers may show what is hidden', () => {
  for (const [writer, seenBy] of [
    [OWNER, []],
    [EDITOR, [EDITOR]],
  ] as const) {
    const book = Book.fromFile({ sheets: { Open: {}, Secret: { A1: 5 } } });
    book.context = contextWith({ writer, rights: { owner: OWNER, hidden: [] } });
    book.set('Open!A1', '=Secret!A1');
    const closed = new ClosedReads({ owner: OWNER, hidden: [{ sheet: book.sheetId('Secret'), seenBy }] });
    assert.equal(checkState(closed, book).says, false);
    book.set('Open!B1', '=INDIRECT("Secret!A1")');
    assert.equal(checkState(closed, book).says, true, 'text may have opened it before it was hidden');
  }
});
