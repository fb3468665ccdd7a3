import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnName } from '../../src/grid/a1.ts';
import { Book, createContext } from './book.ts';

/** Enough lookups for the engine to create an index. */
const TIMES = 6;

function createLookupBook(formula: (row: number) => string): Book {
  const book = new Book();
  book.set('A1', [
    ['ant', 1],
    ['Bee', 2],
    [7, 3],
    ["'7", 4],
    ['bee', 5],
    ['c*', 6],
    [true, 7],
  ]);
  book.set(
    'E1',
    Array.from({ length: TIMES }, (_, i) => [formula(i + 1)]),
  );
  return book;
}

describe('lookups by an index', () => {
  const cases: readonly [formula: string, result: string | number][] = [
    ['VLOOKUP("BEE";A$1:B$7;2;FALSE)', 2],
    ['VLOOKUP(7;A$1:B$7;2;FALSE)', 3],
    ['VLOOKUP("7";A$1:B$7;2;FALSE)', 4],
    ['VLOOKUP("b*";A$1:B$7;2;FALSE)', 2],
    ['VLOOKUP("c~*";A$1:B$7;2;FALSE)', 6],
    ['VLOOKUP("none";A$1:B$7;2;FALSE)', '#N/A'],
    ['VLOOKUP(1/0;A$1:B$7;2;FALSE)', '#DIV/0!'],
    ['VLOOKUP("ant";A$1:B$7;3;FALSE)', '#REF!'],
    ['VLOOKUP("bee";A$3:B$7;2;FALSE)', 5],
    ['MATCH("bee";A$3:A$7;0)', 3],
    ['MATCH("bee";A$1:B$7;0)', '#N/A'],
    ['MATCH(TRUE;A$1:A$7;0)', 7],
    ['XLOOKUP(7;A$1:A$7;B$1:B$7)', 3],
    ['SUM(XLOOKUP("ant";A$1:A$7;B$1:B$7):XLOOKUP(7;A$1:A$7;B$1:B$7))', 6],
    ['SUMIFS(B$1:B$7;A$1:A$7;"bee")', 7],
    ['SUMIFS(B$1:B$7;A$1:A$7;7)', 7],
    ['SUMIF(A$1:A$7;7;B$1:B$7)', 7],
    ['COUNTIFS(A$1:A$7;"bee";B$1:B$7;">2")', 1],
    ['COUNTIF(A$2:A$7;"bee")', 2],
    ['AVERAGEIFS(B$1:B$7;A$1:A$7;"none")', '#DIV/0!'],
  ];
  for (const [formula, result] of cases) {
    it(`=${formula} is ${result} with and without the index`, () => {
      const book = createLookupBook(() => `=${formula}`);
      for (let i = 1; i <= TIMES; i++) assert.equal(book.plainValue(`E${i}`), result);
    });
  }

  it('find written values, but not values of refused batches', () => {
    const book = createLookupBook(() => '=VLOOKUP("dog";A$1:B$9;2;FALSE)');
    assert.equal(book.plainValue('E1'), '#N/A');
    book.set('A8', [['dog', 8]]);
    assert.equal(book.value('E6'), 8);
    book.set('A2', 'dog');
    assert.equal(book.value('E6'), 2);
    const outcome = book.tryEdits([book.write('A1', 'dog'), { kind: 'renameSheet', sheet: 1, name: '' }]);
    assert.equal(outcome.kind, 'refusal');
    assert.equal(book.value('E6'), 2);
    book.clear('A2');
    assert.equal(book.value('E6'), 8);
  });

  it('count texts that can be read as the number', () => {
    const book = new Book();
    const counts = () => book.grid(`E1:E${TIMES}`).flat();
    book.set('D1', '=DATE(2026;12;31)+10/24');
    book.set('A1', [['2026-12-31t10:00'], ['2026-12-31T10:00']], 'raw');
    book.set(
      'E1',
      Array.from({ length: TIMES }, () => ['=COUNTIF($A$1:$A$3;$D$1)']),
    );
    assert.deepEqual(counts(), Array(TIMES).fill(1));
    book.set('A1', [['2026-12-31T10:00'], ['2026-12-31t10:00']], 'raw');
    assert.deepEqual(counts(), Array(TIMES).fill(1));
    book.set('A2', '2026-12-31T10:00', 'raw');
    assert.deepEqual(counts(), Array(TIMES).fill(2));
  });

  it('find a letter whose lower case has more characters', () => {
    for (const times of [1, TIMES]) {
      const book = new Book();
      book.set('A1', [['Ankara'], ['İstanbul']]);
      book.set(
        'E1',
        Array.from({ length: times }, () => ['=XMATCH("İstanbul";A$1:A$2)']),
      );
      assert.deepEqual(book.grid(`E1:E${times}`).flat(), Array(times).fill(2));
    }
  });

  it('skip equal numbers of a sorted column by chunk', () => {
    const book = new Book();
    book.set(
      'A1',
      Array.from({ length: 5_000 }, () => [1]),
    );
    book.context = createContext({ budget: { cells: 5_000, milliseconds: 60_000, clock: () => 0 } });
    const formulas = Array.from({ length: TIMES }, () => ['=MATCH(1;A$1:A$5000)']);
    book.set('E1', formulas);
    assert.deepEqual(book.grid(`E1:E${TIMES}`), Array(TIMES).fill([5_000]));
  });
});

describe('the cost of lookups by an index', () => {
  const ROWS = 2_000;
  const budget = (cells: number) => createContext({ budget: { cells, milliseconds: 60_000, clock: () => 0 } });
  const rows = (cell: (row: number) => string | number) => Array.from({ length: ROWS }, (_, i) => [cell(i + 1)]);

  it('is not higher with INDIRECT in cells that depend on each other', () => {
    const book = new Book();
    book.set(
      'A1',
      rows((row) => row),
    );
    book.context = budget(20 * ROWS);
    book.set(
      'B1',
      rows((row) => `=MATCH(${row};A$1:A$${ROWS};0)+COUNTIF(A$1:A$${ROWS};A${row})+INDIRECT("A${row}")`),
    );
    assert.equal(book.value(`B${ROWS}`), 2 * ROWS + 1);
    book.set('A1', 0);
    assert.deepEqual(book.grid('B1:B3'), [['#N/A'], [5], [7]]);
  });

  it('is not higher in the hundredth column', () => {
    const columns = 100;
    const book = new Book();
    book.set(
      'A1',
      Array.from({ length: ROWS }, (_, r) => Array.from({ length: columns }, (_, c) => r + c)),
    );
    const far = (row: number) =>
      Array.from({ length: columns }, (_, c) => `=MATCH(${c + row};R1C${c + 1}:R${ROWS}C${c + 1};0)`);
    book.context = budget(300 * ROWS);
    const inA1 = (text: string) => text.replace(/R(\d+)C(\d+)/g, (_, r, c) => `${columnName(Number(c) - 1)}$${r}`);
    book.set(
      'DA1',
      Array.from({ length: 40 }, (_, row) => far(row).map(inA1)),
    );
    assert.equal(book.value('DA1'), 1);
    assert.equal(book.value('DB40'), 40);
  });

  it('does not grow when a column of equal values is overwritten from either end', () => {
    const book = new Book();
    book.set(
      'A1',
      rows(() => 'a'),
    );
    book.set('C1', [['=COUNTIF(A:A;"a")', '=COUNTIF(A:A;"b")', '=COUNTIF(A:A;"A")', '=MATCH("a";A:A;0)']]);
    for (const [at, expected] of [
      ['A1', [ROWS - 300, 300, ROWS - 300, 301]],
      [`A${ROWS - 299}`, [ROWS - 600, 600, ROWS - 600, 301]],
    ] as const) {
      book.set(at, rows(() => 'b').slice(0, 300));
      assert.deepEqual(book.grid('C1:F1'), [expected]);
    }
  });
});
