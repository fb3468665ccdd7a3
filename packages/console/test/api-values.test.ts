import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toApiValue } from '../src/grid/session/api-values.ts';

test('sends integers beyond 2^53 − 1 with their type, and other values unchanged', () => {
  for (const value of [1e17, -1e20, 2 ** 53, 9007199254740994]) {
    const apiValue = toApiValue(value);
    assert.ok(typeof apiValue === 'object' && apiValue !== null && apiValue.as === 'number', String(value));
    assert.equal(Number(apiValue.value), value);
    assert.match(apiValue.value, /e/);
  }
  for (const value of [0, 1.5, 2 ** 53 - 1, 1e-7, '1', '9007199254740993', '', null]) {
    assert.equal(toApiValue(value), value);
  }
});
