import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Book, contextWith } from '../workbook/book.ts';

const CELLS = 2_000;
const READERS = 300;
/** The clock is read once per thousand cells of work; following each pair alone would read it two hundred times. */
const MAX_CLOCK_READS = 100;

it('finds and orders many formulas that read many others in time by their number, not by their pairs', () => {
  const book = new Book();
  let clockReads = 0;
  const clock = () => clockReads++;
  book.context = contextWith({ budget: { cells: 5_000_000, milliseconds: 60_000, clock } });
  // The readers are first in the sheet and last in the order of calculation.
  book.set(
    'A1',
    Array.from({ length: READERS }, (_, row) => [`=COUNTA(C$1:C$${CELLS})+${row}`]),
  );
  clockReads = 0;
  book.set(
    'C1',
    Array.from({ length: CELLS }, (_, row) => [`=${row}+Z1`]),
  );
  assert.equal(book.value('A1'), CELLS);
  assert.equal(book.value(`A${READERS}`), CELLS + READERS - 1);
  assert.ok(clockReads < MAX_CLOCK_READS, `${clockReads} looks`);
});
