import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Matrix, type Value } from '../../src/functions/value.ts';
import { testFormulas } from '../semantics/test-formulas.ts';
import { callAndReadRows, createLambda, createMatrix } from './call.ts';

function readTotal(value: Value | undefined): number {
  return value instanceof Matrix ? value.data.reduce((sum: number, v) => sum + Number(v), 0) : Number.NaN;
}

const SUM = createLambda(1, readTotal);
const SHARE = createLambda(2, (part, whole) => readTotal(part) / readTotal(whole));

const REGIONS = createMatrix([['North'], ['South'], ['north'], ['South'], ['East']]);
const FRUITS = createMatrix([['Apple'], ['Apple'], ['Pear'], ['Pear'], ['Apple']]);
const SALES = createMatrix([[1], [2], [4], [8], [16]]);
const BOTH = createMatrix(REGIONS.data.map((region, i) => [region, FRUITS.data[i] ?? null]));

describe('GROUPBY', () => {
  it('sorts by the fields and adds a total', () => {
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SUM]), [
      ['East', 16],
      ['North', 5],
      ['South', 10],
      ['Total', 31],
    ]);
  });
  it('sorts by the values, without a total', () => {
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SUM, 0, 0, -2]), [
      ['East', 16],
      ['South', 10],
      ['North', 5],
    ]);
  });
  it('adds subtotals of groups below or above them', () => {
    assert.deepEqual(callAndReadRows('GROUPBY', [BOTH, SALES, SUM, 0, 2]), [
      ['East', 'Apple', 16],
      ['East', '', 16],
      ['North', 'Apple', 1],
      ['north', 'Pear', 4],
      ['North', '', 5],
      ['South', 'Apple', 2],
      ['South', 'Pear', 8],
      ['South', '', 10],
      ['Grand Total', '', 31],
    ]);
    assert.deepEqual(callAndReadRows('GROUPBY', [BOTH, SALES, SUM, 0, -2]).slice(0, 3), [
      ['Grand Total', '', 31],
      ['East', '', 16],
      ['East', 'Apple', 16],
    ]);
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SUM, 0, 2]), [['#VALUE!']]);
  });
  it('sorts inner groups within outer groups, or all groups together', () => {
    const hierarchy = callAndReadRows('GROUPBY', [BOTH, SALES, SUM, 0, 0, -3]).map((row) => row[2]);
    assert.deepEqual(hierarchy, [16, 8, 2, 4, 1]);
    const table = callAndReadRows('GROUPBY', [BOTH, SALES, SUM, 0, 0, -3, undefined, 1]).map((row) => row[2]);
    assert.deepEqual(table, [16, 8, 4, 2, 1]);
  });
  it('handles headers and filters', () => {
    const regions = createMatrix([['Region'], ...REGIONS.data.map((v) => [v])]);
    const sales = createMatrix([['Sales'], ...SALES.data.map((v) => [v])]);
    assert.deepEqual(callAndReadRows('GROUPBY', [regions, sales, SUM])[0], ['East', 16]);
    assert.deepEqual(callAndReadRows('GROUPBY', [regions, sales, SUM, 3]).slice(0, 2), [
      ['Region', 'Sales'],
      ['East', 16],
    ]);
    const marks = createMatrix([['keep'], [0], [1], [0], [1], [0]]);
    assert.deepEqual(callAndReadRows('GROUPBY', [regions, sales, SUM, 1, 0, undefined, marks]), [['South', 10]]);
    assert.deepEqual(callAndReadRows('GROUPBY', [regions, sales, SUM, 1, 0])[0], ['East', 16]);
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SUM, 2, 0])[0], ['Row Field 1', 'Value 1']);
    const south = createMatrix([[0], [1], [0], [1], [0]]);
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SUM, 0, 1, undefined, south]), [
      ['South', 10],
      ['Total', 10],
    ]);
  });
  it('passes each group and all values to the aggregating function', () => {
    assert.deepEqual(callAndReadRows('GROUPBY', [REGIONS, SALES, SHARE, 0, 0]).at(-1), ['South', 10 / 31]);
  });
});

describe('PIVOTBY', () => {
  it('crosses rows and columns with totals of both', () => {
    assert.deepEqual(callAndReadRows('PIVOTBY', [REGIONS, FRUITS, SALES, SUM]), [
      ['', 'Apple', 'Pear', 'Total'],
      ['East', 16, '', 16],
      ['North', 1, 4, 5],
      ['South', 2, 8, 10],
      ['Total', 19, 12, 31],
    ]);
  });
  it('omits totals and sorts in both directions', () => {
    assert.deepEqual(callAndReadRows('PIVOTBY', [REGIONS, FRUITS, SALES, SUM, 0, 0, -1, 0, -1]), [
      ['', 'Pear', 'Apple'],
      ['South', 8, 2],
      ['North', 4, 1],
      ['East', '', 16],
    ]);
  });
  it('divides cells by their column, row or total', () => {
    const cell = (relativeTo: number) =>
      callAndReadRows('PIVOTBY', [
        REGIONS,
        FRUITS,
        SALES,
        SHARE,
        0,
        0,
        undefined,
        0,
        undefined,
        undefined,
        relativeTo,
      ])[2]?.[2];
    assert.equal(cell(0), 4 / 12);
    assert.equal(cell(1), 4 / 5);
    assert.equal(cell(2), 4 / 31);
  });
});

const SALES_BY_REGION = {
  cells: { A1: 'East', A2: 'West', A3: 'East', B1: 'x', B2: 'y', B3: 'y', C1: 1, C2: 5, C3: 3, D1: 10, D2: 20, D3: 30 },
};
// Excel's layouts: the names of functions are column headings, or they are in a column if functions are rows.
testFormulas(
  'several functions',
  [
    [
      '=GROUPBY(A1:A3,C1:C3,HSTACK(SUM,AVERAGE))',
      [
        ['', 'SUM', 'AVERAGE'],
        ['East', 4, 2],
        ['West', 5, 5],
        ['Total', 9, 3],
      ],
    ],
    [
      '=GROUPBY(A1:A3,C1:D3,HSTACK(SUM,LAMBDA(x,ROWS(x))),2,0)',
      [
        ['Row Field 1', 'Value 1', 'Value 1', 'Value 2', 'Value 2'],
        ['', 'SUM', 'CUSTOM', 'SUM', 'CUSTOM'],
        ['East', 4, 2, 40, 2],
        ['West', 5, 1, 20, 1],
      ],
    ],
    [
      '=GROUPBY(A1:A3,C1:C3,VSTACK(SUM,MAX),0,0)',
      [
        ['East', 'SUM', 4],
        ['East', 'MAX', 3],
        ['West', 'SUM', 5],
        ['West', 'MAX', 5],
      ],
    ],
    [
      '=GROUPBY(A1:A3,C1:C3,HSTACK(SUM,AVERAGE),0,0,-3)',
      [
        ['', 'SUM', 'AVERAGE'],
        ['West', 5, 5],
        ['East', 4, 2],
      ],
    ],
    [
      '=GROUPBY(A1:A3,C1:C3,HSTACK(SUM,PERCENTOF),0,0)',
      [
        ['', 'SUM', 'PERCENTOF'],
        ['East', 4, 4 / 9],
        ['West', 5, 5 / 9],
      ],
    ],
    [
      '=GROUPBY(A1:A3,C1:C3,HSTACK(HSTACK(SUM,MIN),MAX),0,0)',
      [
        ['', 'SUM', 'MIN', 'MAX'],
        ['East', 4, 1, 3],
        ['West', 5, 5, 5],
      ],
    ],
    [
      '=LET(f,HSTACK(SUM,COUNT),GROUPBY(A1:A3,C1:C3,f,0,0))',
      [
        ['', 'SUM', 'COUNT'],
        ['East', 4, 2],
        ['West', 5, 1],
      ],
    ],
    [
      '=PIVOTBY(A1:A3,B1:B3,C1:C3,HSTACK(SUM,COUNT),0,0,,0)',
      [
        ['', 'x', 'x', 'y', 'y'],
        ['', 'SUM', 'COUNT', 'SUM', 'COUNT'],
        ['East', 1, 1, 3, 1],
        ['West', '', '', 5, 1],
      ],
    ],
    [
      '=PIVOTBY(A1:A3,B1:B3,C1:C3,VSTACK(SUM,COUNT),0,0,,0)',
      [
        ['', '', 'x', 'y'],
        ['East', 'SUM', 1, 3],
        ['East', 'COUNT', 1, 1],
        ['West', 'SUM', '', 5],
        ['West', 'COUNT', '', 1],
      ],
    ],
    ['=HSTACK(SUM,AVERAGE)', '#CALC!'],
    ['=GROUPBY(A1:A3,C1:C3,HSTACK(SUM,1))', '#VALUE!'],
    ['=MAP(C1,HSTACK(SUM,AVERAGE))', '#VALUE!'],
  ],
  SALES_BY_REGION,
);
