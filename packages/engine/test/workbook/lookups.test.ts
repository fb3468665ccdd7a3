import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Book, contextWith } from './dialect.ts';

/** Enough look-ups that the columns get an index. */
const TIMES = 6;

function lookUpBook(formula: (row: number) => string): Book {
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

describe('look-ups asked often enough for an index', () => {
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
    it(`=${formula} is ${result} every time`, () => {
      const book = lookUpBook(() => `=${formula}`);
      for (let i = 1; i <= TIMES; i++) assert.equal(book.plain(`E${i}`), result);
    });
  }

  it('follow what is written into their columns, and what is refused is not followed', () => {
    const book = lookUpBook(() => '=VLOOKUP("dog";A$1:B$9;2;FALSE)');
    assert.equal(book.plain('E1'), '#N/A');
    book.set('A8', [['dog', 8]]);
    assert.equal(book.value('E6'), 8);
    book.set('A2', 'dog');
    assert.equal(book.value('E6'), 2);
    const refused = book.try([book.write('A1', 'dog'), { kind: 'renameSheet', sheet: 1, name: '' }]);
    assert.equal(refused.kind, 'refusal');
    assert.equal(book.value('E6'), 2);
    book.clear('A2');
    assert.equal(book.value('E6'), 8);
  });

  it('count texts that read as the number, as each is written', () => {
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

  it('find a letter whose lower case is longer', () => {
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

  it('pay for going through equal numbers of a sorted column', () => {
    const book = new Book();
    book.set(
      'A1',
      Array.from({ length: 5_000 }, () => [1]),
    );
    book.context = contextWith({ budget: { cells: 10_000, milliseconds: 60_000, clock: () => 0 } });
    const formulas = Array.from({ length: TIMES }, () => ['=MATCH(1;A$1:A$5000)']);
    assert.deepEqual(book.try([book.write('E1', formulas)]), { kind: 'refusal', reason: 'calculationLimit' });
  });
});
