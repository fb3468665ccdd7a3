import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { assertSameAlone, createLargeBudgetBook, listFormulas } from './alone.ts';
import type { Book } from './book.ts';
import { createDraw, type Draw, drawElement } from './draw.ts';

/** Statistics of long columns are combined from blocks of rows, which formulas of a column share. */

const ROWS = 640;
/** Rows of a window that is measured by blocks. */
const WINDOW = 270;

const ONE_COLUMN = [
  ...['SKEW', 'SKEW.P', 'KURT', 'AVEDEV', 'GEOMEAN', 'HARMEAN', 'AVERAGEA', 'STDEVA', 'STDEVPA', 'VARA', 'VARPA'],
  ...['MODE.SNGL'],
];
const TWO_COLUMNS = [
  ...['CORREL', 'RSQ', 'SLOPE', 'INTERCEPT', 'STEYX', 'COVARIANCE.P', 'COVARIANCE.S'],
  ...['SUMXMY2', 'SUMX2MY2', 'SUMX2PY2'],
];

/** Formulas for rows whose column A has values of all types. Columns B to D have numbers. */
const FORMULAS: readonly ((row: number) => string)[] = [
  ...ONE_COLUMN.flatMap((name) => [
    (row: number) => `${name}(B$1:B${row})`,
    (row: number) => `${name}(A${row}:A$${ROWS})`,
    (row: number) => `${name}(B${row}:B${row + WINDOW})`,
  ]),
  ...TWO_COLUMNS.flatMap((name) => [
    (row: number) => `${name}(A$1:A${row};B$1:B${row})`,
    (row: number) => `${name}(B${row}:B${row + WINDOW};A${row + 3}:A${row + WINDOW + 3})`,
    (row: number) => `${name}(A$1:A$${ROWS};B$1:B$${ROWS})+B${row}`,
  ]),
  (row) => `FORECAST(B${row};B$1:B$${ROWS};A$1:A$${ROWS})`,
  (row) => `TRIMMEAN(B$1:B${row};1/5)`,
  (row) => `TRIMMEAN(A${row}:A$${ROWS};1/10)`,
  (row) => `AVEDEV(A$1:B${row})`,
  (row) => `NPV(1/20;B$1:B${row})`,
  (row) => `NPV(-1/2;A${row}:A$${ROWS})`,
  (row) => `NPV(B${row}/9;B$1:B$${ROWS})`,
  (row) => `SKEW(B:B)+A${row}`,
  (row) => `MODE(B$1:B${row};"1")`,
  (row) => `Z.TEST(B$1:B$${ROWS};B${row})`,
  (row) => `T.TEST(A$1:A${row};B$1:B$${ROWS};2;3)`,
  (row) => `T.TEST(A$1:A${row};B$1:B${row};1;1)`,
  (row) => `F.TEST(A${row}:A$${ROWS};B$1:B$${ROWS})`,
  (row) => `TREND(B$1:B$${ROWS};C$1:C$${ROWS};C${row})`,
  (row) => `TREND(B$1:B$${ROWS};C$1:C$${ROWS};C${row};FALSE)`,
  (row) => `GROWTH(C$1:C$${ROWS};B$1:B$${ROWS};B${row})`,
  (row) => `INDEX(LINEST(B$1:B$${ROWS};C$1:C$${ROWS};TRUE;TRUE);3;1)+C${row}`,
  (row) => `SUM(TREND(B$1:B$${ROWS};C$1:D$${ROWS};C${row}:D${row}))`,
  (row) => `INDEX(FREQUENCY(B$1:B$${ROWS};C${row});1)`,
  (row) => `SUM(FREQUENCY(A$1:A${row};C${row}:C${row + 4})*{1;2;3;4;5;6})`,
  (row) => `ROWS(UNIQUE(A$1:A${row}))`,
  (row) => `COUNTA(UNIQUE(A$1:A${row}))`,
  (row) => `ROWS(UNIQUE(A${row}:A$900))`,
  (row) => `COUNTA(UNIQUE(B:B))+C${row}`,
];

const OTHERS: readonly Input[] = ['text', '3', '', null, true, false];

const drawNumber = (draw: Draw) => 1 + draw(400) / 8;
const drawInput = (draw: Draw): Input => (draw(6) === 0 ? drawElement(draw, OTHERS) : drawNumber(draw));

const FIRST = 5;

const readPlain = (book: Book, ref: string) => book.plainValue(ref);

describe('statistics of long columns', () => {
  it('are the same as those of a formula that is calculated alone, after every edit', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(ROWS - 1), (seed, edited) => {
        const draw = createDraw(seed);
        const [book, alone] = [createLargeBudgetBook('en-US'), createLargeBudgetBook('en-US')];
        const data = Array.from({ length: ROWS }, () => [
          drawInput(draw),
          ...[drawNumber(draw), drawNumber(draw), drawNumber(draw)],
        ]);
        for (const each of [book, alone]) each.set('A1', data, 'raw');
        book.set(
          `${columnName(FIRST)}1`,
          data.map((_, i) => FORMULAS.map((create) => `=${create(i + 1)}`)),
        );
        const formulas = listFormulas(FORMULAS, FIRST, [...new Set([1, 256, 257, 1 + (seed % ROWS), ROWS])]);
        assertSameAlone(book, alone, formulas, readPlain);
        const edits: readonly [string, Input][] = [
          [`B${edited + 1}`, 7.25],
          [`A${1 + draw(ROWS)}`, '=1/0'],
          [`B${1 + draw(ROWS)}`, '=NA()'],
          [`A${edited + 1}`, 'text'],
        ];
        for (const [ref, input] of edits) {
          for (const each of [book, alone]) each.set(ref, input);
          assertSameAlone(book, alone, formulas, readPlain);
        }
      }),
      { numRuns: scaleRunCount(3) },
    );
  });

  it('of several ranges are the same as those of one range with the same numbers', () => {
    const book = createLargeBudgetBook('en-US');
    const draw = createDraw(2);
    book.set(
      'A1',
      Array.from({ length: ROWS }, () => [drawNumber(draw)]),
    );
    const half = ROWS / 2;
    for (const name of ONE_COLUMN) {
      const ranges = `A1:A${half};A${half + 1}:A${ROWS}`;
      book.set('E1', [[`=ROUND(${name}(${ranges});9)`, `=ROUND(${name}(A1:A${ROWS});9)`, `=${name}(A1:A${half})`]]);
      assert.equal(book.value('E1'), book.value('F1'), name);
      assert.notEqual(book.value('E1'), book.value('G1'), name);
    }
  });

  it('do not depend on cells below and beside the range', () => {
    const book = createLargeBudgetBook('en-US');
    const draw = createDraw(1);
    book.set(
      'A1',
      Array.from({ length: ROWS }, () => [drawNumber(draw), drawNumber(draw)]),
    );
    const formula = '=SKEW(A3:A900)&CORREL(A3:A400;B3:B400)';
    book.set('E1', formula);
    const before = book.value('E1');
    book.set('B800', 1);
    book.set('E2', formula);
    assert.equal(book.value('E2'), before);
  });
});

/** The quotient of two integers, rounded to a double. */
function divide(dividend: bigint, divisor: bigint): number {
  const SCALE = 200;
  return Number((dividend << BigInt(SCALE)) / divisor) / 2 ** SCALE;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

/** The sum of the products of distances from the means, times a power of the count. */
function sumOfProducts(...lists: readonly (readonly bigint[])[]): bigint {
  const distances = lists.map((values) => {
    const total = sum(values);
    return values.map((value) => value * BigInt(values.length) - total);
  });
  return sum(distances[0]!.map((_, i) => distances.reduce((product, list) => product * list[i]!, 1n)));
}

/** The exact values of statistics of integers, as fractions of integers. */
const EXACT: Readonly<Record<string, (xs: readonly bigint[], ys: readonly bigint[]) => number>> = {
  'SKEW(A1:A600)': (xs) => {
    const n = xs.length;
    const [squares, cubes] = [sumOfProducts(xs, xs), sumOfProducts(xs, xs, xs)];
    const size = Math.sqrt(divide(cubes * cubes, squares * squares * squares));
    return ((n * Math.sqrt(n - 1)) / (n - 2)) * (cubes < 0n ? -size : size);
  },
  'KURT(A1:A600)': (xs) => {
    const n = BigInt(xs.length);
    const [squares, fourths] = [sumOfProducts(xs, xs), sumOfProducts(xs, xs, xs, xs)];
    const divisor = (n - 2n) * (n - 3n);
    return divide(n * (n + 1n) * (n - 1n) * fourths - 3n * (n - 1n) ** 2n * squares ** 2n, divisor * squares ** 2n);
  },
  'AVEDEV(A1:A600)': (xs) => {
    const n = BigInt(xs.length);
    const total = sum(xs);
    return divide(sum(xs.map((x) => (x * n > total ? x * n - total : total - x * n))), n * n);
  },
  'TRIMMEAN(A1:A600;1/10)': (xs) => {
    const kept = xs.toSorted((a, b) => (a < b ? -1 : 1)).slice(30, -30);
    return divide(sum(kept), BigInt(kept.length));
  },
  'VARA(A1:A600)': (xs) => divide(sumOfProducts(xs, xs), BigInt(xs.length) ** 2n * BigInt(xs.length - 1)),
  'HARMEAN(A1:A600)': (xs) => {
    const SCALE = 1n << 400n;
    return divide(BigInt(xs.length) * SCALE, sum(xs.map((x) => SCALE / x)));
  },
  'NPV(1/4;A1:A600)': (xs) =>
    divide(sum(xs.map((x, i) => x * 4n ** BigInt(i + 1) * 5n ** BigInt(xs.length - i - 1))), 5n ** BigInt(xs.length)),
  'CORREL(A1:A600;B1:B600)': (xs, ys) => {
    const product = sumOfProducts(xs, ys);
    const size = Math.sqrt(divide(product * product, sumOfProducts(xs, xs) * sumOfProducts(ys, ys)));
    return product < 0n ? -size : size;
  },
  'SLOPE(A1:A600;B1:B600)': (ys, xs) => divide(sumOfProducts(xs, ys), sumOfProducts(xs, xs)),
  'FORECAST(12345;A1:A600;B1:B600)': (ys, xs) => {
    const n = BigInt(xs.length);
    const squares = sumOfProducts(xs, xs);
    return divide(sum(ys) * squares + sumOfProducts(xs, ys) * (12_345n * n - sum(xs)), n * squares);
  },
  'STEYX(A1:A600;B1:B600)': (ys, xs) => {
    const [xx, yy, xy] = [sumOfProducts(xs, xs), sumOfProducts(ys, ys), sumOfProducts(xs, ys)];
    const n = BigInt(xs.length);
    return Math.sqrt(divide(yy * xx - xy * xy, xx * n * n * (n - 2n)));
  },
};

/** Relative error of a result of about a thousand roundings. */
const TOLERANCE = 1e-13;

describe('the accuracy of statistics of long columns', () => {
  for (const [formula, computeExact] of Object.entries(EXACT)) {
    for (const offset of [1, 1_000_000_000]) {
      it(`${formula} is the exact result, with numbers from ${offset} on`, () => {
        const draw = createDraw(offset + formula.length);
        const data = Array.from({ length: 600 }, () => {
          const x = draw(1000);
          return [offset + x, offset + draw(1000) + x] as const;
        });
        const book = createLargeBudgetBook('en-US');
        book.set('A1', data);
        book.set('E1', `=${formula}`);
        const expected = computeExact(
          data.map(([x]) => BigInt(x)),
          data.map(([, y]) => BigInt(y)),
        );
        const actual = Number(book.value('E1'));
        assert.ok(Math.abs(actual - expected) <= TOLERANCE * Math.abs(expected), `${actual}, not ${expected}`);
      });
    }
  }

  it('large and small numbers neither overflow nor underflow', () => {
    const book = createLargeBudgetBook('en-US');
    const draw = createDraw(3);
    const numbers = Array.from({ length: 400 }, () => 1 + draw(1000));
    for (const scale of [1, 1e-100, 1e120]) {
      book.set(
        'A1',
        numbers.map((number) => [number * scale]),
      );
      book.set('E1', [['=ROUND(SKEW(A1:A400);9)', '=ROUND(KURT(A1:A400);9)']]);
      book.set(scale === 1 ? 'E2' : 'E3', [[book.value('E1') as number, book.value('F1') as number]]);
      if (scale !== 1) assert.deepEqual(book.grid('E3:F3'), book.grid('E2:F2'));
    }
  });

  it('equal numbers have no deviations', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 300 }, (_, i) => [0.1, i]),
    );
    book.set('E1', [['=SKEW(A1:A300)', '=AVEDEV(A1:A300)', '=SLOPE(B1:B300;A1:A300)', '=CORREL(A1:A300;B1:B300)']]);
    assert.deepEqual(book.grid('E1:H1'), [['#DIV/0!', 0, '#DIV/0!', '#DIV/0!']]);
  });
});
