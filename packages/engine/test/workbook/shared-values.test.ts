import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook } from './alone.ts';
import { Book } from './book.ts';
import { createMixedRows } from './mixed-rows.ts';
import { parseMove } from './parse-move.ts';

const ROWS = 90;
const KEY = `A$1:A$${ROWS}`;
const NUMBER = `B$1:B$${ROWS}`;
const DATE = `C$1:C$${ROWS}`;
const TEXT = `D$1:D$${ROWS}`;

/** Formulas for a row with arrays that are the same for all rows. Columns: keys, numbers, dates, texts. */
const FORMULAS: readonly ((row: number) => string)[] = [
  (row) => `SUMPRODUCT((${KEY}=A${row})*${NUMBER}*${DATE})`,
  (row) => `SUMPRODUCT((MONTH(${DATE})=MONTH(C${row}))*(YEAR(${DATE})=YEAR(C${row}))*${NUMBER})`,
  (row) => `SUMPRODUCT(--(${KEY}=A${row});--(MONTH(${DATE})<=MONTH(C${row}));${NUMBER};${DATE})`,
  (row) => `SUMPRODUCT(--(LEFT(${TEXT};2)=LEFT(D${row};2)))`,
  (row) => `SUMPRODUCT(--ISNUMBER(SEARCH(LEFT(D${row};2);${TEXT})))`,
  (row) => `SUMPRODUCT((${KEY}=A${row})/COUNTIF(${KEY};${KEY}&""))`,
  (row) => `SUMPRODUCT(((${KEY}=A${row})+(${NUMBER}=B${row})>0)*${NUMBER})`,
  (row) => `SUMPRODUCT((A${row}=${KEY})*-(${NUMBER}-1=B${row}-1)*${NUMBER})`,
  (row) => `SUM((${NUMBER}*10=B${row}*10)*${DATE})`,
  (row) => `SUMPRODUCT((${KEY}=A${row})*ISNUMBER(SEARCH(LEFT(D${row};1);${TEXT}))*${NUMBER})`,
  (row) => `SUMPRODUCT(--ISNUMBER(SEARCH(LEFT(D${row};1);${TEXT}));--(${KEY}=A${row});${NUMBER})`,
  (row) => `SUM((${KEY}=A${row})*ISERROR(${NUMBER}/B${row})*-ISTEXT(${TEXT}&D${row}))`,
  (row) => `SUMPRODUCT((${KEY}=A${row})*(ABS(${NUMBER}-B${row})<=1)*${DATE})`,
  (row) => `SUMPRODUCT((${KEY}=A${row})*(INT(${NUMBER}*2-B${row})>=-(SIGN(${DATE}-C${row})+B${row}))*${DATE})`,
  (row) => `SUM((${TEXT}=D${row})*(ABS(${DATE}-C${row})<3)*(${NUMBER}+B${row}>1))`,
  (row) => `SUM(--(${TEXT}&${KEY}=D${row}&A${row}))`,
  (row) => `SUM(IF(${NUMBER}=B${row};${DATE};0))`,
  (row) => `SUM(IF((${KEY}=A${row})*(${NUMBER}+0>1);${NUMBER}))`,
  (row) => `MAX(IF(${KEY}=A${row};IF(${NUMBER}<>B${row};${DATE})))`,
  (row) => `MIN(IF(${KEY}=A${row};${DATE};""))`,
  (row) => `AVERAGE(IF(${KEY}=A${row};${NUMBER}))`,
  (row) => `MEDIAN(IF(${TEXT}=D${row};${NUMBER}))`,
  (row) => `STDEV(IF(${KEY}=A${row};${NUMBER}))`,
  (row) => `COUNT(IF(${KEY}=A${row};${NUMBER}))`,
  (row) => `LARGE(IF(${KEY}=A${row};${DATE});2)`,
  (row) => `INDEX(${DATE};SMALL(IF(${KEY}=A$1;ROW(${KEY}));ROWS(A$1:A${row})))`,
  (row) => `SMALL(${NUMBER}*2;ROWS(A$1:A${row}))`,
  (row) => `TEXTJOIN(";";TRUE;IF(${KEY}=A${row};${TEXT};""))`,
  (row) => `TEXTJOIN(";";TRUE;UNIQUE(FILTER(${TEXT};${KEY}=A${row})))`,
  (row) => `SUM(FILTER(${NUMBER};(${KEY}=A${row})*(${DATE}>C${row})))`,
  (row) => `COUNTA(UNIQUE(FILTER(${NUMBER};${TEXT}=D${row};"none")))`,
  (row) => `INDEX(SORT(FILTER(B$1:D$${ROWS};${KEY}=A${row});2;-1);1;2)`,
  (row) => `MATCH(A${row}&"|"&B${row};${KEY}&"|"&${NUMBER};0)`,
  (row) => `XLOOKUP(D${row}&A${row};${TEXT}&${KEY};${DATE})`,
  (row) => `XMATCH(LEFT(D${row};1)&"*";${TEXT}&"";2)`,
  (row) => `MATCH(1;(LEFT(${TEXT};1)=LEFT(D${row};1))*(${KEY}=A${row});0)`,
  (row) => `MATCH(TRUE;${NUMBER}/2=B${row}/2;0)`,
  (row) => `MATCH(1;(${KEY}=A${row})*(ABS(${NUMBER}-B${row})<=1);0)`,
  (row) => `MATCH(1;(ABS(${DATE}-C${row})<3)*(${KEY}=A${row})*(LEFT(${TEXT};1)=LEFT(D${row};1));0)`,
  (row) => `XLOOKUP(1;(${TEXT}=D${row})*(ROUND(${NUMBER}-B${row};0)=0);${DATE})`,
  (row) => `XLOOKUP(1;(${KEY}=A${row})*(ABS(${NUMBER}-B${row})<=2);${DATE};"none";0;-1)`,
  (row) => `LOOKUP(2;1/((${KEY}=A${row})*(${NUMBER}+${DATE}>=B${row}+C${row}));${TEXT})`,
  (row) => `INDEX(${DATE};MATCH(1;(${KEY}=A${row})*(${KEY}&B${row}=${KEY}&${NUMBER});0))`,
  (row) => `XMATCH(1;-(${KEY}=A${row})*-(MOD(${NUMBER};B${row})=0))`,
  (row) => `MATCH(1;(${NUMBER}>0)*ISNUMBER(SEARCH(LEFT(D${row};1);${TEXT}))*(${KEY}=A${row});0)`,
  (row) => `XLOOKUP(1;(${KEY}=A${row})*(MONTH(${DATE})=MONTH(C${row}));${DATE})`,
  (row) => `LOOKUP(2;1/(${TEXT}&""=D${row}&"");${DATE})`,
  (row) => `INDEX(SORT(${NUMBER});${row})`,
  (row) => `INDEX(UNIQUE(${KEY});ROWS(A$1:A${row}))`,
  (row) => `B${row}/SUMPRODUCT(1/COUNTIF(${KEY};${KEY}))`,
  (row) => `SUMPRODUCT((${KEY}=A${row})*(${NUMBER}>AVERAGE(${NUMBER})))+LET(SUM;LAMBDA(x;1);SUM(${NUMBER}*2))`,
  (row) => `IFERROR(SUM(IF(A:A=A${row};B:B));0)+SUM((MONTH(C:C)=MONTH(C${row}))*1)`,
  (row) => `COUNT(IF(E$1:E$${ROWS}=A${row};1))`,
  (row) => `AGGREGATE(15;6;ROW(${KEY})/(${KEY}=A${row});COUNTIF(A$1:A${row};A${row}))`,
  (row) => `INDEX(${DATE};AGGREGATE(15;6;ROW(${KEY})/((${KEY}=A${row})*(${NUMBER}>=B${row}));1))`,
  (row) => `AGGREGATE(14;6;${NUMBER}/(${KEY}=A${row})/--(MONTH(${DATE})=MONTH(C${row}));1)`,
  (row) => `AGGREGATE(16;7;${NUMBER}*${DATE}/(${TEXT}=D${row});1/2)`,
  (row) => `AGGREGATE(14;6;IF(${KEY}=A${row};${TEXT}/1;"");1)`,
  (row) => `AGGREGATE(14;4;${NUMBER}/(${KEY}=A${row});1)`,
  (row) => `AGGREGATE(15;6;${TEXT}/(${KEY}=A${row});ROWS(A$1:A${row}))`,
  (row) => `AGGREGATE(15;6;ROW(${KEY})/(${KEY}=A$1);ROWS(A$1:A${row}))`,
  (row) => `LARGE(IF((${KEY}=A${row})*(${TEXT}=D${row});${NUMBER});1)`,
  (row) => `MAX(IF(keys=A${row};numbers))+SUMPRODUCT((keys=A${row})*(MONTH(dates)=MONTH(C${row})))`,
  (row) => `SUM(FILTER(numbers;keys=A${row}))`,
  (row) => `LET(k;keys;d;${DATE};m;MONTH(C${row});SUMPRODUCT((k=A${row})*(MONTH(d)=m)*numbers))`,
  (row) => `LET(k;${KEY};LET(k;${TEXT};SUM((k=D${row})*1))+COUNT(IF(k=A${row};1)))`,
  (row) => `SUM((${KEY}=INDEX(${KEY};${row}))*1)`,
  (row) => `INDEX(${DATE};MATCH(1;INDEX((${KEY}=A${row})*(${NUMBER}=B${row});0);0))`,
  (row) => `MATCH(1;INDEX((LEFT(${TEXT};1)=LEFT(D${row};1))*(${KEY}=A${row});0;1);0)`,
  (row) => `MATCH(TRUE;INDEX(${KEY}&""=A${row}&"";);0)`,
  (row) => `LOOKUP(2;INDEX(1/(${KEY}=A${row});0);${DATE})`,
];

/** Names of ranges, which formulas use like the ranges. */
const NAMES = { keys: 'A', numbers: 'B', dates: 'C' };

const keys: readonly Input[] = ['red', 'RED', 'blue', 'x*', '5', '', 'zürich', 'green'];
/** Cells that arrays convert, compare or pass on in another way than numbers and texts. */
const odd: readonly Input[] = [0.3, 0.1 + 0.2, 0, null, 'text', '', '5', true, false, { as: 'error', value: '#N/A' }];
const texts: readonly Input[] = ['ant', 'Ant', 'bee', 'a?', 'beetle', 'cow', null, 'straße', 7];
const VALUES = { keys, texts, odd };

/** The first column of formulas. Column E contains formulas that other formulas read. */
const FIRST = 5;

/** All formulas of some rows, with their cells. */
function listFormulas(rows: readonly number[]) {
  return FORMULAS.flatMap((create, i) =>
    rows.map((row) => ({ ref: `${columnName(FIRST + i)}${row}`, formula: `=${create(row)}` })),
  );
}

describe('arrays that are the same for all formulas of a column', () => {
  it('give the same values and formats as formulas that are calculated alone', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(4), fc.nat(ROWS - 1), (seed, oddColumn, edited) => {
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        const data = createMixedRows(ROWS, seed, VALUES, oddColumn);
        for (const each of [book, alone]) {
          for (const [name, column] of Object.entries(NAMES)) {
            each.apply([{ kind: 'setName', name, refersTo: `=Sheet1!$${column}$1:$${column}$${ROWS}` }]);
          }
          each.set('A1', data);
          each.set(
            'E1',
            data.map((_, i) => [`=A${i + 1}&""`]),
          );
        }
        book.set(
          `${columnName(FIRST)}1`,
          data.map((_, i) => FORMULAS.map((create) => `=${create(i + 1)}`)),
        );
        const formulas = listFormulas([1, 2, 1 + (seed % ROWS), edited + 1]);
        // The displayed text contains the inferred format, which a formula takes when it is entered.
        assertSameAlone(book, alone, formulas, (each, ref) => each.view(ref));
        for (const each of [book, alone]) each.set(`A${edited + 1}`, [['red', 2.5, '2026-02-11', 'bee']]);
        assertSameAlone(book, alone, formulas, (each, ref) => each.plainValue(ref));
      }),
      { numRuns: scaleRunCount(24) },
    );
  });

  it('find the first and the last of many elements with the same key', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 500 }, (_, i) => ['key', i]),
    );
    const product = (row: number) => `($A$1:$A$500=A${row})*(ABS($B$1:$B$500-D${row})<=1)`;
    book.set(
      'D1',
      [401, 31, 32, 0, 600].map((wanted, i) => [
        wanted,
        `=MATCH(1;${product(i + 1)};0)`,
        `=LOOKUP(2;1/(${product(i + 1)});$B$1:$B$500)`,
      ]),
    );
    // Row n contains n - 1. The numbers next to the wanted one match, too.
    const found = [1, 2, 3, 4, 5].map((row) => [book.plainValue(`E${row}`), book.plainValue(`F${row}`)]);
    assert.deepEqual(found, [
      [401, 402],
      [31, 32],
      [32, 33],
      [1, 1],
      ['#N/A', '#N/A'],
    ]);
  });

  it('are not mixed up by functions that omit other elements of the same rows', () => {
    const book = createLargeBudgetBook('en-US');
    const rows = Array.from({ length: 90 }, (_, i): [string, Input] => {
      return [`k${i % 3}`, i % 2 === 0 ? i : { as: 'text', value: String(i) }];
    });
    book.set('A1', rows);
    const selected = (row: number) => `$A$1:$A$90=$A${row}`;
    const readers = [
      (row: number) => `=MAX(IF(${selected(row)};$B$1:$B$90))`,
      (row: number) => `=AGGREGATE(14;6;$B$1:$B$90/(${selected(row)});1)`,
      (row: number) => `=TEXTJOIN(" ";TRUE;IF(${selected(row)};$B$1:$B$90;""))`,
    ];
    for (const [i, formulas] of [readers, readers.toReversed()].entries()) {
      book.set(
        i === 0 ? 'D1' : 'H1',
        rows.map((_, row) => formulas.map((create) => create(row + 1))),
      );
    }
    for (const key of [0, 1, 2]) {
      const numbers = rows.map((_, i) => i).filter((i) => i % 3 === key);
      // MAX omits texts, and the division converts them.
      const expected = [Math.max(...numbers.filter((i) => i % 2 === 0)), Math.max(...numbers), numbers.join(' ')];
      const row = 61 + key;
      assert.deepEqual(book.grid(`D${row}:F${row}`), [expected]);
      assert.deepEqual(book.grid(`H${row}:J${row}`), [expected.toReversed()]);
    }
  });

  it('follow a name that is defined for other cells', () => {
    const book = new Book('en-US');
    book.set(
      'A1',
      Array.from({ length: 100 }, (_, i) => [i % 10, i]),
    );
    const define = (range: string) => book.apply([{ kind: 'setName', name: 'keys', refersTo: `=Sheet1!${range}` }]);
    define('$A$1:$A$100');
    book.set(
      'D1',
      Array.from({ length: 100 }, (_, i) => [`=SUM((keys=A${i + 1})*1)`]),
    );
    assert.deepEqual([book.value('D1'), book.value('D100')], [10, 10]);
    define('$A$1:$A$50');
    assert.deepEqual([book.value('D1'), book.value('D100')], [5, 5]);
    define('$B$1:$B$100');
    assert.deepEqual([book.value('D1'), book.value('D100')], [1, 1]);
    book.apply([{ kind: 'deleteName', name: 'keys' }]);
    assert.equal(book.plainValue('D100'), '#NAME?');
  });

  it('do not depend on cells whose position alone matters', () => {
    const book = new Book('en-US');
    book.set(
      'A1',
      Array.from({ length: 80 }, (_, i) => [80 - i]),
    );
    // The ranges in ROWS contain the cells of the formulas.
    book.set(
      'C1',
      Array.from({ length: 80 }, (_, i) => [`=SMALL(A$1:A$80*2;ROWS(C$1:C${i + 1}))`]),
    );
    assert.deepEqual([book.value('C1'), book.value('C80')], [2, 160]);
    book.set('A80', 100);
    assert.deepEqual([book.value('C1'), book.value('C80')], [4, 200]);
    book.apply([{ kind: 'moveCells', move: parseMove('insert rows 10 1', (name) => book.sheetId(name)) }]);
    assert.equal(book.formula('C81'), '=SMALL(A$1:A$81*2;ROWS(C$1:C81))');
    // The inserted row is a blank, which is 0 times 2, so that there are 81 numbers.
    assert.equal(book.value('C81'), 200);
  });

  it('are calculated again after an array formula filled cells that they read', () => {
    const readers: readonly ((row: number) => string)[] = [
      (row) => `=SUMPRODUCT((M$2:M$${ROWS}=B${row})*1)`,
      (row) => `=SUMPRODUCT((M$2:M$${ROWS}*2=2*B${row})*1)`,
      (row) => `=MATCH(B${row}&"";M$2:M$${ROWS}&"";0)`,
      (row) => `=INDEX(SORT(M$2:M$${ROWS});B${row}-1)`,
      (row) => `=MAX(IF(M$2:M$${ROWS}=B${row};M$2:M$${ROWS}))`,
    ];
    const book = new Book('en-US');
    const rows = Array.from({ length: ROWS - 1 }, (_, i) => i + 2);
    book.set(
      'B2',
      rows.map((row) => [row]),
    );
    // The formulas do not read M1. They are calculated first, and again after the array filled the cells below M1.
    book.apply([
      book.write(
        'E2',
        rows.map((row) => readers.map((create) => create(row))),
      ),
      book.write('M1', `=SEQUENCE(${ROWS})`),
    ]);
    for (const row of rows) assert.deepEqual(book.grid(`E${row}:I${row}`), [[1, 1, row - 1, row, row]]);
  });
});
