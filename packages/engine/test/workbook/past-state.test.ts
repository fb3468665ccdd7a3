import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PastStateCheck } from '../../src/index.ts';
import { Book, createContext } from './book.ts';

const OWNER = 1;
const EDITOR = 2;

/** Checks a state, and counts the formulas that were read for it. */
function checkState(
  hiddenReads: PastStateCheck,
  { head }: Book,
): { readonly showsHidden: boolean; readonly formulasRead: number } {
  const steps = hiddenReads.mayShowHidden(head);
  for (let formulasRead = 0; ; formulasRead++) {
    const { done, value } = steps.next();
    if (done) return { showsHidden: value, formulasRead };
  }
}

test('successive states check only changed columns, and all columns if names or sheets changed', () => {
  const book = Book.fromFile({ sheets: { Open: { A1: 1 }, Secret: { A1: 5 } } });
  book.context = createContext({ writer: EDITOR, rights: { owner: OWNER, hidden: [] } });
  book.set('Open!B1', [['=A1+1'], ['=A1*2'], ['=A1&"x"']]);
  const hiddenReads = new PastStateCheck({ owner: OWNER, hidden: [{ sheet: book.sheetId('Secret'), seenBy: [] }] });
  assert.deepEqual(checkState(hiddenReads, book), { showsHidden: false, formulasRead: 3 });
  book.set('Open!C1', '=A1-1');
  assert.deepEqual(checkState(hiddenReads, book), { showsHidden: false, formulasRead: 1 });
  book.set('Open!A1', 7);
  assert.equal(checkState(hiddenReads, book).showsHidden, false);
  book.renameSheet('Secret', 'Hidden');
  assert.deepEqual(checkState(hiddenReads, book), { showsHidden: false, formulasRead: 4 });
  book.set('Open!D1', '=Hidden!A1');
  assert.equal(checkState(hiddenReads, book).showsHidden, true);
  book.clear('Open!D1');
  book.apply([{ kind: 'setName', name: 'seen', refersTo: '=Hidden!A1' }]);
  book.set('Open!D1', '=seen');
  assert.equal(checkState(hiddenReads, book).showsHidden, true);
});

test('formulas of the owner and of permitted writers may show hidden cells', () => {
  for (const [writer, seenBy] of [
    [OWNER, []],
    [EDITOR, [EDITOR]],
  ] as const) {
    const book = Book.fromFile({ sheets: { Open: {}, Secret: { A1: 5 } } });
    book.context = createContext({ writer, rights: { owner: OWNER, hidden: [] } });
    book.set('Open!A1', '=Secret!A1');
    const hiddenReads = new PastStateCheck({ owner: OWNER, hidden: [{ sheet: book.sheetId('Secret'), seenBy }] });
    assert.equal(checkState(hiddenReads, book).showsHidden, false);
    book.set('Open!B1', '=INDIRECT("Secret!A1")');
    assert.equal(
      checkState(hiddenReads, book).showsHidden,
      true,
      'INDIRECT may have read the sheet before it was hidden',
    );
  }
});
