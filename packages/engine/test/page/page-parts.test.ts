import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Area, boundedPage, pagePartsInSteps, type Snapshot } from '../../src/index.ts';
import { Book } from '../workbook/book.ts';

const ROWS = 1_600;
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The joined parts of a page, which is written without pauses. */
function joinParts(snapshot: Snapshot, area: Area, maxBytes: number): { readonly text: string; readonly rows: number } {
  const step = pagePartsInSteps(snapshot, 1, area, 'ROWS', { maxBytes, sliceBytes: NO_LIMIT }).next();
  assert.ok(step.done);
  return { text: Buffer.concat(step.value.parts).toString(), rows: step.value.rows };
}

function assertPartsEqualPage(snapshot: Snapshot, area: Area, maxBytes = NO_LIMIT): void {
  const { bytes, rows } = boundedPage(snapshot, 1, area, 'ROWS', maxBytes);
  assert.deepEqual(joinParts(snapshot, area, maxBytes), { text: Buffer.from(bytes).toString(), rows });
}

function createFilledBook(): Book {
  const book = new Book();
  const values = Array.from({ length: ROWS }, (_, row) => [row / 4, `row ${row}`, null]);
  book.set('A1', values, 'raw');
  return book;
}

const page = fc.tuple(fc.nat(ROWS - 1), fc.nat(ROWS - 1), fc.nat(2), fc.nat(2)).map(([a, b, c, d]) => ({
  top: Math.min(a, b),
  bottom: Math.max(a, b),
  left: Math.min(c, d),
  right: Math.max(c, d),
}));

describe('a page in parts', () => {
  it('is the page in one part, at any place, repeatedly and after edits', () => {
    const book = createFilledBook();
    const edited = fc.tuple(fc.nat(ROWS - 1), fc.oneof(fc.integer(), fc.string({ maxLength: 5 })));
    fc.assert(
      fc.property(fc.array(fc.tuple(page, edited), { minLength: 1, maxLength: 4 }), (steps) => {
        for (const [area, [row, value]] of steps) {
          assertPartsEqualPage(book.head, area);
          assertPartsEqualPage(book.head, area);
          book.set(`B${row + 1}`, value);
          assertPartsEqualPage(book.head, area);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('has as many rows as fit', () => {
    const { head } = createFilledBook();
    const area = { top: 3, left: 0, bottom: 1_403, right: 2 };
    const { length } = joinParts(head, area, NO_LIMIT).text;
    for (const maxBytes of [length + 1, length, length - 1, length >> 1, 100, 3, 0])
      assertPartsEqualPage(head, area, maxBytes);
  });

  it('is one part if its rows are long', () => {
    const book = createFilledBook();
    const long = 'x'.repeat(40_000);
    book.set(
      'C301',
      Array.from({ length: 30 }, () => [long]),
      'raw',
    );
    for (let again = 0; again < 3; again++) assertPartsEqualPage(book.head, { top: 0, left: 0, bottom: 999, right: 2 });
  });

  it('shares the bytes of rows with other pages', () => {
    const { head } = createFilledBook();
    const buffers = (top: number) => {
      const area = { top, left: 0, bottom: top + 999, right: 2 };
      const step = pagePartsInSteps(head, 1, area, 'ROWS', { maxBytes: NO_LIMIT, sliceBytes: NO_LIMIT }).next();
      return new Set(step.done ? step.value.parts.map(({ buffer }) => buffer) : []);
    };
    assert.ok(buffers(0).intersection(buffers(100)).size >= 3);
  });
});
