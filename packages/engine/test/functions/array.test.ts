import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import type { Value } from '../../src/functions/value.ts';
import { DIV0, NA } from '../../src/value/errors.ts';
import { assertLinear } from '../growth.ts';
import { callAndReadRows, callAndReadScalar, createLambda, createMatrix, createReference } from './call.ts';

const SQUARE = createMatrix([
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
      [SQUARE, createMatrix([[-1, 1]])],
      [
        [7, 8, 9],
        [1, 2, 3],
      ],
    ],
    [
      'EXPAND',
      [createMatrix([[1, 2]]), 2, 3],
      [
        [1, 2, '#N/A'],
        ['#N/A', '#N/A', '#N/A'],
      ],
    ],
    [
      'EXPAND',
      [createMatrix([[1, 2]]), 2, 3, '-'],
      [
        [1, 2, '-'],
        ['-', '-', '-'],
      ],
    ],
    ['EXPAND', [createMatrix([[1, 2]]), 1, 1], [['#VALUE!']]],
    [
      'HSTACK',
      [createMatrix([[1], [2]]), createMatrix([[3]])],
      [
        [1, 3],
        [2, '#N/A'],
      ],
    ],
    [
      'VSTACK',
      [createMatrix([[1, 2]]), 3],
      [
        [1, 2],
        [3, '#N/A'],
      ],
    ],
    [
      'TOCOL',
      [
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
      ],
      [[1], [2], [3], [4]],
    ],
    [
      'TOROW',
      [
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
        0,
        true,
      ],
      [[1, 3, 2, 4]],
    ],
    ['TOROW', [createMatrix([[1, null, DIV0, 'x']]), 3], [[1, 'x']]],
    ['TOROW', [createMatrix([[null]]), 1], [['#CALC!']]],
    ['TOROW', [createMatrix([[1]]), 4], [['#VALUE!']]],
    [
      'WRAPROWS',
      [createMatrix([[1, 2, 3, 4, 5]]), 3],
      [
        [1, 2, 3],
        [4, 5, '#N/A'],
      ],
    ],
    [
      'WRAPCOLS',
      [createMatrix([[1, 2, 3, 4, 5]]), 3, 0],
      [
        [1, 4],
        [2, 5],
        [3, 0],
      ],
    ],
    ['WRAPROWS', [createMatrix([[1, 2]]), 0], [['#NUM!']]],
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
      assert.deepEqual(callAndReadRows(name, args as readonly Value[]), expected));
  }

  it('ranges keep their blank cells', () => {
    const grid = [[1]];
    assert.deepEqual(callAndReadRows('HSTACK', [createReference('A1:A2'), 9], { grid }), [
      [1, 9],
      [null, '#N/A'],
    ]);
    assert.deepEqual(callAndReadRows('TAKE', [createReference('A1:B3'), -1], { grid }), [[null, null]]);
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
    const include = createMatrix([[true], [0], [1], [false]]);
    assert.deepEqual(callAndReadRows('FILTER', [createReference('A2:A5'), include], { grid }), [['Ann'], ['Cid']]);
    assert.deepEqual(callAndReadRows('FILTER', [SQUARE, createMatrix([[1, 0, 1]])]), [
      [1, 3],
      [4, 6],
      [7, 9],
    ]);
    assert.equal(callAndReadScalar('FILTER', [SQUARE, createMatrix([[0, 0, 0]])]), '#CALC!');
    assert.equal(callAndReadScalar('FILTER', [SQUARE, createMatrix([[0, 0, 0]]), 'none']), 'none');
    assert.equal(callAndReadScalar('FILTER', [SQUARE, createMatrix([[1, 0]])]), '#VALUE!');
    assert.equal(callAndReadScalar('FILTER', [SQUARE, createMatrix([[1, NA, 0]])]), '#N/A');
    assert.equal(callAndReadScalar('FILTER', [SQUARE, createMatrix([[1, 'x', 0]])]), '#VALUE!');
  });
  it("FILTER accepts a condition of the length of a range's filled part", () => {
    const include = createMatrix([[false], [true], [false], [true], [false]]);
    assert.deepEqual(callAndReadRows('FILTER', [createReference('A1:A9'), include], { grid }), [['Ann'], ['Cid']]);
  });
  it('UNIQUE ignores letter case and distinguishes types', () => {
    assert.deepEqual(callAndReadRows('UNIQUE', [createReference('B2:B5')], { grid }), [['red'], ['Blue']]);
    assert.deepEqual(callAndReadRows('UNIQUE', [createMatrix([[1, '1', 1, true]]), true]), [[1, '1', true]]);
    assert.deepEqual(callAndReadRows('UNIQUE', [createMatrix([[1], [2], [1]]), false, true]), [[2]]);
    assert.equal(callAndReadScalar('UNIQUE', [createMatrix([[1], [1]]), false, true]), '#CALC!');
    assert.deepEqual(
      callAndReadRows('UNIQUE', [
        createMatrix([
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
    assert.deepEqual(callAndReadRows('UNIQUE', [createReference('A1:A1000')], { grid: [[1], [1]] }), [[1], [null]]);
  });
  it('SORT puts numbers before texts, truth values, errors and blanks', () => {
    const values = createMatrix([[null], ['b'], [NA], [true], [2], ['A'], [DIV0], [1]]);
    assert.deepEqual(callAndReadRows('SORT', [values]).flat(), [1, 2, 'A', 'b', true, '#DIV/0!', '#N/A', null]);
    assert.deepEqual(callAndReadRows('SORT', [values, 1, -1]).flat(), ['#N/A', '#DIV/0!', true, 'b', 'A', 2, 1, null]);
  });
  it('SORT accepts several sort columns, and can sort columns', () => {
    assert.deepEqual(
      callAndReadRows('SORT', [createReference('A2:C5'), createMatrix([[3, 1]]), createMatrix([[-1, -1]])], { grid }),
      [
        ['Dan', 'blue', 7],
        ['Bob', 'Blue', 7],
        ['Ann', 'red', 5],
        ['Cid', 'RED', 3],
      ],
    );
    assert.deepEqual(callAndReadRows('SORT', [createMatrix([[3, 1, 2]]), 1, 1, true]), [[1, 2, 3]]);
    assert.equal(callAndReadScalar('SORT', [SQUARE, 4]), '#VALUE!');
    assert.equal(callAndReadScalar('SORT', [SQUARE, 1, 2]), '#VALUE!');
  });
  it('SORTBY sorts by rows or columns that are not in the result', () => {
    assert.deepEqual(
      callAndReadRows('SORTBY', [createReference('A2:A5'), createReference('C2:C5'), -1, createReference('A2:A5'), 1], {
        grid,
      }),
      [['Bob'], ['Dan'], ['Ann'], ['Cid']],
    );
    assert.deepEqual(callAndReadRows('SORTBY', [createMatrix([[1, 2, 3]]), createMatrix([[3, 2, 1]])]), [[3, 2, 1]]);
    assert.equal(callAndReadScalar('SORTBY', [SQUARE, createMatrix([[1], [2]])]), '#VALUE!');
  });
  it('SORT is stable and keeps all rows', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer()), { minLength: 1 }), (rows) => {
        const expected = rows.slice().sort((a, b) => a[0] - b[0]);
        assert.deepEqual(callAndReadRows('SORT', [createMatrix(rows)]), expected);
      }),
    );
  });
  it('do not take quadratic time', () => {
    assertLinear(20_000, (size) => {
      const rows = Array.from({ length: size }, (_, i) => [(i * 7919) % 100_003, `t${i % 1000}`]);
      assert.equal(callAndReadRows('UNIQUE', [createMatrix(rows.map((row) => [elementAt(row, 1)]))]).length, 1000);
      assert.equal(callAndReadRows('SORT', [createMatrix(rows)]).length, size);
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
    assert.deepEqual(callAndReadRows('TRIMRANGE', [createReference('A1:C6')], { grid }), [[5], [null], [6]]);
    assert.equal(callAndReadRows('TRIMRANGE', [createReference('A1:C6'), 1, 0], { grid }).length, 4);
    assert.deepEqual(callAndReadRows('TRIMRANGE', [createReference('A1:B6'), 2, 3], { grid }), [
      [null],
      [5],
      [null],
      [6],
    ]);
  });
});

const add = createLambda(2, (a, b) => sumElements(a) + sumElements(b));

/** The sum of a value's numbers. */
function sumElements(value: Value | undefined): number {
  return callAndReadRows('TOCOL', [value as Value], { grid: GRID })
    .flat()
    .reduce((total: number, v) => total + Number(v), 0);
}

const GRID = [
  [1, 2],
  [3, 4],
];

describe('LAMBDA helper functions', () => {
  it('MAP visits elements of several arrays together', () => {
    assert.deepEqual(callAndReadRows('MAP', [createMatrix([[1, 2]]), createMatrix([[10, 20]]), add]), [[11, 22]]);
    assert.deepEqual(
      callAndReadRows('MAP', [createReference('A1:B2'), createLambda(1, (x) => sumElements(x) * 10)], { grid: GRID }),
      [
        [10, 20],
        [30, 40],
      ],
    );
    assert.equal(callAndReadScalar('MAP', [1, createLambda(1, () => SQUARE)]), '#CALC!');
    assert.equal(callAndReadScalar('MAP', [1, 2]), '#VALUE!');
  });
  it('REDUCE and SCAN carry an accumulator row by row', () => {
    assert.equal(callAndReadScalar('REDUCE', [100, SQUARE, add]), 145);
    assert.equal(callAndReadScalar('REDUCE', [null, createMatrix([[2, 3]]), add]), 5);
    assert.deepEqual(
      callAndReadRows('SCAN', [
        0,
        createMatrix([
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
    const total = createLambda(1, (line) => sumElements(line));
    assert.deepEqual(callAndReadRows('BYROW', [SQUARE, total]), [[6], [15], [24]]);
    assert.deepEqual(callAndReadRows('BYCOL', [createReference('A1:B2'), total], { grid: GRID }), [[4, 6]]);
  });
  it('MAKEARRAY counts from 1', () => {
    const product = createLambda(2, (r, c) => (r as number) * (c as number));
    assert.deepEqual(callAndReadRows('MAKEARRAY', [2, 3, product]), [
      [1, 2, 3],
      [2, 4, 6],
    ]);
    assert.equal(callAndReadScalar('MAKEARRAY', [0, 3, product]), '#VALUE!');
  });
});
