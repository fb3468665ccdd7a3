import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Reference } from '../../src/functions/value.ts';
import { assertLinear } from '../growth.ts';
import { callAndReadRows, callAndReadScalar, callFunction, createMatrix, createReference } from './call.ts';

const TABLE = [
  [1, 'one', 10],
  [2, 'two', 20],
  [4, 'four', 40],
  [4, 'again', 41],
  [8, 'eight', null],
];

describe('VLOOKUP and HLOOKUP', () => {
  const grid = TABLE;
  for (const [args, expected] of [
    [[2, createReference('A1:C5'), 2, false], 'two'],
    [[4, createReference('A1:C5'), 2, false], 'four'],
    [[4, createReference('A1:C5'), 2, true], 'again'],
    [[5, createReference('A1:C5'), 2], 'again'],
    [[100, createReference('A1:C5'), 2], 'eight'],
    [[0, createReference('A1:C5'), 2], '#N/A'],
    [[3, createReference('A1:C5'), 2, false], '#N/A'],
    [['2', createReference('A1:C5'), 2, false], '#N/A'],
    [[2, createReference('A1:C5'), 0, false], '#VALUE!'],
    [[2, createReference('A1:C5'), 4, false], '#REF!'],
    [[2, createReference('A1:C5'), 2.9, false], 'two'],
    [[8, createReference('A1:C5'), 3, false], null],
    [[2, 'text', 1], '#VALUE!'],
  ] as const) {
    it(`VLOOKUP ${args[0]} by ${args[2]} ${args[3] ?? ''}`, () => {
      assert.equal(callAndReadScalar('VLOOKUP', args, { grid }), expected);
    });
  }
  it('matches wildcards in exact searches', () => {
    const names = createMatrix([
      ['Ann', 1],
      ['Bob?', 2],
      ['bobby', 3],
    ]);
    assert.equal(callAndReadScalar('VLOOKUP', ['bob~?', names, 2, false]), 2);
    assert.equal(callAndReadScalar('VLOOKUP', ['B?BB*', names, 2, false]), 3);
  });
  it('returns arrays for arrays of lookups and of columns', () => {
    assert.deepEqual(
      callAndReadRows(
        'VLOOKUP',
        [createMatrix([[1], [2], [9]]), createReference('A1:C5'), createMatrix([[2, 3]]), false],
        {
          grid,
        },
      ),
      [
        ['one', 10],
        ['two', 20],
        ['#N/A', '#N/A'],
      ],
    );
  });
  it('HLOOKUP searches the first row', () => {
    const values = createMatrix([
      ['Axles', 'Bearings', 'Bolts'],
      [4, 4, 9],
      [5, 7, 10],
    ]);
    assert.equal(callAndReadScalar('HLOOKUP', ['Axles', values, 2, true]), 4);
    assert.equal(callAndReadScalar('HLOOKUP', ['Bearings', values, 3, false]), 7);
    assert.equal(callAndReadScalar('HLOOKUP', ['B', values, 3, true]), 5);
  });
});

describe('MATCH', () => {
  for (const [args, expected] of [
    [[39, createMatrix([[25, 38, 40, 41]]), 1], 2],
    [[41, createMatrix([[25, 38, 40, 41]]), 0], 4],
    [[40, createMatrix([[25, 38, 40, 41]]), -1], '#N/A'],
    [[39, createMatrix([[41, 40, 38]]), -1], 2],
    [[4, createMatrix([[1], [4], [4], [8]]), 1], 3],
    [['b*', createMatrix([['abc', 'bcd']]), 0], 2],
    [[true, createMatrix([[1, true]]), 0], 2],
    [
      [
        1,
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
        0,
      ],
      '#N/A',
    ],
    [[5, createMatrix([['x', 3, 'y', 7]]), 1], 2],
  ] as const) {
    it(`${args[0]} with ${args[2]}`, () => assert.equal(callAndReadScalar('MATCH', args), expected));
  }
});

describe('XLOOKUP and XMATCH', () => {
  const keys = createMatrix([[10, 20, 20, 30]]);
  const names = createMatrix([['a', 'b', 'c', 'd']]);
  for (const [args, expected] of [
    [[20, keys, names], 'b'],
    [[20, keys, names, undefined, 0, -1], 'c'],
    [[25, keys, names], '#N/A'],
    [[25, keys, names, 'none'], 'none'],
    [[25, keys, names, undefined, -1], 'b'],
    [[25, keys, names, undefined, 1], 'd'],
    [[20, keys, names, undefined, 0, 2], 'b'],
    [[25, keys, names, undefined, 1, 2], 'd'],
    [[5, keys, names, undefined, -1], '#N/A'],
    [[20, keys, createMatrix([['a', 'b']])], '#VALUE!'],
    [[20, keys, names, undefined, 2, 2], '#VALUE!'],
    [['x*', createMatrix([['ax', 'xb']]), createMatrix([[1, 2]]), undefined, 2], 2],
    [['x*', createMatrix([['ax', 'xb']]), createMatrix([[1, 2]])], '#N/A'],
  ] as const) {
    it(`${args[0]} ${args.slice(3).join(' ')}`, () => assert.equal(callAndReadScalar('XLOOKUP', args), expected));
  }
  it('returns the whole matching row, as a reference if possible', () => {
    const grid = TABLE;
    assert.deepEqual(callAndReadRows('XLOOKUP', [2, createReference('A1:A5'), createReference('B1:C5')], { grid }), [
      ['two', 20],
    ]);
    assert.ok(
      callFunction('XLOOKUP', [2, createReference('A1:A5'), createReference('B1:C5')], { grid }) instanceof Reference,
    );
  });
  it('a blank lookup value matches the first blank', () => {
    assert.equal(callAndReadScalar('XMATCH', [null, createReference('C1:C5')], { grid: TABLE }), 5);
  });
  it('XMATCH searches descending data', () => {
    assert.equal(callAndReadScalar('XMATCH', [4, createMatrix([[5, 4, 3]]), 0, -2]), 2);
    assert.equal(callAndReadScalar('XMATCH', [3.5, createMatrix([[5, 4, 3]]), 1, -2]), 2);
    assert.equal(callAndReadScalar('XMATCH', [3.5, createMatrix([[5, 4, 3]]), -1, -2]), 3);
  });
});

describe('all search modes agree on sorted data', () => {
  const data = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 30 });
  it('exact', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: -50, max: 50 }), (values, lookup) => {
        const sorted = createMatrix([values.slice().sort((a, b) => a - b)]);
        const expected = sorted.data.indexOf(lookup) + 1 || '#N/A';
        assert.equal(callAndReadScalar('MATCH', [lookup, sorted, 0]), expected);
        assert.equal(callAndReadScalar('XMATCH', [lookup, sorted, 0, 2]), expected);
        assert.equal(callAndReadScalar('XMATCH', [lookup, sorted, 0, -1]), expected);
      }),
    );
  });
  it('the next smaller one', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: -60, max: 60 }), (values, lookup) => {
        const sorted = values.slice().sort((a, b) => a - b);
        const expected = sorted.filter((v) => v <= lookup).length || '#N/A';
        assert.equal(callAndReadScalar('MATCH', [lookup, createMatrix([sorted]), 1]), expected);
        assert.equal(callAndReadScalar('XMATCH', [lookup, createMatrix([sorted]), -1, 2]), expected);
        assert.equal(callAndReadScalar('XMATCH', [lookup, createMatrix([sorted]), -1, 1]), expected);
      }),
    );
  });
  it('an index gives the result of a search', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }), (values) => {
        const lookups = createMatrix([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]);
        const expected = lookups.data.map((v) => values.indexOf(v as number) + 1 || '#N/A');
        assert.deepEqual(callAndReadRows('MATCH', [lookups, createMatrix([values]), 0]), [expected]);
      }),
    );
  });
});

describe('LOOKUP', () => {
  it('returns a value of the result vector or of the last column of a table', () => {
    const frequency = createMatrix([[4.14], [4.19], [5.17], [5.77], [6.39]]);
    const color = createMatrix([['red'], ['orange'], ['yellow'], ['green'], ['blue']]);
    assert.equal(callAndReadScalar('LOOKUP', [4.19, frequency, color]), 'orange');
    assert.equal(callAndReadScalar('LOOKUP', [5.75, frequency, color]), 'yellow');
    assert.equal(callAndReadScalar('LOOKUP', [7.66, frequency, color]), 'blue');
    assert.equal(callAndReadScalar('LOOKUP', [0, frequency, color]), '#N/A');
    assert.equal(
      callAndReadScalar('LOOKUP', [
        'bump',
        createMatrix([
          ['a', 'b', 'c', 'd'],
          [1, 2, 3, 4],
        ]),
      ]),
      2,
    );
  });
});

describe('references', () => {
  const grid = TABLE;
  it('INDEX gives cells, rows, columns, and references', () => {
    assert.equal(callAndReadScalar('INDEX', [createReference('A1:C5'), 2, 3], { grid }), 20);
    assert.deepEqual(callAndReadRows('INDEX', [createReference('A1:C5'), 2], { grid }), [[2, 'two', 20]]);
    assert.deepEqual(
      callAndReadRows('INDEX', [
        createMatrix([
          [1, 2],
          [3, 4],
        ]),
        0,
        2,
      ]),
      [[2], [4]],
    );
    assert.equal(callAndReadScalar('INDEX', [createMatrix([[1, 2, 3]]), 3]), 3);
    assert.equal(callAndReadScalar('INDEX', [createReference('A1:C5'), 6, 1], { grid }), '#REF!');
    assert.equal(callAndReadScalar('INDEX', [createReference('A1:C5'), -1, 1], { grid }), '#VALUE!');
    assert.equal(callAndReadScalar('INDEX', [createReference('A1:B2', 'C1:C5'), 2, 1, 2], { grid }), 20);
    assert.ok(callFunction('INDEX', [createReference('A1:C5'), 2, 3], { grid }) instanceof Reference);
  });
  it('OFFSET moves and resizes in all directions inside the grid', () => {
    assert.equal(callAndReadScalar('OFFSET', [createReference('A1'), 1, 2], { grid }), 20);
    assert.deepEqual(callAndReadRows('OFFSET', [createReference('A1'), 0, 0, 2, 2], { grid }), [
      [1, 'one'],
      [2, 'two'],
    ]);
    assert.deepEqual(callAndReadRows('OFFSET', [createReference('A3'), 0, 0, -2, 1], { grid }), [[2], [4]]);
    assert.equal(callAndReadScalar('OFFSET', [createReference('A1'), -1, 0], { grid }), '#REF!');
    assert.equal(callAndReadScalar('OFFSET', [createReference('A1'), 0, 0, 0], { grid }), '#REF!');
  });
  it('INDIRECT accepts rows with leading zeros', () => {
    assert.equal(callAndReadScalar('INDIRECT', ['B2'], { grid }), 'two');
    assert.equal(callAndReadScalar('INDIRECT', ['$B$002'], { grid }), 'two');
    assert.equal(callAndReadScalar('INDIRECT', ['no reference'], { grid }), '#REF!');
    assert.equal(callAndReadScalar('INDIRECT', [''], { grid }), '#REF!');
  });
  it('ROW, COLUMN, ROWS, COLUMNS and AREAS describe the reference, not its values', () => {
    assert.equal(callAndReadScalar('ROW', [], { row: 6 }), 7);
    assert.deepEqual(callAndReadRows('ROW', [createReference('B2:C4')]), [[2], [3], [4]]);
    assert.deepEqual(callAndReadRows('COLUMN', [createReference('B2:C4')]), [[2, 3]]);
    assert.equal(callAndReadScalar('ROWS', [createReference('A1:A1000')]), 1000);
    assert.equal(callAndReadScalar('COLUMNS', [createMatrix([[1, 2, 3]])]), 3);
    assert.equal(callAndReadScalar('AREAS', [createReference('A1', 'B2:C3')]), 2);
  });
  it('ADDRESS writes addresses', () => {
    assert.equal(callAndReadScalar('ADDRESS', [2, 3]), '$C$2');
    assert.equal(callAndReadScalar('ADDRESS', [2, 3, 2]), 'C$2');
    assert.equal(callAndReadScalar('ADDRESS', [2, 3, 2, false]), 'R2C[3]');
    assert.equal(callAndReadScalar('ADDRESS', [2, 3, 1, false, 'EXCEL SHEET']), "'EXCEL SHEET'!R2C3");
    assert.equal(callAndReadScalar('ADDRESS', [2, 3, 4, true, "It's"]), "'It''s'!C2");
    assert.equal(callAndReadScalar('ADDRESS', [0, 3]), '#VALUE!');
  });
  it('TRANSPOSE keeps blank cells of its range', () => {
    assert.deepEqual(callAndReadRows('TRANSPOSE', [createReference('C4:C6')], { grid }), [[41, null, null]]);
  });
  it('FORMULATEXT and HYPERLINK', () => {
    const formulas = new Map([['0,0', '=B1+1']]);
    assert.equal(callAndReadScalar('FORMULATEXT', [createReference('A1')], { formulas }), '=B1+1');
    assert.equal(callAndReadScalar('FORMULATEXT', [createReference('B1')], { formulas }), '#N/A');
    assert.equal(callAndReadScalar('HYPERLINK', ['https://example.org', 'here']), 'here');
    assert.equal(callAndReadScalar('HYPERLINK', ['https://example.org']), 'https://example.org');
  });
});

describe('speed', () => {
  it('exact lookups of a whole column build one index', () => {
    assertLinear(20_000, (size) => {
      const column = createMatrix(Array.from({ length: size }, (_, i) => [i * 2]));
      const positions = callAndReadRows('XMATCH', [createMatrix(Array.from({ length: size }, (_, i) => [i])), column]);
      assert.equal(positions[size - 2]?.[0], size / 2);
    });
  });
});

describe('binary search in data out of order', () => {
  const grid = [['INTEGRAL', 'DOUBLE', 'BLANK', 'STRING', 'REF', 'AREA (rows)']];
  it('probes the middle of the whole range, including blanks at its end', () =>
    assert.equal(callAndReadScalar('MATCH', ['STRING', createReference('A1:G1'), 1], { grid }), 4));
  it('matches no blank', () =>
    assert.equal(callAndReadScalar('MATCH', ['x', createReference('A5:G5'), 1], { grid }), '#N/A'));
});

describe('ROW and COLUMN in an array formula', () => {
  const array = { sheet: 0, top: 5, left: 2, bottom: 6, right: 4 };
  it('count the rows and columns of its area', () => {
    assert.deepEqual(callAndReadRows('COLUMN', [], { array }), [[3, 4, 5]]);
    assert.deepEqual(callAndReadRows('ROW', [], { array }), [[6], [7]]);
  });
});
