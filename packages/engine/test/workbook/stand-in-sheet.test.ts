import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isError } from '../../src/index.ts';
import { Book, createContext } from './book.ts';

const ROWS = 400;

describe('a sheet that stands for another one', () => {
  for (const formula of [
    '=$A$1',
    '=A1',
    '=A1*2+$A$3',
    '=-A1',
    '=SUM(A$1:A1)',
    '=IF(A1>3;A1;B1)',
    '=MIN($A$1:$A$9)',
    '=ROW(A1)',
  ]) {
    for (const rows of [1, ROWS]) {
      it(`calculates ${formula} in ${rows} rows as on that sheet`, () => {
        const book = new Book('en-US');
        book.set(
          'A1',
          Array.from({ length: ROWS }, (_, row) => [(row * 7) % 11, row]),
        );
        const values = (sheet: string, column: number, head = book.head) =>
          Array.from({ length: rows }, (_, row) => {
            const value = head.sheetByName(sheet)?.value(row, column) ?? null;
            return isError(value) ? value.code : value;
          });
        const fill = (sheet: number, column: number) =>
          [
            { kind: 'setValues', sheet, row: 0, column, values: [[formula]], mode: 'user' },
            {
              kind: 'fill',
              sheet,
              area: { top: 0, left: column, bottom: 0, right: column },
              to: { top: 0, left: column, bottom: rows - 1, right: column },
            },
          ] as const;
        const sheet = book.head.nextSheetId;
        const trial = book.workbook.preview(
          [{ kind: 'addSheet', name: 'Trial', standsFor: book.sheetId('Sheet1') }, ...fill(sheet, 2)],
          createContext(),
        );
        assert.ok(trial.kind === 'applied');
        book.apply([...fill(book.sheetId('Sheet1'), 2)]);
        assert.deepEqual(values('Trial', 2, trial.change.after), values('Sheet1', 2));
      });
    }
  }
});
