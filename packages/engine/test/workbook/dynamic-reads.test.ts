import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import type { Edit } from '../../src/index.ts';
import { Book, createContext, describeValues, NOON } from './book.ts';
import { createDraw, drawElement } from './draw.ts';
import { parseMove } from './parse-move.ts';

const DAY = 86_400_000;

/** A budget of a few hundred cells, which is too small for 400 formulas. */
const SMALL_BUDGET = createContext({ budget: { cells: 300, milliseconds: 60_000, clock: () => 0 } });

const NO_BUDGET = createContext({ budget: { cells: 1, milliseconds: 60_000, clock: () => 0 } });

/** Formulas that read cells which their trees do not name. Columns A to C have values, D has addresses. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `=INDIRECT(D${row})`,
  (row) => `=SUM(INDIRECT("B"&${row}&":B"&(A${row}+3)))`,
  (row) => `=IF(A${row}>2;INDIRECT("C"&A${row});INDIRECT("Other!A"&A${row}))`,
  (row) => `=SUM(OFFSET(B1;A${row};A${row}-1;2;1))`,
  (row) => `=SUM(INDIRECT("B"&A${row}):INDIRECT("C8"))`,
  (row) => `=IFERROR(MATCH(C${row};INDIRECT("C:C");0);0)+ROWS(INDIRECT("1:"&A${row}))`,
  (row) => `=COUNTA(INDIRECT("area"))+SUM(INDIRECT("R"&A${row}&"C2";FALSE))`,
  (row) => `=SUBTOTAL(9;INDIRECT("B1:B"&A${row}))+ISFORMULA(INDIRECT("B"&A${row}))`,
  (row) => `=IF(ISNUMBER(E${row});INDIRECT("E"&A${row});0)`,
  (row) => `=SUM(INDIRECT("N1#"))+A${row}`,
  // The summed area begins in B2, and has the size of the first argument.
  (row) => `=SUMIF(A$1:A$8;A${row};area)`,
  (row) => `=SUMIF(A$1:A$8;A${row};IF(A1>2;B1;C1))+AVERAGEIF(area;"<9";A${row})`,
];
const ROWS = 8;

function createBook(): Book {
  const book = new Book('en-US');
  book.addSheet('Other');
  book.apply([{ kind: 'setName', name: 'area', refersTo: '=Sheet1!$B$2:$C$4' }]);
  return book;
}

/** Formulas of all rows, and an array formula of a size that depends on A1. */
function enterFormulas(book: Book): void {
  book.set(
    'E1',
    Array.from({ length: ROWS }, (_, i) => FORMULAS.map((create) => create(i + 1))),
  );
  book.set('N1', '=SEQUENCE(A1)');
}

const ADDRESSES = ['A1', 'B3', 'Other!A2', 'E2', 'N3', 'Sheet9!A1', 'area', 'x', 'F1:F2'];
const MOVES = ['insert rows 3 1', 'delete rows 5 1', 'insert columns C 1', 'delete rows 2 1', 'reorder rows 2 1 6'];

function drawEdit(draw: (count: number) => number, book: Book): Edit {
  const row = 1 + draw(ROWS);
  switch (draw(12)) {
    case 0:
      return book.write(`D${row}`, drawElement(draw, ADDRESSES));
    case 1:
      return book.write(`Other!A${row}`, draw(100));
    case 2:
      return book.write(`B${row}`, drawElement(draw, ['text', '=A1*2', '=N2', `=E${row}`, null]));
    case 3:
      return { kind: 'moveCells', move: parseMove(drawElement(draw, MOVES), (name) => book.sheetId(name)) };
    case 4:
      return { kind: 'setName', name: 'area', refersTo: `=Sheet1!$B$${row}:$C$${row + 1}` };
    case 5:
      return book.write(`A${row}`, 1 + draw(6));
    case 6:
      return { kind: 'recalculate', everything: false };
    default:
      return book.write(`${drawElement(draw, ['A', 'B', 'C'])}${row}`, 1 + draw(5));
  }
}

const all: Edit = { kind: 'recalculate', everything: true };

describe('formulas that read cells which they do not name', () => {
  it('have the same results as if all formulas were calculated after each edit', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const draw = createDraw(seed);
        const [book, complete] = [createBook(), createBook()];
        const cells = Array.from({ length: ROWS }, () => [1 + draw(6), draw(9), draw(9), drawElement(draw, ADDRESSES)]);
        for (const each of [book, complete]) {
          each.set('A1', cells);
          each.set('Other!A1', [[1], [2], [3], [4], [5], [6], [7], [8]]);
          enterFormulas(each);
        }
        for (let step = 0; step < 12; step++) {
          const edit = drawEdit(draw, book);
          const outcome = book.tryEdits([edit]);
          assert.equal(complete.tryEdits([edit, all]).kind, outcome.kind);
          // A preview, and a refused batch, must leave no trace.
          book.workbook.preview([drawEdit(draw, book)], book.context);
          const unaffordable = drawEdit(draw, book);
          if (book.workbook.apply([unaffordable], NO_BUDGET).kind === 'applied') complete.apply([unaffordable, all]);
          assert.deepEqual(describeValues(book.head), describeValues(complete.head), JSON.stringify(edit));
        }
      }),
      { numRuns: scaleRunCount(24) },
    );
  });

  it('are not calculated after edits of other cells', () => {
    const book = new Book('en-US');
    book.set(
      'A1',
      Array.from({ length: 400 }, (_, i) => [i, `=INDIRECT("A"&ROW())+SUM(INDIRECT("A"&ROW()&":A"&ROW()+2))`]),
    );
    book.context = SMALL_BUDGET;
    book.set('F1', 5);
    // Row 10 and the rows whose ranges contain A10.
    book.set('A10', 1_000);
    assert.deepEqual(book.grid('B7:B11'), [[27], [1_022], [1_026], [2_021], [43]]);
    book.set('A10', 9);
    assert.deepEqual(book.grid('B7:B11'), [[27], [31], [35], [39], [43]]);
  });

  it('are calculated after a refused batch, and after another process changed the document', () => {
    const book = new Book('en-US');
    book.set('A1', [['B1', 1, '=INDIRECT(A1)']]);
    const before = book.head;
    book.set('A1', 'B2');
    assert.equal(book.plainValue('C1'), 0);
    assert.ok(book.workbook.follow(before));
    book.set('B1', 7);
    assert.equal(book.plainValue('C1'), 7);
    book.set('B2', 8);
    assert.equal(book.plainValue('C1'), 7);
    book.workbook.preview([book.write('A1', 'B2')], book.context);
    book.set('B1', 9);
    assert.equal(book.plainValue('C1'), 9);
  });
});

describe('formulas with TODAY', () => {
  it('are calculated by the first batch of a new day only', () => {
    const book = new Book('en-US');
    book.set(
      'A1',
      Array.from({ length: 400 }, (_, i) => [`=TODAY()+${i}`]),
    );
    const today = book.value('A1') as number;
    book.context = SMALL_BUDGET;
    book.set('C1', 1);
    book.context = { ...SMALL_BUDGET, now: NOON + DAY };
    assert.equal(book.tryEdits([book.write('C1', 2)]).kind, 'refusal');
    book.context = createContext({ now: NOON + DAY });
    book.set('C1', 3);
    assert.deepEqual([book.value('A1'), book.value('A400')], [today + 1, today + 400]);
    book.context = { ...SMALL_BUDGET, now: NOON + DAY };
    book.set('C1', 4);
  });

  it('follow the time zone, and states of other days', () => {
    const book = new Book('en-US');
    book.set('A1', '=TODAY()');
    const today = book.value('A1') as number;
    const first = book.head;
    book.context = createContext({ now: NOON + DAY });
    book.set('C1', 1);
    assert.equal(book.value('A1'), today + 1);
    assert.ok(book.workbook.follow(first));
    assert.equal(book.value('A1'), today);
    book.set('C1', 2);
    assert.equal(book.value('A1'), today + 1);
  });
});
