import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { columnName, type Input } from '../../src/index.ts';
import { createLargeBudgetBook } from './alone.ts';
import { createDraw, drawElement } from './draw.ts';

const ROWS = 200;

/**
 * Formulas for a row, and the same with `+0` at each comparison, which the engine calculates from arrays.
 */
const FORMULAS: readonly ((row: number) => readonly [string, string])[] = [
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}=A${row})*C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}=A${row})*(B$1:B$${ROWS}>B${row})*C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT(--(A$1:A$${ROWS}<>A${row});--(B${row}>=B$1:B$${ROWS}))`),
  (row) => twice(`SUMPRODUCT((B$1:B$${ROWS}=B${row})*1;C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}<>"")*(C$1:C$${ROWS}<C${row}))`),
  (row) => twice(`SUMPRODUCT(--(A$1:A$${ROWS}<A${row}))`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}>=A${row})*(A$1:A$${ROWS}<C${row})*B$1:B$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A${150 + (row % 50)}<=A${row})*C$1:C${150 + (row % 50)})`),
  (row) => twice(`SUMPRODUCT((B$1:B$${ROWS}<B${row})*(D$1:D$${ROWS}<=B${row})*C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}=A${row})*(D$1:D$${ROWS}>D${row}))`),
  (row) => twice(`SUMPRODUCT((D$1:D$${ROWS}=D${row})*C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}=A${row})*(D$1:D$${ROWS}<>D${row})*B$1:B$${ROWS})`),
  (row) => twice(`SUMPRODUCT((C$1:C$${ROWS}<>C${row})*(B$1:B$${ROWS}<>B${row}))`),
  (row) => twice(`SUMPRODUCT(--(D${row}:D${row + 150}<C${row}))`),
  (row) => twice(`SUM((A$1:A${150 + (row % 50)}=A${row})*(B$1:B${150 + (row % 50)}<=B${row}))`),
  (row) => twice(`SUM((A${row}:A${row + 150}=A${row})*C${row}:C${row + 150})`),
  (row) => twice(`SUMPRODUCT((A$1:A$${ROWS}=A${row})*B$1:B$${ROWS}*C$1:C$${ROWS})`),
  (row) => twice(`SUMPRODUCT((A$1:A${150 + (row % 50)}=A${row})*B$1:B${150 + (row % 50)}*C$1:C${150 + (row % 50)})`),
  (row) => twice(`SUMPRODUCT((A${row}:A${row + 150}=A${row})*B${row}:B${row + 150};C${row}:C${row + 150})`),
  (row) =>
    twice(`SUMPRODUCT((B$1:B$${ROWS}>B${row})*(A$1:A$${ROWS}=A${row})*C$1:C$${ROWS};B$1:B$${ROWS};C$1:C$${ROWS})`),
  (row) =>
    twice(
      `SUM((B${row}:B${row + 150}>B${row})*(C${row}:C${row + 150}<=C${row})*B${row}:B${row + 150}*C${row}:C${row + 150})`,
    ),
  (row) => twice(`MATCH(1;(A$1:A$${ROWS}=A${row})*(B$1:B$${ROWS}=B${row});0)`),
  (row) => twice(`XLOOKUP(1;(A$1:A$${ROWS}=A${row})*(B$1:B$${ROWS}>B${row});C$1:C$${ROWS})`),
  (row) => twice(`LOOKUP(2;1/((A$1:A$${ROWS}=A${row})*(C$1:C$${ROWS}<>"red"));B$1:B$${ROWS})`),
  (row) => twice(`LOOKUP(2;1/(B$1:B$${ROWS}=B${row});C$1:C$${ROWS})`),
  (row) => twice(`XLOOKUP(1;(A$1:A$${ROWS}=A${row})*(B$1:B$${ROWS}>C${row});C$1:C$${ROWS};"none";0;-1)`),
  (row) => twice(`XLOOKUP(1;(B$1:B$${ROWS}>=C${row})*(C$1:C$${ROWS}<B${row});C$1:C$${ROWS};B$3)`),
  (row) => twice(`LOOKUP(2;1/(B$1:B${150 + (row % 50)}<>"");C$1:C${150 + (row % 50)})`),
  (row) => twice(`LOOKUP(2;1/(B$1:B$${ROWS}>C${row});B$1:B$${ROWS})`),
  (row) => twice(`LOOKUP(2;1/((B$1:B$${ROWS}<=C${row})*(C$1:C$${ROWS}<>C${row}));C$1:C$${ROWS})`),
  (row) => twice(`MATCH(1;(B${row}:B${row + 150}<B${row})*1;0)`),
  (row) => twice(`MATCH(1;--(B${row}:B${row + 150}=0);0)`),
  (row) => [
    `MATCH(TRUE;INDEX(B${row}:B${row + 150}>B${row};0);0)`,
    `MATCH(1;INDEX((B${row}:B${row + 150}>B${row})+0;0);0)`,
  ],
  (row) => [
    `XLOOKUP(TRUE;B$1:B$${ROWS}<>A${row};C$1:C$${ROWS};A${row})`,
    `XLOOKUP(1;(B$1:B$${ROWS}<>A${row})+0;C$1:C$${ROWS};A${row})`,
  ],
  ...[
    'SUM(FILTER(C$1:C#;(A$1:A#=A@);7))',
    'AVERAGE(TAKE(FILTER(B$1:C#;(A$1:A#=A@)*(C$1:C#>3));-5;1))',
    'TEXTJOIN("/";TRUE;FILTER(A$1:A#;(B$1:B#=B@);"none"))',
    'SUM((A$1:A#=A@)*C$1:C#)',
    'SUM(IF((A$1:A#=A@);C$1:C#))',
    'MAX(IF((A$1:A#=A@);IF((C$1:C#<C@);B$1:B#)))',
    'COUNT(IF((A$1:A#=A@);IF((C$1:C#>C@);1)))',
    'MAX((A$1:A$200=A@)*(C$1:C$200<C@)*B$1:B$200)',
    'MIN((C$1:C#>C@)*B$1:B#*(A$1:A#=A@))',
    'MAX(IF((A$1:A$200=A@)*(C$1:C$200<C@);B$1:B$200))',
    'MIN(IF((A$1:A#=A@);IF((B$1:B#>=C@);C$1:C#;"");FALSE))',
    'MAX(IF((C$1:C$200>19);B$1:B$200))+B@',
    'SUM(IF((A$1:A$200=A@)*(C$1:C$200>C@);1;0))',
    'SUM(IF((A$1:A$200=A@)*(C$1:C$200<C@);B$1:B$200;0))',
    'SUM(IF((A$1:A#=A@);IF((C$1:C#<=C@);D$1:D#)))',
    'SUM(IF((A$1:A$200<>A@)*(B$1:B$200<>B@);C$1:C$200;""))',
    'AVERAGE(IF((D$1:D$200<=D@);D$1:D$200))',
    'AVERAGE(IF((C$1:C#<=C@);D$1:D#;""))',
    'COUNT(IF((A$1:A$200=A@)*(D$1:D$200<>D@);D$1:D$200))',
    'MIN(IF((A$1:A$200=A@)*(C$1:C$200<>C@);D$1:D$200))',
    'MAX((A$1:A$200=A@)*(B$1:B$200<>B@)*C$1:C$200)',
    'SUM((A$1:A$200=A@)*(ABS(C$1:C$200-C@)<=3)*B$1:B$200)',
    'SUM((A$1:A#=A@)*(ABS(B$1:B#-B@)>1,5)*C$1:C#)',
    'SUM((ABS(D$1:D$200-D@)<>2)*(C$1:C$200<C@)*B$1:B$200)',
    'SUM((INT(B$1:B$200/3)=INT(B@/3))*(C$1:C$200>C@)*C$1:C$200)',
    'SUM((2-D$1:D#*B@>=C@)*(A$1:A#<>A@)*C$1:C#)',
    'SUM((YEAR(C$1:C$200*100)=1901)*(B$1:B$200<B@)*B$1:B$200)',
    'SUM((ROUND(B$1:B$200;0)<=ROUND(B@;0))*(A$1:A$200=A@)*D$1:D$200)',
    'SUM(IF((ABS(-C$1:C$200+C@)*2<7)*(C$1:C$200<>B@);B$1:B$200))',
    'MAX(FILTER(B$1:B#;(C$1:C#-5<C@)*(A$1:A#=A@)))',
    'SUM(((A$1:A#="red")+(A$1:A#=A@))*(B$1:B#>B@)*C$1:C#)',
    'SUM(((D$1:D$200=0)+(D$1:D$200=5)+(D$1:D$200=D@)>0)*(C$1:C$200<C@)*B$1:B$200)',
    'MAX(IF((A$1:A#=A@);ROW(A$1:A#)))',
    'MIN(IF((B$1:B$200=B@)*(C$1:C$200>C@);ROW(A$3:A$202)-ROW(A$3)+1))',
    'MAX(IF((D$1:D#<>D@);IF((A$1:A#<A@);ROW(D$1:D#)-B@)))',
    'SUM(FILTER(C$1:C$200;(A$1:A$200=A@)*(C$1:C$200<C@)))',
    'SUM(FILTER(D$1:D#;(C$1:C#>C@)*1))',
    'AVERAGE(FILTER(B$1:B$200;(B$1:B$200>B@)*(C$1:C$200<5)))',
    'COUNT(FILTER(D$1:D$200;(A$1:A$200=A@)*(D$1:D$200>=D@)))',
    'MAX(FILTER(B$1:B#;(A$1:A#=A@)*(C$1:C#<>C@)))',
    'MIN(FILTER(D$1:D$200;(C$1:C$200<C@)*1))',
    'PERCENTRANK.INC(IF((A$1:A$200=A@);C$1:C$200);C@)',
    'PERCENTRANK.EXC(IF((A$1:A#=A@);C$1:C#);C@)',
    'MEDIAN(IF((B$1:B#=B@);C$1:C#))',
    'MATCH(1;(A$1:A#=A@)*(B$1:B#=B@);0)',
  ].map((formula) => (row: number) => twice(formula.replaceAll('@', `${row}`).replaceAll('#', `${150 + (row % 50)}`))),
  (row) => exactSearch(`MATCH(TRUE;EXACT(A$1:A$${ROWS};A${row});0)`),
  (row) => exactSearch(`MATCH(TRUE;EXACT(A${row};A$1:A$${ROWS});0)`),
  (row) => exactSearch(`XLOOKUP(TRUE;EXACT(B$1:B$${ROWS};B${row});C$1:C$${ROWS};-1;0;-1)`),
  (row) => exactSearch(`MATCH(1;EXACT(A$1:A$${ROWS};A${row})*(B$1:B$${ROWS}>B${row});0)`),
  (row) => exactSearch(`LOOKUP(2;1/EXACT(A$1:A$${ROWS};A${row});C$1:C$${ROWS})`),
  (row) => filledBins(`B$1:B${150 + (row % 50)}`, (bins) => `SUM(--(${bins}>0))`),
  (row) => filledBins(`D${row}:D${row + 150}`, (bins) => `SUMPRODUCT((${bins}>0)*1)`),
  (row) => filledBins(`C$1:C${140 + (row % 60)}`, (bins) => `SUM(IF(${bins}>0;1))`),
  (row) => sumOfShares('A', 150 + (row % 50)),
  (row) => sumOfShares('B', 150 + (row % 50)),
  (row) => sumOfShares('C', 140 + (row % 70)),
  (row) => [`SUMPRODUCT(B$1:B$${ROWS}*C$1:C$${ROWS})+${row}`, `SUMPRODUCT((B$1:B$${ROWS}+0)*C$1:C$${ROWS})+${row}`],
];

/** IF is no test whose elements an index finds. */
function exactSearch(formula: string): readonly [string, string] {
  return [formula, formula.replace(/EXACT\([^)]*\)/, 'IF($&;TRUE;FALSE)')];
}

function filledBins(range: string, count: (bins: string) => string): readonly [string, string] {
  const bins = `FREQUENCY(${range};${range})`;
  return [count(bins), count(`(${bins}+0)`)];
}

function sumOfShares(column: string, last: number): readonly [string, string] {
  const range = `${column}$1:${column}${last}`;
  return [`SUM(1/COUNTIF(${range};${range}))`, `SUM(1/(COUNTIF(${range};${range})+0))`];
}

function twice(formula: string): readonly [string, string] {
  return [formula, formula.replaceAll(/\(([^()]+(?:=|<>|<=|>=|<|>)[^()]+)\)/g, '(($1)+0)')];
}

/** Numbers of a column with blank cells. */
const SPARSE: readonly Input[] = [null, null, 0, -2, 3, 5, 8];

/** The columns of the results, from E on. */
const RESULT_COLUMNS = Array.from({ length: 2 * FORMULAS.length }, (_, i) => columnName(4 + i));

const KEYS: readonly Input[] = ['red', 'RED', 'blue', 'x*', '5', '', 'zürich', '=a'];
/** Cells for which operators and criteria differ: near numbers, blanks, texts, numbers as texts, booleans, errors. */
const ODD: readonly Input[] = [
  0.3,
  0.1 + 0.2,
  0.30000000000000016,
  null,
  'text',
  '5',
  true,
  { as: 'error', value: '#N/A' },
];

function createColumns(seed: number, oddColumn: number): Input[][] {
  const draw = createDraw(seed);
  return Array.from({ length: ROWS }, () => {
    const cells: Input[] = [drawElement(draw, KEYS), (draw(40) - 10) / 4, draw(20), drawElement(draw, SPARSE)];
    if (draw(12) === 0 && oddColumn < cells.length) cells[oddColumn] = drawElement(draw, ODD);
    return cells;
  });
}

describe('sums and searches of products of comparisons', () => {
  it('have the same result as the arrays of all elements', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(3), fc.nat(ROWS - 1), (seed, oddColumn, edited) => {
        const book = createLargeBudgetBook('en-US');
        book.set('A1', createColumns(seed, oddColumn), 'raw');
        const rows = Array.from({ length: 12 }, (_, i) => 1 + ((seed + i * 37) % ROWS));
        const formulas = rows.map((row) => FORMULAS.flatMap((create) => create(row).map((formula) => `=${formula}`)));
        book.set('E1', formulas);
        const compare = () => {
          for (const [i, row] of formulas.entries()) {
            for (let at = 0; at < row.length; at += 2) {
              const [actual, expected] = [at, at + 1].map((column) =>
                book.plainValue(`${RESULT_COLUMNS[column]}${i + 1}`),
              );
              assertSame(actual, expected, `${row[at]} with seed ${seed}`);
            }
          }
        };
        compare();
        book.set(`B${edited + 1}`, [[7.5, 3]]);
        compare();
      }),
      { numRuns: scaleRunCount(36) },
    );
  });

  it('treat comparisons behind a plus sign as truth values', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: ROWS }, (_, i) => [i % 5, 2 * i, 3]),
    );
    const comparison = `+(A$1:A$${ROWS}=C1)`;
    const formulas = [
      `SUM(${comparison})`,
      `SUMPRODUCT(${comparison})`,
      `SUMPRODUCT(${comparison};B$1:B$${ROWS})`,
      `MATCH(1;${comparison};0)`,
      `MATCH(TRUE;${comparison};0)`,
      `SUMPRODUCT(${comparison}*1)`,
    ];
    // Formulas of a column share arrays and their indexes from the second formula on.
    book.set(
      'D1',
      Array.from({ length: 5 }, (_, i) => formulas.map((formula) => `=${formula.replace('C1', `C${i + 1}`)}`)),
    );
    for (const row of [1, 2, 5]) {
      const values = [...'DEFGHI'].map((column) => book.plainValue(`${column}${row}`));
      assert.deepEqual(values, [0, 0, 0, '#N/A', 4, ROWS / 5], `row ${row}`);
    }
  });

  it('are errors if they overflow', () => {
    const book = createLargeBudgetBook('en-US');
    const rows = (column: string, row: number) => `${column}${row}:${column}$${ROWS}`;
    book.set(
      'A1',
      Array.from({ length: ROWS }, (_, i) => [i, i % 2 === 0 ? 1e308 : -1e308, 1e308, 1e200]),
    );
    book.set(
      'F1',
      Array.from({ length: 5 }, (_, i) => {
        const row = i + 1;
        return [
          `=SUMPRODUCT((${rows('A', row)}>=A${row})*1;${rows('C', row)})`,
          `=SUMPRODUCT((${rows('B', row)}<=C${row})*${rows('B', row)}*${rows('C', row)})`,
          `=SUMPRODUCT((A$1:A$${ROWS}<>A${row})*C$1:C$${ROWS})`,
          `=SUMPRODUCT(${rows('D', row)}*${rows('D', row)})`,
          `=SUM(${rows('D', row)}*${rows('D', row)})`,
        ];
      }),
    );
    assert.deepEqual(book.grid('F1:J5').flat(), new Array(25).fill('#NUM!'));
  });

  it('are errors if a product overflows in a row that is not selected', () => {
    const book = createLargeBudgetBook('en-US');
    const rows = (column: string, row: number) => `${column}${row}:${column}$${ROWS}`;
    book.set(
      'A1',
      Array.from({ length: ROWS }, (_, i) => (i === 150 ? [9, 1e200, -1e200] : [1, 2, 3])),
    );
    book.set(
      'F1',
      [1, 2, 3].map((row) => [
        `=SUMPRODUCT(${rows('B', row)}*${rows('C', row)}*(${rows('A', row)}=1))`,
        `=SUMPRODUCT((${rows('A', row)}=1)*${rows('B', row)}*${rows('C', row)})`,
      ]),
    );
    // In the second product, the number of the row that is not selected is multiplied by 0 first.
    const expected = [1, 2, 3].map((row) => ['#NUM!', (ROWS - row) * 6]);
    assert.deepEqual(book.grid('F1:G3'), expected);
  });

  it('count distinct texts of a growing range by the shares of equal cells', () => {
    const rows = 1_000;
    const keyOf = (row: number) => `${row % 2 === 0 ? 'key' : 'KEY'} ${(row * 7) % (3 + Math.floor(row / 10))}`;
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: rows }, (_, i) => [keyOf(i), `=SUMPRODUCT(1/COUNTIF(A$1:A${i + 1};A$1:A${i + 1}))`]),
    );
    for (const row of [1, 200, 201, 777, rows]) {
      const keys = new Set(Array.from({ length: row }, (_, i) => keyOf(i).toLowerCase()));
      assertSame(book.plainValue(`B${row}`), keys.size, `row ${row}`);
    }
    book.clear('A600');
    assert.equal(book.plainValue(`B${rows}`), '#DIV/0!');
  });
});

/** Sums of the index are exact; sums of arrays are rounded at each addition. */
function assertSame(actual: unknown, expected: unknown, message: string): void {
  if (typeof actual !== 'number' || typeof expected !== 'number') return assert.deepEqual(actual, expected, message);
  assert.ok(Math.abs(actual - expected) <= 1e-9, `${message}: ${actual}, not ${expected}`);
}

describe('sums and filters of ranges that grow from row to row', () => {
  const rows = 400;

  it('equal sums over the rows so far', () => {
    const draw = createDraw(8);
    const keys = Array.from({ length: rows }, () => `Käufer ${draw(9)}`);
    const amounts = Array.from({ length: rows }, () => draw(1_000) / 8);
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      keys.map((key, i) => [key, amounts[i]!]),
      'raw',
    );
    book.set(
      'C1',
      keys.map((_, i) => {
        const [a, b] = [`A$1:A${i + 1}`, `B$1:B${i + 1}`];
        return [
          `=SUM(FILTER(${b};${a}=A${i + 1}))`,
          `=MAX(IF(${a}=A${i + 1};${b}))`,
          `=SUM((${a}=A${i + 1})*${b})`,
          `=COUNT(IF(${a}=A${i + 1};1))`,
          `=AVERAGE(TAKE(FILTER(${b};${a}=A${i + 1});-3))`,
        ];
      }),
    );
    const compare = () => {
      for (const [i, key] of keys.entries()) {
        const own = amounts.slice(0, i + 1).filter((_, at) => keys[at] === key);
        const sum = own.reduce((total, each) => total + each, 0);
        const last = own.slice(-3);
        const average = last.reduce((total, each) => total + each, 0) / last.length;
        const actual = [...'CDEFG'].map((column) => book.plainValue(`${column}${i + 1}`));
        assert.deepEqual(actual, [sum, Math.max(...own), sum, own.length, average], `row ${i + 1}`);
      }
    };
    compare();
    keys[3] = 'Käufer 1';
    amounts[200] = 12.5;
    book.set('A4', [[keys[3]]], 'raw');
    book.set('B201', [[amounts[200]]], 'raw');
    compare();
  });

  it('take the format of the numbers', () => {
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      Array.from({ length: 200 }, (_, i) => [`k${i % 3}`, '$5.50', '2026-03-01']),
    );
    book.set('D1', [
      [
        '=SUM((A1:A200=A1)*B1:B200)',
        '=MAX(IF(A1:A200=A1;C1:C200))',
        '=FILTER(C$1:C150;A$1:A150=A1)',
        '=SUM(B1:B200*B1:B200)',
      ],
      ['=SUM(((A1:A200=A1)+0)*B1:B200)', '=MAX(IF((A1:A200=A1)+0;C1:C200))'],
    ]);
    const views = [...'DE'].flatMap((column) => [book.text(`${column}1`), book.text(`${column}2`)]);
    assert.equal(views[0], views[1]);
    assert.equal(views[2], views[3]);
    assert.equal(book.text('F2'), book.text('C2'));
  });
});

describe('sums of numbers near the largest number', () => {
  const last = 300;
  const within = (row: number) => `A$1:A$${last};"<="&A${row}`;
  const FORMS: readonly ((row: number) => string)[] = [
    (row) => `SUMIFS(B$1:B$${last};${within(row)})`,
    (row) => `SUMIF(${within(row)};B$1:B$${last})`,
    (row) => `SUMIFS(B$1:B$${last};${within(row)};C$1:C$${last};"<99")`,
    (row) => `SUMIFS(B$1:B$${last};${within(row)};C$1:C$${last};"<99";D$1:D$${last};">=0")`,
    (row) => `SUMPRODUCT((A$1:A$${last}<=A${row})*B$1:B$${last})`,
    (row) => `SUMPRODUCT((A$1:A$${last}<=A${row})*(C$1:C$${last}<99)*B$1:B$${last})`,
    (row) => `SUMPRODUCT((A$1:A$${last}<=A${row})*(E$1:E$${last}<>C${row})*B$1:B$${last})`,
  ];

  it('are added in the order of the rows, so that an index does not decide whether they overflow', () => {
    const draw = createDraw(5);
    const keys = Array.from({ length: last }, () => draw(1_000));
    const numbers = Array.from({ length: last }, () => drawElement(draw, [1e308, -1e308, 5e307, -5e307]));
    const book = createLargeBudgetBook('en-US');
    book.set(
      'A1',
      keys.map((key, i) => [key, numbers[i]!, draw(9), draw(5), 77]),
    );
    book.set(
      'G1',
      keys.map((_, i) => FORMS.map((create) => `=${create(i + 1)}`)),
    );
    let overflows = 0;
    for (const [i, limit] of keys.entries()) {
      const sum = numbers.reduce((total, number, at) => (keys[at]! <= limit ? total + number : total), 0);
      const expected = Number.isFinite(sum) ? sum : '#NUM!';
      if (!Number.isFinite(sum)) overflows++;
      for (const [at, create] of FORMS.entries()) {
        const actual = book.plainValue(`${columnName(6 + at)}${i + 1}`);
        assert.deepEqual(actual, expected, create(i + 1));
      }
    }
    assert.ok(overflows > 0 && overflows < last, `${overflows} sums overflow`);
  });
});
