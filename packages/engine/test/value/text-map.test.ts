import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { TextMap } from '../../src/value/text-map.ts';

/** Texts around the length above which they are stored in pieces. Some are prefixes of others. */
const text = fc
  .tuple(fc.constantFrom('', 'x', 'y', 'я'), fc.constantFrom(0, 3, 16_382, 16_383, 32_766, 40_000), fc.nat(2))
  .map(([letter, times, end]) => letter.repeat(times) + 'z'.repeat(end));
const steps = fc.array(fc.tuple(text, fc.constantFrom('set', 'delete', 'get'), fc.nat(9)), { maxLength: 60 });

it('contains the same entries as a Map, including long texts', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const map = new TextMap<number>();
      const plain = new Map<string, number>();
      for (const [key, step, value] of list) {
        if (step === 'set') {
          map.set(key, value);
          plain.set(key, value);
        } else if (step === 'delete') {
          map.delete(key);
          plain.delete(key);
        }
        assert.equal(map.get(key), plain.get(key));
        assert.equal(map.size, plain.size);
      }
      for (const [key, value] of plain) assert.equal(map.get(key), value);
    }),
    { numRuns: 100 },
  );
});
