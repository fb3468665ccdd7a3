import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Edit, Workbook } from '../../src/index.ts';
import { Book, createContext, describeContents, storeAndRestore } from './book.ts';

class InjectedFault extends Error {}

/** A document with most features that a batch can affect: filled-down and single formulas, lookups, spills, sheets. */
function createBook(seed: number): Book {
  const book = new Book();
  book.addSheet('Other');
  book.set(
    'A1',
    Array.from({ length: 40 }, (_, i) => [(i * seed) % 7, i % 3 === 0 ? 'a' : 'b']),
  );
  book.set('D1', [['=SORT(A1:A40)', '=SUM(Later!A1)', '=INDIRECT("A2")+1']]);
  book.set(
    'H1',
    Array.from({ length: 40 }, (_, i) => [`=A${i + 1}*2`, `=MATCH(A${i + 1};A$1:A$40;0)`, `=H${i + 1}+${i}`]),
  );
  return book;
}

function createRandomEdits(book: Book, seed: number): Edit[] {
  return [
    book.write(
      'A1',
      Array.from({ length: 30 }, (_, i) => [(i * (seed + 3)) % 5]),
    ),
    book.write('D5', 'in the way'),
    book.write(
      'H3',
      Array.from({ length: 20 }, (_, i) => [`=A${i + 1}+${seed}`]),
    ),
    { kind: 'clear', sheet: 1, area: { top: 25, left: 7, bottom: 30, right: 9 } },
    { kind: 'addSheet', name: 'Later' },
    { kind: 'renameSheet', sheet: 2, name: 'Renamed' },
    book.write('K1', '=SEQUENCE(5)'),
  ];
}

function calculateNewWorkbook(book: Book): unknown {
  const fresh = Workbook.open(storeAndRestore(book.head));
  fresh.apply([{ kind: 'recalculate', everything: true }], createContext());
  return describeContents(fresh.head);
}

/**
 * Asserts that the document is unchanged, and that the results after the next write equal the results of a full
 * calculation.
 */
function assertUntouched(book: Book, before: unknown, head: unknown): void {
  assert.equal(book.head, head);
  assert.deepEqual(describeContents(book.head), before);
  book.context = createContext();
  book.set('A3', 6);
  assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
  book.apply(createRandomEdits(book, 11));
  assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
}

describe('a failed batch leaves the document unchanged', () => {
  it('when its budget of cells is used up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(600), (seed, cells) => {
        const book = createBook(seed);
        const { head } = book;
        const before = describeContents(head);
        book.context = createContext({ budget: { cells, milliseconds: 60_000, clock: () => 0 } });
        const result = book.tryEdits(createRandomEdits(book, seed));
        if (result.kind === 'refusal') assertUntouched(book, before, head);
      }),
      { numRuns: 25 },
    );
  });

  it('when something in it throws', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4 }), (seed, failAt) => {
        const book = createBook(seed);
        const { head } = book;
        const before = describeContents(head);
        let remaining = failAt;
        const clock = () => {
          if (remaining-- === 0) throw new InjectedFault();
          return 0;
        };
        book.context = createContext({ budget: { cells: 1e9, milliseconds: 60_000, clock } });
        const many = book.write(
          'M1',
          Array.from({ length: 3_000 }, (_, i) => [`=A${(i % 40) + 1}+${i % 9}`]),
        );
        assert.throws(() => book.tryEdits([...createRandomEdits(book, seed), many]), InjectedFault);
        assertUntouched(book, before, head);
      }),
      { numRuns: 12 },
    );
  });

  it('when LAMBDAs inside one another run out of stack', () => {
    const book = createBook(5);
    const deep = `=LET(f;LAMBDA(f;n;IF(n=0;0;1+${'('.repeat(60)}f(f;n-1)${')'.repeat(60)}));f(f;5000))`;
    book.set('M1', deep);
    assert.equal(book.plainValue('M1'), '#NUM!');
    assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
    book.set('A1', 4);
    assert.deepEqual(describeContents(book.head), calculateNewWorkbook(book));
  });
});
