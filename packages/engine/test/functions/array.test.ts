import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import type { Value } from '../../src/functions/value.ts';
import { DIV0, NA } from '../../src/value/errors.ts';
import { assertLinear } from '../growth.ts';
import { array, lambda, range, result, spilledRows } from './call.ts';

const SQUARE = array([
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
]);

describe('parts of arrays', () => {
  for (const [name, args, expected] of [
    [
      'TAKE',
      [SQUARE, 2],
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    ['TAKE', [SQUARE, undefined, 1], [[1], [4], [7]]],
    ['TAKE', [SQUARE, -1, -2], [[8, 9]]],
    [
      'TAKE',
      [SQUARE, 10],
      [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ],
    ],
    ['TAKE', [SQUARE, 0], [['#CALC!']]],
    ['DROP', [SQUARE, 2], [[7, 8, 9]]],
    ['DROP', [SQUARE, -2, 1], [[2, 3]]],
    ['DROP', [SQUARE, 3], [['#CALC!']]],
    [
      'CHOOSECOLS',
      [SQUARE, 3, 1],
      [
        [3, 1],
        [6, 4],
        [9, 7],
      ],
    ],
    ['CHOOSECOLS', [SQUARE, -1], [[3], [6], [9]]],
    ['CHOOSECOLS', [SQUARE, 4], [['#VALUE!']]],
    [
      'CHOOSEROWS',
      [SQUARE, array([[-1, 1]])],
      [
        [7, 8, 9],
        [1, 2, 3],
      ],
    ],
    [
      'EXPAND',
      [array([[1, 2]]), 2, 3],
      [
        [1, 2, '#N/A'],
        ['#N/A', '#N/A', '#N/A'],
      ],
    ],
    [
      'EXPAND',
      [array([[1, 2]]), 2, 3, '-'],
      [
        [1, 2, '-'],
        ['-', '-', '-'],
      ],
    ],
    ['EXPAND', [array([[1, 2]]), 1, 1], [['#VALUE!']]],
    [
      'HSTACK',
      [array([[1], [2]]), array([[3]])],
      [
        [1, 3],
        [2, '#N/A'],
      ],
    ],
    [
      'VSTACK',
      [array([[1, 2]]), 3],
      [
        [1, 2],
        [3, '#N/A'],
      ],
    ],
    [
      'TOCOL',
      [
        array([
          [1, 2],
          [3, 4],
        ]),
      ],
      [[1], [2], [3], [4]],
    ],
    [
      'TOROW',
      [
        array([
          [1, 2],
          [3, 4],
        ]),
        0,
        true,
      ],
      [[1, 3, 2, 4]],
    ],
    ['TOROW', [array([[1, null, DIV0, 'x']]), 3], [[1, 'x']]],
    ['TOROW', [array([[null]]), 1], [['#CALC!']]],
    ['TOROW', [array([[1]]), 4], [['#VALUE!']]],
    [
      'WRAPROWS',
      [array([[1, 2, 3, 4, 5]]), 3],
      [
        [1, 2, 3],
        [4, 5, '#N/A'],
      ],
    ],
    [
      'WRAPCOLS',
      [array([[1, 2, 3, 4, 5]]), 3, 0],
      [
        [1, 4],
        [2, 5],
        [3, 0],
      ],
    ],
    ['WRAPROWS', [array([[1, 2]]), 0], [['#NUM!']]],
    ['WRAPROWS', [SQUARE, 2], [['#VALUE!']]],
    [
      'SEQUENCE',
      [2, 3, 10, 5],
      [
        [10, 15, 20],
        [25, 30, 35],
      ],
    ],
    ['SEQUENCE', [undefined, 3], [[1, 2, 3]]],
    ['SEQUENCE', [0], [['#CALC!']]],
    ['SEQUENCE', [-1], [['#VALUE!']]],
    ['SEQUENCE', [2_000_000], [['#NUM!']]],
    ['RANDARRAY', [1, 2, 10, 20], [[15, 15]]],
    ['RANDARRAY', [1, 1, 2, 1], [['#VALUE!']]],
  ] as const) {
    it(`${name} ${args.slice(1).join(' ')}`, () =>
      assert.deepEqual(spilledRows(name, args as readonly Value[]), expected));
  }

  it('ranges keep their blank cells', () => {
    const grid = [[1]];
    assert.deepEqual(spilledRows('HSTACK', [range('A1:A2'), 9], { grid }), [
      [1, 9],
      [null, '#N/A'],
    ]);
    assert.deepEqual(spilledRows('TAKE', [range('A1:B3'), -1], { grid }), [[null, null]]);
  });
});

describe('FILTER, UNIQUE, SORT', () => {
  const grid = [
    ['Name', 'Team', 'Points'],
    ['Ann', 'red', 5],
    ['Bob', 'Blue', 7],
    ['Cid', 'RED', 3],
    ['Dan', 'blue', 7],
  ];
  it('FILTER keeps rows or columns', () => {
    const include = array([[true], [0], [1], [false]]);
    assert.deepEqual(spilledRows('FILTER', [range('A2:A5'), include], { grid }), [['Ann'], ['Cid']]);
    assert.deepEqual(spilledRows('FILTER', [SQUARE, array([[1, 0, 1]])]), [
      [1, 3],
      [4, 6],
      [7, 9],
    ]);
    assert.equal(result('FILTER', [SQUARE, array([[0, 0, 0]])]), '#CALC!');
    assert.equal(result('FILTER', [SQUARE, array([[0, 0, 0]]), 'none']), 'none');
    assert.equal(result('FILTER', [SQUARE, array([[1, 0]])]), '#VALUE!');
    assert.equal(result('FILTER', [SQUARE, array([[1, NA, 0]])]), '#N/A');
    assert.equal(result('FILTER', [SQUARE, array([[1, 'x', 0]])]), '#VALUE!');
  });
  it("FILTER accepts a condition of the length of a range's filled part", () => {
    const include = array([[false], [true], [false], [true], [false]]);
    assert.deepEqual(spilledRows('FILTER', [range('A1:A9'), include], { grid }), [['Ann'], ['Cid']]);
  });
  it('UNIQUE ignores letter case and distinguishes types', () => {
    assert.deepEqual(spilledRows('UNIQUE', [range('B2:B5')], { grid }), [['red'], ['Blue']]);
    assert.deepEqual(spilledRows('UNIQUE', [array([[1, '1', 1, true]]), true]), [[1, '1', true]]);
    assert.deepEqual(spilledRows('UNIQUE', [array([[1], [2], [1]]), false, true]), [[2]]);
    assert.equal(result('UNIQUE', [array([[1], [1]]), false, true]), '#CALC!');
    assert.deepEqual(
      spilledRows('UNIQUE', [
        array([
          ['a', 'b'],
          ['ab', ''],
          ['A', 'B'],
        ]),
      ]),
      [
        ['a', 'b'],
        ['ab', ''],
      ],
    );
    assert.deepEqual(spilledRows('UNIQUE', [range('A1:A1000')], { grid: [[1], [1]] }), [[1], [null]]);
  });
  it('SORT puts numbers before texts, truth values, errors and blanks', () => {
    const values = array([[null], ['b'], [NA], [true], [2], ['A'], [DIV0], [1]]);
    assert.deepEqual(spilledRows('SORT', [values]).flat(), [1, 2, 'A', 'b', true, '#DIV/0!', '#N/A', null]);
    assert.deepEqual(spilledRows('SORT', [values, 1, -1]).flat(), ['#N/A', '#DIV/0!', true, 'b', 'A', 2, 1, null]);
  });
  it('SORT accepts several sort columns, and can sort columns', () => {
    assert.deepEqual(spilledRows('SORT', [range('A2:C5'), array([[3, 1]]), array([[-1, -1]])], { grid }), [
      ['Dan', 'blue', 7],
      ['Bob', 'Blue', 7],
      ['Ann', 'red', 5],
      ['Cid', 'RED', 3],
    ]);
    assert.deepEqual(spilledRows('SORT', [array([[3, 1, 2]]), 1, 1, true]), [[1, 2, 3]]);
    assert.equal(result('SORT', [SQUARE, 4]), '#VALUE!');
    assert.equal(result('SORT', [SQUARE, 1, 2]), '#VALUE!');
  });
  it('SORTBY sorts by rows or columns that are not in the result', () => {
    assert.deepEqual(spilledRows('SORTBY', [range('A2:A5'), range('C2:C5'), -1, range('A2:A5'), 1], { grid }), [
      ['Bob'],
      ['Dan'],
      ['Ann'],
      ['Cid'],
    ]);
    assert.deepEqual(spilledRows('SORTBY', [array([[1, 2, 3]]), array([[3, 2, 1]])]), [[3, 2, 1]]);
    assert.equal(result('SORTBY', [SQUARE, array([[1], [2]])]), '#VALUE!');
  });
  it('SORT is stable and keeps all rows', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer()), { minLength: 1 }), (rows) => {
        const expected = rows.slice().sort((a, b) => a[0] - b[0]);
        assert.deepEqual(spilledRows('SORT', [array(rows)]), expected);
      }),
    );
  });
  it('do not take quadratic time', () => {
    assertLinear(20_000, (size) => {
      const rows = Array.from({ length: size }, (_, i) => [(i * 7919) % 100_003, `t${i % 1000}`]);
      assert.equal(spilledRows('UNIQUE', [array(rows.map((row) => [elementAt(row, 1)]))]).length, 1000);
      assert.equal(spilledRows('SORT', [array(rows)]).length, size);
    });
  });
});

describe('TRIMRANGE', () => {
  const grid = [
    [null, null],
    [null, 5],
    [null, null],
    [null, 6],
    [null, null],
  ];
  it('removes blank rows and columns at the requested sides', () => {
    assert.deepEqual(spilledRows('TRIMRANGE', [range('A1:C6')], { grid }), [[5], [null], [6]]);
    assert.equal(spilledRows('TRIMRANGE', [range('A1:C6'), 1, 0], { grid }).length, 4);
    assert.deepEqual(spilledRows('TRIMRANGE', [range('A1:B6'), 2, 3], { grid }), [[null], [5], [null], [6]]);
  });
});

const add = lambda(2, (a, b) => sumOf(a) + sumOf(b));

/** The sum of a value's numbers. */
function sumOf(value: Value | undefined): number {
  return spilledRows('TOCOL', [value as Value], { grid: GRID })
    .flat()
    .reduce((total: number, v) => total + Number(v), 0);
}

const GRID = [
  [1, 2],
  [3, 4],
];

describe('LAMBDA helper functions', () => {
  it('MAP visits elements of several arrays together', () => {
    assert.deepEqual(spilledRows('MAP', [array([[1, 2]]), array([[10, 20]]), add]), [[11, 22]]);
    assert.deepEqual(spilledRows('MAP', [range('A1:B2'), lambda(1, (x) => sumOf(x) * 10)], { grid: GRID }), [
      [10, 20],
      [30, 40],
    ]);
    assert.equal(result('MAP', [1, lambda(1, () => SQUARE)]), '#CALC!');
    assert.equal(result('MAP', [1, 2]), '#VALUE!');
  });
  it('REDUCE and SCAN carry an accumulator row by row', () => {
    assert.equal(result('REDUCE', [100, SQUARE, add]), 145);
    assert.equal(result('REDUCE', [null, array([[2, 3]]), add]), 5);
    assert.deepEqual(
      spilledRows('SCAN', [
        0,
        array([
          [1, 2],
          [3, 4],
        ]),
        add,
      ]),
      [
        [1, 3],
        [6, 10],
      ],
    );
  });
  it('BYROW and BYCOL return one value for each row or column', () => {
    const total = lambda(1, (line) => sumOf(line));
    assert.deepEqual(spilledRows('BYROW', [SQUARE, total]), [[6], [15], [24]]);
    assert.deepEqual(spilledRows('BYCOL', [range('A1:B2'), total], { grid: GRID }), [[4, 6]]);
  });
  it('MAKEARRAY counts from 1', () => {
    const product = lambda(2, (r, c) => (r as number) * (c as number));
    assert.deepEqual(spilledRows('MAKEARRAY', [2, 3, product]), [
      [1, 2, 3],
      [2, 4, 6],
    ]);
    assert.equal(result('MAKEARRAY', [0, 3, product]), '#VALUE!');
  });
});
