import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { NumberArena } from '../../src/sheet/number-arena.ts';
import { Numbers } from '../../src/sheet/numbers.ts';

const ROWS = 256;
const row = fc.nat(ROWS - 1);
/** What happens to the latest copy: some of its rows are set, all are read at once, it is overwritten, it is copied. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('set' as const), row, number: fc.integer({ min: 1, max: 99 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('read' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fill' as const), row, number: fc.integer() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('copy' as const) }) },
);

describe('the numbers of a chunk', () => {
  it('are those that were set last, and stay what they were in what they were copied from', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const arena = new NumberArena();
        const copies = [Numbers.of(new Float64Array(ROWS))];
        const expected = [new Array<number>(ROWS).fill(0)];
        for (const each of steps) {
          const numbers = copies.at(-1) as Numbers;
          const plain = expected.at(-1) as number[];
          if (each.kind === 'set') {
            numbers.set(each.row, each.number);
            plain[each.row] = each.number;
          } else if (each.kind === 'fill') {
            numbers.writable().fill(each.number, each.row);
            plain.fill(each.number, each.row);
          } else if (each.kind === 'copy') {
            numbers.settle();
            copies.push(numbers.copy(arena));
            expected.push(plain.slice());
          } else assert.deepEqual([...numbers.array()], plain);
        }
        for (const [i, numbers] of copies.entries()) {
          const plain = expected[i] as number[];
          assert.deepEqual(
            plain.map((_, at) => numbers.at(at)),
            plain,
          );
          const before = copies[i - 1];
          if (before === undefined) continue;
          const unlike = [...plain.keys()].filter((at) => plain[at] !== (expected[i - 1] as number[])[at]);
          assert.deepEqual(numbers.rowsUnlike(before), unlike);
        }
        for (const [i, numbers] of copies.entries()) assert.deepEqual([...numbers.array()], expected[i]);
      }),
    );
  });
});
