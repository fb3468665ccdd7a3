import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Value } from '../../src/functions/value.ts';
import { CALC, DIV0, NA, NULL_ERROR, REF, VALUE } from '../../src/value/errors.ts';
import { callAndReadRows, callAndReadScalar, createLambda, createMatrix, createReference } from './call.ts';

function testCases(title: string, cases: readonly (readonly [string, readonly (Value | undefined)[], unknown])[]) {
  describe(title, () => {
    for (const [name, args, expected] of cases) {
      it(`${name}(${args.map(String).join(', ')})`, () => assert.equal(callAndReadScalar(name, args), expected));
    }
  });
}

testCases('truth', [
  ['AND', [true, 1, 'TRUE'], true],
  ['AND', [true, 0], false],
  ['AND', ['word', true], true],
  ['AND', [createMatrix([['word', true, null]])], true],
  ['AND', [createMatrix([['word']])], '#VALUE!'],
  ['AND', [createMatrix([[false, DIV0]])], '#DIV/0!'],
  ['OR', [false, createMatrix([[0, 2]])], true],
  ['OR', [null, false], false],
  ['XOR', [true, true, true], true],
  ['XOR', [true, true], false],
  ['NOT', [0], true],
  ['NOT', ['x'], '#VALUE!'],
  ['TRUE', [], true],
  ['FALSE', [], false],
]);

testCases('kinds of values', [
  ['ISBLANK', [null], true],
  ['ISBLANK', [''], false],
  ['ISERROR', [NA], true],
  ['ISERR', [NA], false],
  ['ISERR', [VALUE], true],
  ['ISNA', [NA], true],
  ['ISLOGICAL', [false], true],
  ['ISNONTEXT', [null], true],
  ['ISNUMBER', ['19'], false],
  ['ISTEXT', ['19'], true],
  ['ISEVEN', [-2.9], true],
  ['ISODD', [5], true],
  ['ISODD', [true], '#VALUE!'],
  ['ISREF', [createReference('A1')], true],
  ['ISREF', [1], false],
  ['N', [true], 1],
  ['N', ['7'], 0],
  ['N', [NA], '#N/A'],
  ['NA', [], '#N/A'],
  ['TYPE', ['x'], 2],
  ['TYPE', [true], 4],
  ['TYPE', [NA], 16],
  ['TYPE', [createMatrix([[1, 2]])], 64],
  ['TYPE', [createLambda(1, (x) => x)], 128],
  ['ERROR.TYPE', [NULL_ERROR], 1],
  ['ERROR.TYPE', [DIV0], 2],
  ['ERROR.TYPE', [REF], 4],
  ['ERROR.TYPE', [NA], 7],
  ['ERROR.TYPE', [CALC], 14],
  ['ERROR.TYPE', [1], '#N/A'],
  ['SHEET', [], 1],
  ['SHEET', ['sheet1'], 1],
  ['SHEET', ['other'], '#N/A'],
  ['SHEETS', [], 1],
  ['SHEETS', [createReference('A1:B2')], 1],
]);

describe('cells', () => {
  const grid = [[7, 'x']];
  const formats = new Map([
    ['0,0', '#,##0.00'],
    ['0,1', 'dd.mm.yyyy'],
  ]);
  it('CELL describes the upper left cell', () => {
    for (const [infoType, expected] of [
      ['address', '$A$1'],
      ['ROW', 1],
      ['col', 1],
      ['contents', 7],
      ['type', 'v'],
      ['format', ',2'],
      ['unknown', '#VALUE!'],
    ] as const) {
      assert.equal(callAndReadScalar('CELL', [infoType, createReference('A1:B1')], { grid, formats }), expected);
    }
    assert.equal(callAndReadScalar('CELL', ['format', createReference('B1')], { grid, formats }), 'D1');
    assert.equal(callAndReadScalar('CELL', ['type', createReference('C9')], { grid, formats }), 'b');
  });
  it('ISFORMULA has a result for each cell', () => {
    const formulas = new Map([['0,1', '=A1']]);
    assert.deepEqual(callAndReadRows('ISFORMULA', [createReference('A1:B1')], { grid, formulas }), [[false, true]]);
  });
  it('INFO reveals nothing about the machine', () => {
    assert.equal(callAndReadScalar('INFO', ['recalc']), 'Automatic');
    assert.equal(callAndReadScalar('INFO', ['directory']), '#VALUE!');
  });
});
