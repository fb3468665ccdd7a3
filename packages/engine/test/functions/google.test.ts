import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../src/functions/value.ts';
import { array, findSpec, range, result, spilledRows } from './call.ts';

describe('Google’s own functions', () => {
  for (const [name, args, expected] of [
    ['SPLIT', ['1,2,,x', ','], [[1, 2, 'x']]],
    ['SPLIT', ['1,2,,x', ',', true, false], [[1, 2, null, 'x']]],
    ['SPLIT', ['a-b_c', '-_'], [['a', 'b', 'c']]],
    ['SPLIT', ['a-_b_c', '-_', false], [['a', 'b_c']]],
    ['SPLIT', ['abc', ''], [['#VALUE!']]],
    ['JOIN', ['-', array([['a', 'b']]), 'c'], [['a-b-c']]],
    [
      'FLATTEN',
      [
        array([
          [1, 2],
          [3, 4],
        ]),
        5,
      ],
      [[1], [2], [3], [4], [5]],
    ],
    ['COUNTUNIQUE', [array([[1, '1', 1, 'A', 'a', null]])], [[3]]],
    ['ISBETWEEN', [5, 1, 5], [[true]]],
    ['ISBETWEEN', [5, 1, 5, true, false], [[false]]],
    ['ISEMAIL', ['someone@example.org'], [[true]]],
    ['ISEMAIL', ['someone@'], [[false]]],
    ['ISURL', ['example.org/a?b'], [[true]]],
    ['ISURL', ['no url'], [[false]]],
    ['ARRAYFORMULA', [array([[1, 2]])], [[1, 2]]],
    [
      'ARRAY_CONSTRAIN',
      [
        array([
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
    ['MINUS', [array([[5], [6]]), 1], [[4], [5]]],
  ] as const) {
    it(`${name} ${args.map(String).join(' ')}`, () => {
      const actual = spilledRows(name, args as readonly Value[]);
      if (name === 'EPOCHTODATE' && typeof actual[0]?.[0] === 'number') {
        assert.ok(Math.abs(actual[0][0] - (expected[0][0] as number)) < 1e-9);
      } else assert.deepEqual(actual, expected);
    });
  }

  it('SORTN shows the first rows with or without ties', () => {
    const scores = array([
      ['Ann', 9],
      ['Bob', 7],
      ['Cid', 9],
      ['Dan', 8],
      ['Eve', 8],
    ]);
    const names = (n: number, mode: number) => spilledRows('SORTN', [scores, n, mode, 2, false]).map((row) => row[0]);
    assert.deepEqual(names(3, 0), ['Ann', 'Cid', 'Dan']);
    assert.deepEqual(names(3, 1), ['Ann', 'Cid', 'Dan', 'Eve']);
    assert.deepEqual(names(2, 2), ['Ann', 'Dan']);
    assert.deepEqual(names(2, 3), ['Ann', 'Cid', 'Dan', 'Eve']);
    assert.deepEqual(spilledRows('SORTN', [array([[3], [1], [2]])]), [[1]]);
    assert.equal(result('SORTN', [scores, 1, 0, 3, true]), '#VALUE!');
  });

  it('AVERAGE.WEIGHTED weighs values', () => {
    assert.equal(result('AVERAGE.WEIGHTED', [array([[1, 4, 'x']]), array([[3, 1, 5]])]), 1.75);
    assert.equal(result('AVERAGE.WEIGHTED', [array([[1, 4]]), array([[3]])]), '#VALUE!');
    assert.equal(result('AVERAGE.WEIGHTED', [array([[1]]), array([[0]])]), '#DIV/0!');
  });

  it('TO_TEXT and ISDATE use a cell’s number format', () => {
    const grid = [[46_037, 46_037, '2026-01-15']];
    const formats = new Map([['0,0', 'yyyy-mm-dd']]);
    assert.equal(result('TO_TEXT', [range('A1')], { grid, formats }), '2026-01-15');
    assert.equal(result('TO_TEXT', [range('B1')], { grid, formats }), '46037');
    assert.equal(result('ISDATE', [range('A1')], { grid, formats }), true);
    assert.equal(result('ISDATE', [range('B1')], { grid, formats }), false);
    assert.equal(result('ISDATE', [range('C1')], { grid, formats }), true);
  });

  it('TO_DATE and similar functions set a number format', () => {
    assert.deepEqual(
      ['TO_DATE', 'TO_PERCENT', 'TO_DOLLARS'].map((name) => findSpec(name).format),
      ['date', 'percent', 'currency'],
    );
  });
});
