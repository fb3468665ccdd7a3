import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import { Cells } from '../../src/sheet/cells.ts';
import { NumberArena } from '../../src/sheet/number-arena.ts';

const ROWS = 256;
/** Any row, or one of a few rows, which are then often set again. */
const row = fc.oneof(fc.nat(ROWS - 1), fc.nat(5));
const kind = fc.nat(2);
const number = fc.integer({ min: 0, max: 99 });
/** A step on the newest copy: sets one row, sets many rows, reads all kinds or numbers, or copies. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('set' as const), row, kind, number }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('readKinds' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('readNumbers' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fillKinds' as const), row, kind }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('fillNumbers' as const), row, number }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('copy' as const) }) },
);

interface PlainCells {
  readonly kinds: number[];
  readonly numbers: number[];
}

function assertContents(cells: Cells, { kinds, numbers }: PlainCells): void {
  assert.deepEqual(
    kinds.map((_, at) => cells.kind(at)),
    kinds,
  );
  assert.deepEqual(
    numbers.map((_, at) => cells.number(at)),
    numbers,
  );
  for (const end of [ROWS, ROWS / 2]) {
    assert.equal(cells.filledRows(end), kinds.slice(0, end).findLastIndex((kind) => kind !== 0) + 1);
  }
}

describe('the kinds and numbers of a chunk', () => {
  it('are the last ones that were set, and changes of a copy do not affect its original', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const arena = new NumberArena();
        const copies = [Cells.fromOwnedArrays(new Uint8Array(ROWS), new Float64Array(ROWS))];
        const expected: PlainCells[] = [{ kinds: new Array(ROWS).fill(0), numbers: new Array(ROWS).fill(0) }];
        for (const each of steps) {
          const cells = elementAt(copies, -1);
          const plain = elementAt(expected, -1);
          if (each.what === 'set') {
            assert.equal(cells.set(each.row, each.kind, each.number), plain.kinds[each.row] !== each.kind);
            plain.kinds[each.row] = each.kind;
            plain.numbers[each.row] = each.number;
          } else if (each.what === 'fillKinds') {
            cells.writableKinds().fill(each.kind, each.row);
            plain.kinds.fill(each.kind, each.row);
          } else if (each.what === 'fillNumbers') {
            cells.writableNumbers().fill(each.number, each.row);
            plain.numbers.fill(each.number, each.row);
          } else if (each.what === 'copy') {
            cells.settle();
            copies.push(cells.copy(arena));
            expected.push({ kinds: plain.kinds.slice(), numbers: plain.numbers.slice() });
          } else if (each.what === 'readKinds') assert.deepEqual([...cells.kinds()], plain.kinds);
          else assert.deepEqual([...cells.numbers()], plain.numbers);
        }
        for (const [i, cells] of copies.entries()) {
          const plain = elementAt(expected, i);
          assertContents(cells, plain);
          const previousCells = copies[i - 1];
          const previousPlain = expected[i - 1];
          if (previousCells === undefined || previousPlain === undefined) continue;
          const unlike = [...plain.kinds.keys()].filter(
            (at) => plain.kinds[at] !== previousPlain.kinds[at] || plain.numbers[at] !== previousPlain.numbers[at],
          );
          assert.deepEqual(cells.findChangedRows(previousCells), unlike);
        }
        for (const [i, cells] of copies.entries()) {
          assert.deepEqual([...cells.kinds()], expected[i]?.kinds);
          assert.deepEqual([...cells.numbers()], expected[i]?.numbers);
        }
      }),
    );
  });
});
