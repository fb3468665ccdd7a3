import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Book, createContext } from '../workbook/book.ts';

const CELLS = 2_000;
const READERS = 300;
/** The clock is read once per 1,000 cells of work. Visiting each pair separately would read it 200 times. */
const MAX_CLOCK_READS = 100;

it('recalculates many formulas that each read many others in time linear in the number of formulas', () => {
  const book = new Book();
  let clockReads = 0;
  const clock = () => clockReads++;
  book.context = createContext({ budget: { cells: 5_000_000, milliseconds: 60_000, clock } });
  // The reading formulas come first in the sheet and last in the calculation order.
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
  assert.ok(clockReads < MAX_CLOCK_READS, `${clockReads} reads of the clock`);
});
