import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeSender, cellView, type Edit, receiveChange, Workbook } from '../../src/index.ts';
import { createContext, runToEnd } from '../workbook/book.ts';

const SETTINGS = { locale: 'en-US', dateSystem: 'google', timeZone: 'UTC' } as const;
const TEXTS = ['first', 'second', 'third'];

function createRowEdit(row: number, value: string | number): Edit {
  return { kind: 'setValues', sheet: 1, row, column: 0, values: [[value]], mode: 'user' };
}

/** A document with `TEXTS` in column A, entered in the order of `rows`. */
function enterTexts(rows: readonly number[]): Workbook {
  const workbook = Workbook.create(SETTINGS, 'Sheet1');
  for (const row of rows) workbook.apply([createRowEdit(row, TEXTS[row] ?? '')], createContext());
  return workbook;
}

test('a receiver whose texts have other indexes than those of the sender gets the right texts', () => {
  // After a move, both threads create the moved chunks themselves, and the indexes of texts can differ.
  const sender = enterTexts([0, 1, 2]);
  const receiver = enterTexts([2, 1, 0]);
  runToEnd(new ChangeSender(null).send(sender.head));
  const changes = new ChangeSender(sender.head);
  assert.equal(sender.apply([createRowEdit(0, 7)], createContext()).kind, 'applied');
  const received = runToEnd(receiveChange(receiver.head, structuredClone(runToEnd(changes.send(sender.head)))));
  const values = TEXTS.map((_, row) => cellView(received, 1, row, 0)?.v);
  assert.deepEqual(values, [7, 'second', 'third']);
});
