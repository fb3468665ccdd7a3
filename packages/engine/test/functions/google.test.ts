import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../src/functions/value.ts';
import { callAndReadRows, callAndReadScalar, createMatrix, createReference, findSpec } from './call.ts';

describe('Google’s own functions', () => {
  for (const [name, args, expected] of [
    ['SPLIT', ['1,2,,x', ','], [[1, 2, 'x']]],
    ['SPLIT', ['1,2,,x', ',', true, false], [[1, 2, null, 'x']]],
    ['SPLIT', ['a-b_c', '-_'], [['a', 'b', 'c']]],
    ['SPLIT', ['a-_b_c', '-_', false], [['a', 'b_c']]],
    ['SPLIT', ['abc', ''], [['#VALUE!']]],
    ['JOIN', ['-', createMatrix([['a', 'b']]), 'c'], [['a-b-c']]],
    [
      'FLATTEN',
      [
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
        5,
      ],
      [[1], [2], [3], [4], [5]],
    ],
    ['COUNTUNIQUE', [createMatrix([[1, '1', 1, 'A', 'a', null]])], [[3]]],
    ['ISBETWEEN', [5, 1, 5], [[true]]],
    ['ISBETWEEN', [5, 1, 5, true, false], [[false]]],
    ['ISEMAIL', ['someone@example.org'], [[true]]],
    ['ISEMAIL', ['someone@'], [[false]]],
    ['ISURL', ['example.org/a?b'], [[true]]],
    ['ISURL', ['no url'], [[false]]],
    ['ARRAYFORMULA', [createMatrix([[1, 2]])], [[1, 2]]],
    [
      'ARRAY_CONSTRAIN',
      [
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
        1,
        5,
      ],
      [[1, 2]],
    ],
    ['EPOCHTODATE', [1_655_906_710], [[44734.5869212963]]],
    ['EPOCHTODATE', [-1], [['#NUM!']]],
    ['DIVIDE', [1, 0], [['#DIV/0!']]],
    ['EQ', ['a', 'A'], [[true]]],
    ['LT', [1, 'a'], [[true]]],
    ['MINUS', [createMatrix([[5], [6]]), 1], [[4], [5]]],
  ] as const) {
    it(`${name} ${args.map(String).join(' ')}`, () => {
      const actual = callAndReadRows(name, args as readonly Value[]);
      if (name === 'EPOCHTODATE' && typeof actual[0]?.[0] === 'number') {
        assert.ok(Math.abs(actual[0][0] - (expected[0][0] as number)) < 1e-9);
      } else assert.deepEqual(actual, expected);
    });
  }

  it('SORTN shows the first rows with or without ties', () => {
    const scores = createMatrix([
      ['Ann', 9],
      ['Bob', 7],
      ['Cid', 9],
      ['Dan', 8],
      ['Eve', 8],
    ]);
    const names = (n: number, mode: number) =>
      callAndReadRows('SORTN', [scores, n, mode, 2, false]).map((row) => row[0]);
    assert.deepEqual(names(3, 0), ['Ann', 'Cid', 'Dan']);
    assert.deepEqual(names(3, 1), ['Ann', 'Cid', 'Dan', 'Eve']);
    assert.deepEqual(names(2, 2), ['Ann', 'Dan']);
    assert.deepEqual(names(2, 3), ['Ann', 'Cid', 'Dan', 'Eve']);
    assert.deepEqual(callAndReadRows('SORTN', [createMatrix([[3], [1], [2]])]), [[1]]);
    assert.equal(callAndReadScalar('SORTN', [scores, 1, 0, 3, true]), '#VALUE!');
  });

  it('AVERAGE.WEIGHTED weighs values', () => {
    assert.equal(callAndReadScalar('AVERAGE.WEIGHTED', [createMatrix([[1, 4, 'x']]), createMatrix([[3, 1, 5]])]), 1.75);
    assert.equal(callAndReadScalar('AVERAGE.WEIGHTED', [createMatrix([[1, 4]]), createMatrix([[3]])]), '#VALUE!');
    assert.equal(callAndReadScalar('AVERAGE.WEIGHTED', [createMatrix([[1]]), createMatrix([[0]])]), '#DIV/0!');
  });

  it('TO_TEXT and ISDATE use a cell’s number format', () => {
    const grid = [[46_037, 46_037, '2026-01-15']];
    const formats = new Map([['0,0', 'yyyy-mm-dd']]);
    assert.equal(callAndReadScalar('TO_TEXT', [createReference('A1')], { grid, formats }), '2026-01-15');
    assert.equal(callAndReadScalar('TO_TEXT', [createReference('B1')], { grid, formats }), '46037');
    assert.equal(callAndReadScalar('ISDATE', [createReference('A1')], { grid, formats }), true);
    assert.equal(callAndReadScalar('ISDATE', [createReference('B1')], { grid, formats }), false);
    assert.equal(callAndReadScalar('ISDATE', [createReference('C1')], { grid, formats }), true);
  });

  it('TO_DATE and similar functions set a number format', () => {
    assert.deepEqual(
      ['TO_DATE', 'TO_PERCENT', 'TO_DOLLARS'].map((name) => findSpec(name).format),
      ['date', 'percent', 'currency'],
    );
  });
});
