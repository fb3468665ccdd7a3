import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { invokeFunction } from '../../src/functions/invoke.ts';
import type { FunctionContext } from '../../src/functions/spec.ts';
import type { Value } from '../../src/functions/value.ts';
import { DIV0, NA, REF } from '../../src/value/errors.ts';
import type { Scalar } from '../../src/value/scalar.ts';
import {
  type CallEnvironment,
  callAndReadRows,
  callAndReadScalar,
  createContext,
  createMatrix,
  createReference,
  findSpec,
} from './call.ts';
import { assertNear, checkCalls } from './cases.ts';

test('ROUND rounds the displayed decimal, halves away from zero', () => {
  checkCalls([
    ['ROUND', [2.15, 1], 2.2],
    ['ROUND', [2.149, 1], 2.1],
    ['ROUND', [-1.475, 2], -1.48],
    ['ROUND', [21.5, -1], 20],
    ['ROUND', [626.3, -3], 1000],
    ['ROUND', [1.98, -1], 0],
    ['ROUND', [-50.55, -2], -100],
    ['ROUND', [1.005, 2], 1.01],
    ['ROUND', [2.675, 2], 2.68],
    ['ROUND', [0.5, 0], 1],
    ['ROUND', [-0.5, 0], -1],
    ['ROUND', [5, -400], 0],
    ['ROUND', [1.5, 400], 1.5],
    ['ROUNDUP', [3.2, 0], 4],
    ['ROUNDUP', [-3.15159, 1], -3.2],
    ['ROUNDUP', [31415.92654, -2], 31500],
    ['ROUNDUP', [4.35, 2], 4.35],
    ['ROUNDDOWN', [4.35, 2], 4.35],
    ['ROUNDDOWN', [-3.15159, 1], -3.1],
    ['ROUNDDOWN', [31415.92654, -2], 31400],
    ['TRUNC', [-8.9], -8],
    ['TRUNC', [0.45], 0],
    ['INT', [-8.9], -9],
    ['INT', [(0.1 + 0.7) * 10], 7],
  ]);
});

test('multiples: the signs decide the rounding direction and which arguments are errors', () => {
  checkCalls([
    ['CEILING', [2.5, 1], 3],
    ['CEILING', [-2.5, -2], -4],
    ['CEILING', [-2.5, 2], -2],
    ['CEILING', [2.5, -2], '#NUM!'],
    ['CEILING', [1.5, 0.1], 1.5],
    ['CEILING', [0.234, 0.01], 0.24],
    ['CEILING', [7, 0], 0],
    ['FLOOR', [3.7, 2], 2],
    ['FLOOR', [-2.5, -2], -2],
    ['FLOOR', [-2.5, 2], -4],
    ['FLOOR', [2.5, -2], '#NUM!'],
    ['FLOOR', [1.58, 0.1], 1.5],
    ['FLOOR', [2, 0], '#DIV/0!'],
    ['FLOOR', [0.3, 0.1], 0.3],
    ['CEILING.MATH', [24.3, 5], 25],
    ['CEILING.MATH', [-8.1, 2], -8],
    ['CEILING.MATH', [-5.5, 2, -1], -6],
    ['FLOOR.MATH', [-8.1, 2], -10],
    ['FLOOR.MATH', [-5.5, 2, -1], -4],
    ['CEILING.PRECISE', [-4.3, -2], -4],
    ['ISO.CEILING', [-4.3], -4],
    ['FLOOR.PRECISE', [-3.2, -1], -4],
    ['MROUND', [10, 3], 9],
    ['MROUND', [-10, -3], -9],
    ['MROUND', [1.3, 0.2], 1.4],
    ['MROUND', [5, -2], '#NUM!'],
    ['MROUND', [true, 2], '#VALUE!'],
    ['MROUND', [undefined, 3], '#N/A'],
    ['EVEN', [1.5], 2],
    ['EVEN', [-1], -2],
    ['EVEN', [2], 2],
    ['ODD', [1.5], 3],
    ['ODD', [-2], -3],
    ['ODD', [0], 1],
  ]);
});

test('elementary functions are errors where they are undefined', () => {
  checkCalls([
    ['MOD', [-3, 2], 1],
    ['MOD', [3, -2], -1],
    ['MOD', [3, 0], '#DIV/0!'],
    ['MOD', [6.25, 1], 0.25],
    ['QUOTIENT', [-10, 3], -3],
    ['QUOTIENT', [1, 0], '#DIV/0!'],
    ['POWER', [98.6, 3.2], 98.6 ** 3.2],
    ['POWER', [0, 0], '#NUM!'],
    ['POWER', [0, -1], '#DIV/0!'],
    ['POWER', [-8, 1 / 3], -2],
    ['POWER', [-8, 0.5], '#NUM!'],
    ['SQRT', [-1], '#NUM!'],
    ['SQRTPI', [2], Math.sqrt(2 * Math.PI)],
    ['LN', [0], '#NUM!'],
    ['LOG', [8, 2], 3],
    ['LOG', [10, 1], '#DIV/0!'],
    ['LOG', [10, -2], '#NUM!'],
    ['LOG10', [1e5], 5],
    ['ACOS', [2], '#NUM!'],
    ['ATAN2', [-1, -1], -2.35619449019234],
    ['ATAN2', [0, 0], '#DIV/0!'],
    ['ACOT', [-2], Math.PI - 0.463647609000806],
    ['ACOTH', [6], 0.168236118310606],
    ['ACOTH', [1], '#NUM!'],
    ['COT', [30], -0.156119952161659],
    ['COT', [0], '#DIV/0!'],
    ['SEC', [45], 1.90359440740442],
    ['SIN', [2 ** 27], '#NUM!'],
    ['DEGREES', [Math.PI], 180],
    ['RADIANS', [270], 4.71238898038469],
    ['EXP', [1000], '#NUM!'],
    ['SIGN', [-0.00001], -1],
    ['ABS', ['-4'], 4],
    ['ABS', ['four'], '#VALUE!'],
    ['ABS', [true], 1],
  ]);
});

test('counts combinations and permutations', () => {
  checkCalls([
    ['FACT', [5], 120],
    ['FACT', [1.9], 1],
    ['FACT', [-1], '#NUM!'],
    ['FACT', [171], '#NUM!'],
    ['FACTDOUBLE', [7], 105],
    ['FACTDOUBLE', [6], 48],
    ['FACTDOUBLE', [-1], 1],
    ['FACTDOUBLE', [-2], '#NUM!'],
    ['COMBIN', [8, 2], 28],
    ['COMBIN', [50, 25], 126410606437752],
    ['COMBIN', [3, 4], '#NUM!'],
    ['COMBINA', [4, 3], 20],
    ['COMBINA', [10, 3], 220],
    ['COMBINA', [0, 0], 1],
    ['GCD', [24, 36], 12],
    ['GCD', [7, 1], 1],
    ['GCD', [5, 0], 5],
    ['GCD', [-3, 6], '#NUM!'],
    ['LCM', [24, 36], 72],
    ['LCM', [2 ** 52, 3], '#NUM!'],
    ['MULTINOMIAL', [2, 3, 4], 1260],
  ]);
});

test('converts Roman, Arabic and other numerals', () => {
  checkCalls([
    ['ROMAN', [499, 0], 'CDXCIX'],
    ['ROMAN', [499, 1], 'LDVLIV'],
    ['ROMAN', [499, 2], 'XDIX'],
    ['ROMAN', [499, 3], 'VDIV'],
    ['ROMAN', [499, 4], 'ID'],
    ['ROMAN', [4000], '#VALUE!'],
    ['ROMAN', [0], ''],
    ['ARABIC', ['LVII'], 57],
    ['ARABIC', ['mcmxii'], 1912],
    ['ARABIC', ['-IV'], -4],
    ['ARABIC', ['ABC'], '#VALUE!'],
    ['ARABIC', [''], 0],
    ['BASE', [7, 2], '111'],
    ['BASE', [100, 16], '64'],
    ['BASE', [15, 2, 10], '0000001111'],
    ['BASE', [15, 37], '#NUM!'],
    ['DECIMAL', ['FF', 16], 255],
    ['DECIMAL', ['zap', 36], 45745],
    ['DECIMAL', ['2', 2], '#NUM!'],
  ]);
});

const MIXED: CallEnvironment = { grid: [[1], ['2'], [true], [null], ['x'], [4]] };

test('aggregates skip texts, booleans and blanks in ranges, but convert direct arguments', () => {
  checkCalls(
    [
      ['SUM', [createReference('A1:A6')], 5],
      ['SUM', [1, '2', true, null], 4],
      ['SUM', ['x'], '#VALUE!'],
      ['SUM', [createMatrix([[1, 'x', true]]), 2], 3],
      ['PRODUCT', [createReference('A1:A6')], 4],
      ['PRODUCT', [createReference('A4')], 0],
      ['SUMSQ', [3, 4], 25],
      [
        'SUMPRODUCT',
        [
          createMatrix([
            [3, 4],
            [8, 6],
            [1, 9],
          ]),
          createMatrix([
            [2, 7],
            [6, 7],
            [5, 3],
          ]),
        ],
        156,
      ],
      ['SUMPRODUCT', [createReference('A1:A6'), createReference('A1:A6')], 17],
      ['SUMPRODUCT', [createReference('A1:A6'), createReference('A1:A5')], '#VALUE!'],
      ['SUMX2MY2', [createMatrix([[2, 3, 9, 1, 8, 7, 5]]), createMatrix([[6, 5, 11, 7, 5, 4, 4]])], -55],
      ['SUMX2PY2', [createMatrix([[2, 3, 9, 1, 8, 7, 5]]), createMatrix([[6, 5, 11, 7, 5, 4, 4]])], 521],
      ['SUMXMY2', [createMatrix([[2, 3, 9, 1, 8, 7, 5]]), createMatrix([[6, 5, 11, 7, 5, 4, 4]])], 79],
      ['SUMXMY2', [createMatrix([[1, 2]]), createMatrix([[1]])], '#N/A'],
      ['SERIESSUM', [2, 0, 2, createMatrix([[1, -0.5, 0.25]])], 3],
    ],
    MIXED,
  );
});

test('the first error of an aggregate is its result', () => {
  const environment: CallEnvironment = { grid: [[1], [REF], [NA]] };
  checkCalls(
    [
      ['SUM', [createReference('A1:A3')], '#REF!'],
      ['SUM', [DIV0, createReference('A1:A3')], '#DIV/0!'],
      ['SUMPRODUCT', [createReference('A1:A3')], '#REF!'],
      ['PRODUCT', [createReference('A3'), createReference('A2')], '#N/A'],
    ],
    environment,
  );
});

const SALES: CallEnvironment = {
  grid: [
    ['apples', 'north', 10],
    ['pears', 'north', 20],
    ['Apples', 'south', 30],
    ['plums', 'south', 40],
    ['apricots', null, 50],
  ],
};

test('SUMIF and SUMIFS select by criteria, independent of the shape of the third argument', () => {
  checkCalls(
    [
      ['SUMIF', [createReference('A1:A5'), 'apples', createReference('C1:C5')], 40],
      ['SUMIF', [createReference('A1:A5'), 'ap*', createReference('C1')], 90],
      ['SUMIF', [createReference('C1:C5'), '>20'], 120],
      ['SUMIF', [createReference('B1:B5'), '', createReference('C1:C5')], 50],
      ['SUMIF', [createReference('A:A'), '<>plums', createReference('C:C')], 110],
      ['SUMIFS', [createReference('C1:C5'), createReference('A1:A5'), 'ap*', createReference('B1:B5'), 'south'], 30],
      ['SUMIFS', [createReference('C1:C5'), createReference('A1:A4'), 'ap*'], '#VALUE!'],
      ['SUMIFS', [createReference('C1:C9'), createReference('A1:A9'), '?????', createReference('C1:C9'), '<30'], 20],
    ],
    SALES,
  );
});

function createContextWithSubtotals(
  grid: CallEnvironment['grid'],
  hiddenRow: number,
  subtotalRow: number,
): FunctionContext {
  const context = createContext(grid ? { grid } : {});
  return {
    ...context,
    workbook: {
      ...context.workbook,
      isRowHidden: (_, row) => row === hiddenRow,
      isRowFiltered: () => false,
      hasHiddenRows: ({ top, bottom }, by) => by === 'hidden' && top <= hiddenRow && hiddenRow <= bottom,
      isSubtotal: (_, row) => row === subtotalRow,
      hasSubtotals: ({ top, bottom }) => top <= subtotalRow && subtotalRow <= bottom,
    },
  };
}

test('SUBTOTAL always omits other subtotals, and hidden rows from 101 on; AGGREGATE by its option', () => {
  const context = createContextWithSubtotals([[1], [2], [3], [6], [DIV0]], 1, 3);
  const cases: readonly (readonly [string, readonly Value[], Scalar])[] = [
    ['SUBTOTAL', [9, createReference('A1:A4')], 6],
    ['SUBTOTAL', [109, createReference('A1:A4')], 4],
    ['SUBTOTAL', [2, createReference('A1:A5')], 3],
    ['SUBTOTAL', [3, createReference('A1:A5')], 4],
    ['SUBTOTAL', [9, createReference('A1:A5')], DIV0],
    ['AGGREGATE', [9, 6, createReference('A1:A5')], 12],
    ['AGGREGATE', [9, 7, createReference('A1:A5')], 10],
    ['AGGREGATE', [9, 3, createReference('A1:A5')], 4],
    ['AGGREGATE', [9, 4, createReference('A1:A4')], 12],
    ['AGGREGATE', [14, 6, createReference('A1:A5'), 2], 3],
    ['AGGREGATE', [15, 6, createMatrix([[5, DIV0, 4]]), 1], 4],
  ];
  for (const [name, args, expected] of cases) {
    assert.equal(invokeFunction(findSpec(name), context, args), expected, `${name}(${args.join('; ')})`);
  }
});

test('matrices multiply, invert and have a determinant', () => {
  assert.deepEqual(
    callAndReadRows('MMULT', [
      createMatrix([
        [1, 3],
        [7, 2],
      ]),
      createMatrix([
        [2, 0],
        [0, 2],
      ]),
    ]),
    [
      [2, 6],
      [14, 4],
    ],
  );
  assert.deepEqual(callAndReadRows('MUNIT', [2]), [
    [1, 0],
    [0, 1],
  ]);
  checkCalls([
    [
      'MDETERM',
      [
        createMatrix([
          [1, 3, 8, 5],
          [1, 3, 6, 1],
          [1, 1, 1, 0],
          [7, 3, 10, 2],
        ]),
      ],
      88,
    ],
    [
      'MDETERM',
      [
        createMatrix([
          [3, 6, 1],
          [1, 1, 0],
          [3, 10, 2],
        ]),
      ],
      1,
    ],
    ['MDETERM', [createMatrix([[1, 2]])], '#VALUE!'],
    [
      'MINVERSE',
      [
        createMatrix([
          [1, 2],
          [2, 4],
        ]),
      ],
      '#NUM!',
    ],
    [
      'MINVERSE',
      [
        createMatrix([
          [4, -1],
          [2, 0],
        ]),
      ],
      0,
    ],
    ['MMULT', [createMatrix([[1, 2]]), createMatrix([[1, 2]])], '#VALUE!'],
    ['MMULT', [createMatrix([[1, 'x']]), createMatrix([[1], [2]])], '#VALUE!'],
    ['MUNIT', [0], '#VALUE!'],
  ]);
});

test('a matrix times its inverse is the identity', () => {
  const entry = fc.integer({ min: -9, max: 9 });
  fc.assert(
    fc.property(fc.array(fc.array(entry, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 }), (rows) => {
      // With a dominant diagonal the matrix is not singular.
      const regular = createMatrix(rows.map((row, i) => row.map((value, j) => (i === j ? value + 40 : value))));
      const inverse = createMatrix(callAndReadRows('MINVERSE', [regular]));
      const identity = callAndReadRows('MMULT', [regular, inverse]);
      identity.forEach((row, i) => {
        row.forEach((value, j) => {
          assertNear(value, i === j ? 1 : 0, `${i},${j}`, 1e-10);
        });
      });
    }),
  );
});

test('rounded numbers are the nearest decimals, and rounding again changes nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }), (units, digits) => {
      const decimal = units / 10 ** digits;
      assert.equal(callAndReadScalar('ROUND', [decimal, digits]), decimal + 0);
      assert.equal(callAndReadScalar('ROUNDUP', [decimal, digits]), decimal + 0);
      assert.equal(callAndReadScalar('ROUNDDOWN', [decimal, digits]), decimal + 0);
    }),
  );
});

test('random numbers are determined by the seed of the calculation', () => {
  checkCalls(
    [
      ['RAND', [], 0.25],
      ['RANDBETWEEN', [1, 10], 3],
      ['RANDBETWEEN', [2.1, 2.9], '#NUM!'],
    ],
    { random: () => 0.25 },
  );
  assert.equal(findSpec('RAND').volatile, true);
  assert.equal(findSpec('RANDBETWEEN').volatile, true);
});

test('CEILING and FLOOR round by the amount, in the direction of their step', () => {
  checkCalls([
    ['FLOOR', [-11, -2], -10],
    ['CEILING', [-11, -2], -12],
    ['FLOOR', [5, 0], '#DIV/0!'],
    ['CEILING', [5, 0], 0],
    ['FLOOR', [5, -2], '#NUM!'],
  ]);
});
