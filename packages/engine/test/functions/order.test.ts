import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareOperands, compareScalars } from '../../src/functions/order.ts';
import type { Scalar } from '../../src/value/scalar.ts';
import { Book } from '../workbook/book.ts';

describe('comparison operators', () => {
  // Excel compares numbers by 15 significant digits. A blank counts as 0, "" or FALSE, depending on the other operand.
  const cases: readonly [a: Scalar, b: Scalar, order: number][] = [
    [0.1 + 0.2, 0.3, 0],
    [-(0.1 + 0.2), -0.3, 0],
    [1.000000000000001, 1, 0],
    [1.00000000000001, 1, 1],
    [100_000_000_000_001, 100_000_000_000_000, 1],
    [1e-300, 0, 1],
    [-1e-300, 0, -1],
    [1e300, 1.1e300, -1],
    [null, 0, 0],
    [null, '', 0],
    [false, null, 0],
    [2, '1', -1],
    ['a', 'A', 0],
    ['z', true, -1],
  ];
  for (const [a, b, order] of cases) {
    it(`${String(a)} and ${String(b)}`, () => {
      assert.equal(Math.sign(compareOperands(a, b, 'en-US')), order);
      assert.equal(Math.sign(compareOperands(b, a, 'en-US')), 0 - order);
    });
  }

  it('agree with each other in formulas', () => {
    const book = new Book();
    book.set('A1', [['=0,1+0,2=0,3', '=0,1+0,2<>0,3', '=0,3<0,1+0,2', '=0,1+0,2>0,3', '=0,1+0,2<=0,3']]);
    assert.deepEqual(book.grid('A1:E1'), [[true, false, false, false, true]]);
  });

  it('agree near the largest number, where rounding to 15 digits overflows', () => {
    const [a, b] = [1.7976931348623151e308, Number.MAX_VALUE];
    assert.equal(compareOperands(a, b, 'en-US'), 0);
    assert.equal(compareOperands(-a, -b, 'en-US'), 0);
    assert.equal(Math.sign(compareOperands(-a, b, 'en-US')), -1);
  });

  it('compare fewer digits than sorting and lookups do', () => {
    assert.equal(Math.sign(compareScalars(0.1 + 0.2, 0.3, 'en-US')), 1);
  });
});
