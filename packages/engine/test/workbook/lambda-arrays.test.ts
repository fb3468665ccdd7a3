import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import type { Book } from './book.ts';
import { createMixedRows } from './mixed-rows.ts';

const ROWS = 90;
const KEY = `A1:A${ROWS}`;
const NUMBER = `B1:B${ROWS}`;
const DATE = `C1:C${ROWS}`;
const TEXT = `D1:D${ROWS}`;
/** Number of first rows whose keys the LAMBDAs get. */
const CALLS = 8;

/** Bodies of LAMBDAs by the text of their parameter, which is a key. */
const BODIES: readonly ((x: string) => string)[] = [
  (x) => `SUM(FILTER(${NUMBER};${KEY}=${x}))`,
  (x) => `SUM(FILTER(${NUMBER};(${KEY}=${x})*(${DATE}>C3)))`,
  (x) => `COUNT(FILTER(${NUMBER};${KEY}=${x};"none"))`,
  (x) => `SUMPRODUCT((${KEY}=${x})*${NUMBER})`,
  (x) => `SUMPRODUCT(--(${x}=${KEY});--(MONTH(${DATE})=2);${NUMBER})`,
  (x) => `SUM((${KEY}=${x})*(LEFT(${TEXT};1)="b")*${NUMBER})`,
  (x) => `MAX(IF(${KEY}=${x};${NUMBER}))`,
  (x) => `AVERAGE(IF(${KEY}&""=${x}&"";${NUMBER}+1))`,
  (x) => `TEXTJOIN("-";TRUE;UNIQUE(FILTER(${TEXT};${KEY}=${x})))`,
  (x) => `INDEX(FILTER(B1:D${ROWS};${KEY}=${x});1;2)`,
  (x) => `XLOOKUP(1;(${KEY}=${x})*(${NUMBER}>1);${DATE})`,
  (x) => `MATCH(TRUE;${KEY}=${x};0)`,
  (x) => `LOOKUP(2;1/(${KEY}=${x});${NUMBER})`,
  (x) => `AGGREGATE(14;6;${NUMBER}/(${KEY}=${x});1)`,
  (x) => `AGGREGATE(15;6;ROW(${KEY})/((${KEY}=${x})*(${NUMBER}>0));2)`,
  (x) => `LET(d;MONTH(${DATE});n;${NUMBER};SUM(FILTER(n;(d=3)*(${KEY}=${x});0)))`,
  (x) => `SUM(IF(${KEY}=INDEX(${KEY};MATCH(${x};${KEY};0));${NUMBER}))`,
  (x) => `SUM(N(${x}=${KEY});(${KEY}=${x})*2)`,
];

const keys: readonly Input[] = ['red', 'RED', 'blue', 'x*', '5', 5, '', null, 'zürich', true];
const odd: readonly Input[] = [0.3, 0, null, 'text', '', '5', false, { as: 'error', value: '#N/A' }];
const texts: readonly Input[] = ['ant', 'Ant', 'bee', 'beetle', 'cow', null, 7];
const VALUES = { keys, texts, odd };

/** Calls each body for the first keys in one formula; the results are in column F and further columns, by body. */
const CALLERS: readonly ((body: string) => string)[] = [
  (body) => `=MAP(A1:A${CALLS};LAMBDA(x;${body}))`,
  (body) => `=BYROW(A1:A${CALLS};LAMBDA(x;${body}))`,
  (body) => `=MAKEARRAY(${CALLS};1;LAMBDA(i;j;LET(x;INDEX(A1:A${CALLS};i);${body})))`,
  (body) => `=LET(k;A1:A${ROWS};f;LAMBDA(x;${body.replaceAll(KEY, 'k')});MAP(A1:A${CALLS};f))`,
  (body) => `=LET(k;VSTACK(A1:A${ROWS});b;VSTACK(${NUMBER});MAP(A1:A${CALLS};LAMBDA(x;${inStack(body)})))`,
];

/** The body with variables that contain arrays, except in ROW, which needs a range. */
function inStack(body: string): string {
  if (body.includes('ROW(')) return body;
  return body.replaceAll(KEY, 'k').replaceAll(NUMBER, 'b');
}

/** Compares the results of LAMBDAs with the same expressions, each calculated alone without a LAMBDA. */
function assertSameWithoutLambda(book: Book, alone: Book, caller: (body: string) => string): void {
  for (const [i, body] of BODIES.entries()) {
    const column = columnName(5 + i);
    book.set(`${column}1`, caller(body('x')));
    for (let row = 1; row <= CALLS; row++) {
      alone.set(`F1`, `=${body(`A${row}`)}`);
      const message = `${caller(body('x'))} row ${row}`;
      assert.notEqual(alone.plainValue('F1'), '#ERROR!', message);
      assert.deepEqual(book.plainValue(`${column}${row}`), alone.plainValue('F1') ?? 0, message);
    }
    alone.clear('F1');
  }
}

describe('arrays in the body of a LAMBDA', () => {
  for (const [index, caller] of CALLERS.entries()) {
    it(`give the same values as without a LAMBDA: ${caller('…')}`, () => {
      fc.assert(
        fc.property(fc.nat(), fc.nat(4), fc.integer({ min: CALLS, max: ROWS - 1 }), (seed, oddColumn, edited) => {
          const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
          for (const each of [book, alone]) each.set('A1', createMixedRows(ROWS, seed, VALUES, oddColumn));
          assertSameWithoutLambda(book, alone, caller);
          for (const each of [book, alone]) each.set(`A${edited + 1}`, [['red', 2.5, '2026-02-11', 'bee']]);
          assertSameWithoutLambda(book, alone, caller);
        }),
        { numRuns: scaleRunCount(index === 0 ? 12 : 5) },
      );
    });
  }

  it('keep their own values in formulas of several rows, and of nested LAMBDAs', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 300 }, (_, i) => [i % 3, i]),
    );
    // Each row reads its own window of 100 rows.
    const sums = Array.from({ length: 100 }, (_, i) => [
      `=SUM(MAP({0;1;2};LAMBDA(x;(x+1)*SUM(FILTER(B${i + 1}:B${i + 100};A${i + 1}:A${i + 100}=x)))))`,
    ]);
    book.set('D1', sums);
    for (const first of [0, 1, 50, 99]) {
      let expected = 0;
      for (let i = first; i < first + 100; i++) expected += ((i % 3) + 1) * i;
      assert.equal(book.plainValue(`D${first + 1}`), expected);
    }
    const nested = 'MAP({0;1};LAMBDA(y;SUM(FILTER(B1:B300;(A1:A300=x)*(MOD(B1:B300;2)=y)))))';
    book.set('F1', `=SUM(MAP({0;1;2};LAMBDA(x;x*SUM(${nested}))))`);
    let expected = 0;
    for (let i = 0; i < 300; i++) expected += (i % 3) * i;
    assert.equal(book.plainValue('F1'), expected);
  });

  it('of one column are calculated in linear time', () => {
    const book = createLargeBudgetBook('en-US');
    const rows = 4_000;
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [`key ${i >> 1}`, i]),
    );
    // Without an index, 2,000 calls for 4,000 rows are more cells than this budget.
    book.context = { ...book.context, budget: { cells: 400_000, milliseconds: 60_000, clock: () => 0 } };
    book.set('D1', `=MAP(UNIQUE(A1:A${rows});LAMBDA(x;SUM(FILTER(B1:B${rows};A1:A${rows}=x))))`);
    for (const key of [0, 1, 1_999]) assert.equal(book.plainValue(`D${key + 1}`), 4 * key + 1);
    // A formula with a spilled range is calculated on demand.
    book.set('F1', `=UNIQUE(A1:A${rows})`);
    book.set('G1', `=MAP(F1#;LAMBDA(x;SUM(FILTER(B1:B${rows};A1:A${rows}=x))))`);
    book.set('B4', 100);
    for (const column of ['D', 'G']) assert.deepEqual(book.grid(`${column}2:${column}3`), [[102], [9]]);
  });
});
