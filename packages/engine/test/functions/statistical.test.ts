import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import { invokeFunction } from '../../src/functions/invoke.ts';
import { Matrix } from '../../src/functions/value.ts';
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

const STRENGTHS = createMatrix([[1345], [1301], [1368], [1322], [1310], [1370], [1318], [1350], [1303], [1299]]);
const MIXED: CallEnvironment = { grid: [[10], [7], [9], [2], ['n/a'], [true], [null], ['']] };

test('computes statistics of a sample', () => {
  checkCalls(
    [
      ['STDEV.S', [STRENGTHS], 27.46391571984349],
      ['STDEV', [STRENGTHS], 27.46391571984349],
      ['STDEV.P', [STRENGTHS], 26.05455814248191],
      ['VAR.S', [STRENGTHS], 754.2666666666667],
      ['VAR.P', [STRENGTHS], 678.84],
      ['STDEV.S', [5], '#DIV/0!'],
      ['AVEDEV', [4, 5, 6, 7, 5, 4, 3], 1.020408163265306],
      ['DEVSQ', [4, 5, 8, 7, 11, 4, 3], 48],
      ['GEOMEAN', [4, 5, 8, 7, 11, 4, 3], 5.476986969656962],
      ['HARMEAN', [4, 5, 8, 7, 11, 4, 3], 5.028375962061728],
      ['GEOMEAN', [1, 0], '#NUM!'],
      ['KURT', [3, 4, 5, 2, 3, 4, 5, 6, 4, 7], -0.151799637208416],
      ['SKEW', [3, 4, 5, 2, 3, 4, 5, 6, 4, 7], 0.359543071406797],
      ['SKEW.P', [3, 4, 5, 2, 3, 4, 5, 6, 4, 7], 0.303193339354144],
      ['SKEW', [1, 2], '#DIV/0!'],
      ['MEDIAN', [1, 2, 3, 4, 5, 6], 3.5],
      ['MODE.SNGL', [5.6, 4, 4, 3, 2, 4], 4],
      ['MODE.SNGL', [1, 2, 3], '#N/A'],
      ['TRIMMEAN', [createMatrix([[4, 5, 6, 7, 2, 3, 4, 5, 1, 2, 3]]), 0.2], 34 / 9],
      ['TRIMMEAN', [createMatrix([[1, 2]]), 1], '#NUM!'],
    ],
    {},
    1e-12,
  );
  assert.deepEqual(callAndReadRows('MODE.MULT', [createMatrix([[1, 2, 4, 3, 3, 2]])]), [[2], [3]]);
});

test('averages and counts differ in what counts as a number', () => {
  checkCalls(
    [
      ['AVERAGE', [createReference('A1:A8')], 7],
      ['AVERAGEA', [createReference('A1:A8')], 29 / 7],
      ['AVERAGE', [createReference('A5')], '#DIV/0!'],
      ['AVERAGE', [1, true, '4'], 2],
      ['COUNT', [createReference('A1:A8')], 4],
      ['COUNT', [1, '2', true, 'x'], 3],
      ['COUNTA', [createReference('A1:A8')], 7],
      ['COUNTBLANK', [createReference('A1:A8')], 2],
      ['COUNTBLANK', [createReference('A1:B8')], 10],
      ['MAX', [createReference('A1:A8')], 10],
      ['MAXA', [createReference('A5:A6')], 1],
      ['MIN', [createReference('A5:A8')], 0],
      ['MINA', [createReference('A1:A8')], 0],
      ['VARA', [createReference('A5:A6')], 0.5],
    ],
    MIXED,
  );
});

test('conditional aggregates use the matching cells', () => {
  const environment: CallEnvironment = {
    grid: [
      ['apples', 32],
      ['oranges', 54],
      ['peaches', 75],
      ['apples', 86],
      [null, 5],
    ],
  };
  checkCalls(
    [
      ['COUNTIF', [createReference('A1:A5'), 'apples'], 2],
      ['COUNTIF', [createReference('A1:A5'), '*es'], 4],
      ['COUNTIF', [createReference('A1:A5'), '<>apples'], 3],
      ['COUNTIF', [createReference('A1:A9'), ''], 5],
      ['COUNTIF', [createReference('B1:B5'), '>55'], 2],
      ['COUNTIFS', [createReference('A1:A5'), 'apples', createReference('B1:B5'), '>50'], 1],
      ['AVERAGEIF', [createReference('A1:A5'), 'apples', createReference('B1:B5')], 59],
      ['AVERAGEIF', [createReference('A1:A5'), 'figs', createReference('B1:B5')], '#DIV/0!'],
      [
        'AVERAGEIFS',
        [createReference('B1:B5'), createReference('B1:B5'), '>50', createReference('A1:A5'), '<>apples'],
        64.5,
      ],
      ['MAXIFS', [createReference('B1:B5'), createReference('A1:A5'), 'apples'], 86],
      ['MINIFS', [createReference('B1:B5'), createReference('A1:A5'), 'figs'], 0],
      ['COUNTIFS', [createReference('A1:A5'), 'apples', createReference('B1:B4'), '>50'], '#VALUE!'],
    ],
    environment,
  );
});

test('computes order statistics', () => {
  const scores = createMatrix([[3, 5, 3, 5, 4, 4, 2, 4, 6, 7]]);
  const values = createMatrix([[1, 2, 4, 7, 8, 9, 10, 12]]);
  checkCalls([
    ['LARGE', [scores, 3], 5],
    ['LARGE', [scores, 7], 4],
    ['SMALL', [scores, 4], 4],
    ['SMALL', [scores, 11], '#NUM!'],
    ['PERCENTILE.INC', [createMatrix([[1, 3, 2, 4]]), 0.3], 1.9],
    ['PERCENTILE.INC', [createMatrix([[1, 2]]), 1.1], '#NUM!'],
    ['PERCENTILE.EXC', [createMatrix([[6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49]]), 0.25], 15],
    ['PERCENTILE.EXC', [createMatrix([[1, 2, 3]]), 0.1], '#NUM!'],
    ['QUARTILE.INC', [values, 1], 3.5],
    ['QUARTILE.EXC', [createMatrix([[6, 7, 15, 36, 39, 40, 41, 42, 43, 47, 49]]), 3], 43],
    ['PERCENTRANK.INC', [createMatrix([[13, 12, 11, 8, 4, 3, 2, 1, 1, 1]]), 2], 0.333],
    ['PERCENTRANK.INC', [createMatrix([[13, 12, 11, 8, 4, 3, 2, 1, 1, 1]]), 5], 0.583],
    ['PERCENTRANK.EXC', [createMatrix([[1, 2, 3, 6, 6, 6, 7, 8, 9]]), 7], 0.7],
    ['PERCENTRANK.EXC', [createMatrix([[1, 2, 3, 6, 6, 6, 7, 8, 9]]), 5.43, 2], 0.38],
    ['PERCENTRANK.INC', [values, 99], '#N/A'],
    ['RANK.EQ', [3.5, createMatrix([[7, 3.5, 3.5, 1, 2]]), 1], 3],
    ['RANK.EQ', [7, createMatrix([[7, 3.5, 3.5, 1, 2]])], 1],
    ['RANK.AVG', [3.5, createMatrix([[7, 3.5, 3.5, 1, 2]])], 2.5],
    ['RANK.EQ', [5, createMatrix([[7, 1]])], '#N/A'],
  ]);
  const ages = createMatrix([[79], [85], [78], [85], [50], [81], [95], [88], [97]]);
  assert.deepEqual(callAndReadRows('FREQUENCY', [ages, createMatrix([[70], [79], [89]])]), [[1], [2], [4], [2]]);
  assert.deepEqual(callAndReadRows('LARGE', [scores, createMatrix([[1, 2, 3]])]), [[7, 6, 5]]);
});

// Examples in Excel's documentation. The expected values were computed with 40 digits, because the documentation prints
// only 6 to 9 correct digits.
test('computes continuous distributions', () => {
  checkCalls(
    [
      ['NORM.DIST', [42, 40, 1.5, true], 0.9087887802741321],
      ['NORM.DIST', [42, 40, 1.5, false], 0.1093400497839957],
      ['NORM.INV', [0.908789, 40, 1.5], 42.00000200956616],
      ['NORM.S.DIST', [1.333333, true], 0.9087887256040951],
      ['NORM.S.INV', [0], '#NUM!'],
      ['GAUSS', [2], 0.477249868051821],
      ['PHI', [0.75], 0.301137432154804],
      ['LOGNORM.DIST', [4, 3.5, 1.2, true], 0.03908355570680047],
      ['LOGNORM.INV', [0.039084, 3.5, 1.2], 4.000025218680635],
      ['EXPON.DIST', [0.2, 10, true], 0.864664716763387],
      ['WEIBULL.DIST', [105, 20, 100, true], 0.929581390069277],
      ['WEIBULL.DIST', [105, 20, 100, false], 0.0355888640245044],
      ['GAMMA.DIST', [10.00001131, 9, 2, false], 0.032639130418294],
      ['GAMMA.DIST', [10.00001131, 9, 2, true], 0.0680940038697873],
      ['GAMMA.INV', [0.068094, 9, 2], 10.00001119143718],
      ['BETA.DIST', [2, 8, 10, true, 1, 3], 0.6854705810546875],
      ['BETA.DIST', [2, 8, 10, false, 1, 3], 1.4837646484375],
      ['BETA.INV', [0.685470581054688, 8, 10, 1, 3], 2],
      ['GAMMA', [2.5], 1.32934038817914],
      ['GAMMA', [-3.75], 0.2678661288614166],
      ['GAMMA', [-2], '#NUM!'],
      ['GAMMALN', [4], 1.79175946922805],
      ['FISHER', [0.75], 0.972955074527657],
      ['FISHERINV', [0.972955], 0.7499999673941484],
      ['CONFIDENCE.NORM', [0.05, 2.5, 50], 0.692951912174839],
      ['CONFIDENCE.T', [0.05, 1, 50], 0.2841968554957299],
    ],
    {},
    1e-12,
  );
});

test('computes distributions of test statistics', () => {
  checkCalls(
    [
      ['CHISQ.DIST', [0.5, 1, true], 0.5204998778130465],
      ['CHISQ.DIST', [2, 3, false], 0.207553748710297],
      ['CHISQ.DIST.RT', [18.307, 10], 0.0500005890913981],
      ['CHISQ.INV', [0.93, 1], 3.28302028675954],
      ['CHISQ.INV.RT', [0.050001, 10], 18.30697345696106],
      ['T.DIST', [60, 1, true], 0.994695326367377],
      ['T.DIST', [8, 3, false], 0.0007369065209469263],
      ['T.DIST.2T', [1.959999998, 60], 0.05464492997592087],
      ['T.DIST.2T', [-1, 60], '#NUM!'],
      ['T.INV', [0.75, 2], 0.816496580927726],
      ['T.INV.2T', [0.546449, 60], 0.6065330758257551],
      ['F.DIST', [15.2069, 6, 4, true], 0.9900000430027627],
      ['F.DIST', [15.2069, 6, 4, false], 0.001223791708783173],
      ['F.DIST.RT', [15.2068649, 6, 4], 0.0099999999524646],
      ['F.INV', [0.01, 6, 4], 0.1093099141245785],
      ['F.INV.RT', [0.01, 6, 4], 15.20686486115753],
      ['F.INV', [1, 6, 4], '#NUM!'],
    ],
    {},
    1e-12,
  );
});

test('computes discrete distributions', () => {
  checkCalls(
    [
      ['BINOM.DIST', [6, 10, 0.5, false], 0.205078125],
      ['BINOM.DIST', [6, 10, 0.5, true], 0.828125],
      ['BINOM.DIST', [11, 10, 0.5, true], '#NUM!'],
      ['BINOM.DIST.RANGE', [60, 0.75, 48], 0.0839749674290475],
      ['BINOM.DIST.RANGE', [60, 0.75, 45, 50], 0.5236297934718872],
      ['BINOM.INV', [6, 0.5, 0.75], 4],
      ['NEGBINOM.DIST', [10, 5, 0.25, true], 0.3135140584781766],
      ['NEGBINOM.DIST', [10, 5, 0.25, false], 0.05504866037517786],
      ['HYPGEOM.DIST', [1, 4, 8, 20, true], 0.4654282765737874],
      ['HYPGEOM.DIST', [1, 4, 8, 20, false], 0.363261093911249],
      ['HYPGEOM.DIST', [3, 4, 8, 20, true], 1 - 70 / 4845],
      ['HYPGEOM.DIST', [4, 4, 8, 20, true], 1],
      ['HYPGEOM.DIST', [9e8, 1e9, 1e9, 3e9, true], 1],
      ['POISSON.DIST', [2, 5, true], 0.124652019483081],
      ['POISSON.DIST', [2, 5, false], 0.0842243374885683],
      ['PERMUT', [100, 3], 970200],
      ['PERMUTATIONA', [3, 2], 9],
      ['PROB', [createMatrix([[0], [1], [2], [3]]), createMatrix([[0.2], [0.3], [0.1], [0.4]]), 2], 0.1],
      ['PROB', [createMatrix([[0], [1], [2], [3]]), createMatrix([[0.2], [0.3], [0.1], [0.4]]), 1, 3], 0.8],
      ['PROB', [createMatrix([[0], [1]]), createMatrix([[0.2], [0.3]]), 1], '#NUM!'],
    ],
    {},
    1e-12,
  );
});

test('an inverse undoes its distribution', () => {
  const probability = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
  const shape = fc.double({ min: 0.2, max: 300, noNaN: true });
  const df = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(probability, shape, shape, df, df, (p, a, b, m, n) => {
      const pairs: readonly (readonly [string, string, readonly number[]])[] = [
        ['NORM.INV', 'NORM.DIST', [a, b]],
        ['GAMMA.INV', 'GAMMA.DIST', [a, b]],
        ['CHISQ.INV', 'CHISQ.DIST', [m]],
        ['T.INV', 'T.DIST', [m]],
        ['F.INV', 'F.DIST', [m, n]],
      ];
      for (const [inverse, distribution, parameters] of pairs) {
        const x = callAndReadScalar(inverse, [p, ...parameters]) as number;
        assertNear(
          callAndReadScalar(distribution, [x, ...parameters, true]),
          p,
          `${inverse}(${p}; ${parameters})`,
          1e-9,
        );
      }
    }),
    { numRuns: 40 },
  );
});

test('fits lines through points', () => {
  const ys = createMatrix([[2], [3], [9], [1], [8], [7], [5]]);
  const xs = createMatrix([[6], [5], [11], [7], [5], [4], [4]]);
  const plane = createMatrix([
    [1, 2],
    [2, 1],
    [3, 5],
    [4, 3],
    [5, 8],
  ]);
  const onPlane = createMatrix([[1 + 2 * 1 + 3 * 2], [1 + 2 * 2 + 3], [1 + 6 + 15], [1 + 8 + 9], [1 + 10 + 24]]);
  checkCalls(
    [
      ['SLOPE', [ys, xs], 0.305555555555556],
      ['INTERCEPT', [createMatrix([[2, 3, 9, 1, 8]]), createMatrix([[6, 5, 11, 7, 5]])], 0.0483870967741935],
      ['RSQ', [ys, xs], 0.0579501915708812],
      ['STEYX', [ys, xs], 3.30571895021093],
      ['CORREL', [createMatrix([[3, 2, 4, 5, 6]]), createMatrix([[9, 7, 12, 15, 17]])], 0.997054485501581],
      ['COVARIANCE.P', [createMatrix([[3, 2, 4, 5, 6]]), createMatrix([[9, 7, 12, 15, 17]])], 5.2],
      ['COVARIANCE.S', [createMatrix([[2, 4, 8]]), createMatrix([[5, 11, 12]])], 9.66666666666667],
      ['CORREL', [createMatrix([[1, 2]]), createMatrix([[1, 2, 3]])], '#N/A'],
      ['SLOPE', [createMatrix([[1, 2]]), createMatrix([[3, 3]])], '#DIV/0!'],
      [
        'FORECAST.LINEAR',
        [30, createMatrix([[6, 7, 9, 15, 21]]), createMatrix([[20, 28, 31, 38, 40]])],
        10.6072530864198,
      ],
    ],
    {},
    1e-12,
  );
  const assertClose = (actual: unknown, expected: readonly number[][]) => {
    (actual as number[][]).forEach((row, r) => {
      row.forEach((value, c) => {
        assertNear(value, elementAt(elementAt(expected, r), c), `${r},${c}`, 1e-10);
      });
    });
  };
  assertClose(callAndReadRows('LINEST', [createMatrix([[1], [9], [5], [7]]), createMatrix([[0], [4], [2], [3]])]), [
    [2, 1],
  ]);
  assertClose(callAndReadRows('LINEST', [onPlane, plane]), [[3, 2, 1]]);
  assertClose(callAndReadRows('TREND', [onPlane, plane, createMatrix([[10, 10]])]), [[51]]);
  assertClose(callAndReadRows('LOGEST', [createMatrix([[2], [6], [18]])]), [[3, 2 / 3]]);
  assertClose(callAndReadRows('GROWTH', [createMatrix([[2], [6], [18]]), undefined, createMatrix([[4], [5]])]), [
    [54],
    [162],
  ]);
});

test('LINEST returns the statistics of a regression', () => {
  const xs = [1, 2, 3, 4];
  const ys = [1, 3, 2, 5];
  // Computed by hand: slope 1.1, intercept 0, residuals −0.1, 0.8, −1.3, 0.6 with a sum of squares of 2.7; Σ(x − x̄)² =
  // 5.
  const residual = 2.7;
  const deviation = Math.sqrt(residual / 2);
  const table = callAndReadRows('LINEST', [createMatrix([ys]), createMatrix([xs]), true, true]) as number[][];
  const expected = [
    [1.1, 0],
    [deviation / Math.sqrt(5), deviation * Math.sqrt(1 / 4 + 2.5 ** 2 / 5)],
    [6.05 / 8.75, deviation],
    [6.05 / (residual / 2), 2],
    [6.05, residual],
  ];
  expected.forEach((row, r) => {
    row.forEach((value, c) => {
      assertNear(elementAt(elementAt(table, r), c), value, `${r},${c}`, 1e-11);
    });
  });
});

test('computes hypothesis tests', () => {
  const a = createMatrix([[3, 4, 5, 8, 9, 1, 2, 4, 5]]);
  const b = createMatrix([[6, 19, 3, 2, 14, 4, 5, 17, 1]]);
  const actual = createMatrix([
    [58, 35],
    [11, 25],
    [10, 23],
  ]);
  const expected = createMatrix([
    [45.35, 47.65],
    [17.56, 18.44],
    [16.09, 16.91],
  ]);
  checkCalls(
    [
      ['T.TEST', [a, b, 2, 1], 0.196015784925282],
      ['T.TEST', [a, b, 3, 1], '#NUM!'],
      ['F.TEST', [createMatrix([[6, 7, 9, 15, 21]]), createMatrix([[20, 28, 31, 38, 40]])], 0.6483178467861745],
      ['CHISQ.TEST', [actual, expected], 0.0003081920170083095],
      ['CHISQ.TEST', [actual, createMatrix([[1]])], '#N/A'],
      ['Z.TEST', [createMatrix([[3, 6, 7, 8, 6, 5, 4, 2, 1, 9]]), 4], 0.09057419685136386],
      ['Z.TEST', [createMatrix([[3, 6, 7, 8, 6, 5, 4, 2, 1, 9]]), 6], 0.8630433891295299],
    ],
    {},
    1e-12,
  );
});

const MONTHS = createMatrix([Array.from({ length: 24 }, (_, i) => i + 1)]);
const SHAPE = [5, -3, 0, -2];
const SEASONAL = createMatrix([Array.from({ length: 24 }, (_, i) => 100 + 2 * i + elementAt(SHAPE, i % 4))]);

test('exponential smoothing continues a straight line and a season without noise', () => {
  checkCalls(
    [
      ['FORECAST.ETS', [6, createMatrix([[1, 2, 3, 4]]), createMatrix([[2, 3, 4, 5]])], 5],
      ['FORECAST.ETS', [6.5, createMatrix([[1, 2, 3, 4]]), createMatrix([[2, 3, 4, 5]])], 5.5],
      ['FORECAST.ETS', [6, createMatrix([[4, 1, 3, 2]]), createMatrix([[5, 2, 4, 3]])], 5],
      ['FORECAST.ETS', [25, SEASONAL, MONTHS], 100 + 2 * 24 + 5],
      ['FORECAST.ETS', [30, SEASONAL, MONTHS, 4], 100 + 2 * 29 - 3],
      ['FORECAST.ETS.SEASONALITY', [SEASONAL, MONTHS], 4],
      ['FORECAST.ETS.SEASONALITY', [MONTHS, MONTHS], 1],
      ['FORECAST.ETS.STAT', [SEASONAL, MONTHS, 8], 1],
      ['FORECAST.ETS', [1, createMatrix([[1, 2, 3, 4]]), createMatrix([[2, 3, 4, 5]])], '#NUM!'],
      ['FORECAST.ETS', [9, createMatrix([[1, 2, 3]]), createMatrix([[2, 3]])], '#N/A'],
      ['FORECAST.ETS', [9, createMatrix([[1, 2, 3]]), createMatrix([[1, 2, 3.7]])], '#NUM!'],
      ['FORECAST.ETS', [9, createMatrix([[1, 2, 3, 5, 6]]), createMatrix([[1, 2, 3, 5, 6]])], 9],
      ['FORECAST.ETS.CONFINT', [30, SEASONAL, MONTHS, 1], '#NUM!'],
    ],
    {},
    1e-8,
  );
});

test('a farther forecast is less certain', () => {
  const noisy = createMatrix([[1, 3, 2, 5, 4, 7, 5, 8, 8, 9]]);
  const times = createMatrix([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]);
  const near95 = callAndReadScalar('FORECAST.ETS.CONFINT', [11, noisy, times, 0.95, 0]) as number;
  const far95 = callAndReadScalar('FORECAST.ETS.CONFINT', [15, noisy, times, 0.95, 0]) as number;
  const near80 = callAndReadScalar('FORECAST.ETS.CONFINT', [11, noisy, times, 0.8, 0]) as number;
  assert.ok(near80 < near95 && near95 <= far95);
});

test('checks the bounds of probabilities', () => {
  checkCalls([
    ['NEGBINOM.DIST', [2, 10, 0, true], '#NUM!'],
    ['NEGBINOM.DIST', [2, 10, 1, true], '#NUM!'],
    ['NEGBINOM.DIST', [0, 1, 0.5, true], 0.5],
    // Excel refuses probabilities 0 and 1 in BINOM.INV; CRITBINOM returns the smallest number of successes.
    ['BINOM.INV', [10, 0.7, 0], '#NUM!'],
    ['BINOM.INV', [10, 0.7, 1], '#NUM!'],
    ['BINOM.INV', [10, 1, 0.8], '#NUM!'],
    ['CRITBINOM', [100, 0, 0.1], 0],
    ['CRITBINOM', [100, 1, 0.1], 100],
    ['CRITBINOM', [100, 0.5, 1], 100],
    ['BETA.INV', [1, 2, 3], 1],
    ['BETA.INV', [1, 2, 3, 4, 9], 9],
    ['BETA.INV', [1, -2, 3], '#NUM!'],
    ['BETAINV', [1, 2, 3], 1],
    ['CHISQ.TEST', [createMatrix([[null, null]]), createMatrix([[null, null]])], '#DIV/0!'],
  ]);
});

describe('functions over many numbers', () => {
  it('charge the budget for each number', () => {
    const numbers = new Matrix(
      2_000,
      1,
      Array.from({ length: 2_000 }, (_, i) => i),
    );
    for (const [name, args] of [
      ['MODE.SNGL', [numbers]],
      ['MEDIAN', [numbers]],
      ['PERCENTRANK.INC', [new Matrix(1, 2, [1, 2]), numbers]],
      ['TRANSPOSE', [new Matrix(1_000, 2, numbers.data)]],
    ] as const) {
      let checks = 0;
      const pass = (work: number) => {
        checks += work;
      };
      invokeFunction(findSpec(name), { ...createContext(), reportWork: pass }, args);
      assert.ok(checks >= 2_000, name);
    }
  });
});

test('refuses what Excel refuses at the limits of distributions', () => {
  checkCalls([
    // Excel's own results, from the test files of issues 676 and 1322 of IronCalc and HyperFormula's list of differences.
    ['BINOM.DIST', [-1e-10, 10, 0.5, true], '#NUM!'],
    ['BINOM.DIST', [0.5, 0.4, 1, false], 1],
    ['NEGBINOM.DIST', [-1e-10, 10, 0.5, true], '#NUM!'],
    ['BINOM.INV', [-0.001, 0.5, 0.5], '#NUM!'],
    ['T.DIST', [0, 0, false], '#DIV/0!'],
    ['T.DIST', [1, 0.9, false], '#DIV/0!'],
    ['T.INV', [0, 1], '#DIV/0!'],
    ['T.INV.2T', [0, 1], '#DIV/0!'],
    ['WEIBULL.DIST', [0, 1, 1, false], 0],
    ['PV', [-1, 0, 100, 400], '#NUM!'],
  ]);
});
