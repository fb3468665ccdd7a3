import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { Chunk } from '../../src/sheet/chunk.ts';
import { ChunkTable } from '../../src/sheet/chunk-table.ts';
import { NumberArena } from '../../src/sheet/number-arena.ts';

const BLOCKS = 200;
/** What happens to one of the tables: a block is set, it is copied, it is copied with so many blocks. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('set' as const),
      table: fc.nat(),
      block: fc.nat(BLOCKS - 1),
      to: fc.nat(9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('copy' as const), table: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('resize' as const), table: fc.nat(), length: fc.nat(BLOCKS) }),
  },
);

it('a table of chunks holds what was set, and nothing that was set in those it was copied from, or in its copies', () => {
  const chunks = Array.from({ length: 10 }, (_, i) => (i < 2 ? undefined : Chunk.nothing(i, 0, new NumberArena())));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const tables = [ChunkTable.of(chunks)];
      const expected: (Chunk | undefined)[][] = [chunks.slice()];
      for (const each of steps) {
        const at = each.table % tables.length;
        const table = tables[at] as ChunkTable;
        const list = expected[at] as (Chunk | undefined)[];
        if (each.what === 'set') {
          table.set(each.block, chunks[each.to]);
          while (list.length < each.block) list.push(undefined);
          list[each.block] = chunks[each.to];
        } else if (each.what === 'copy') {
          tables.push(table.copy());
          expected.push(list.slice());
        } else {
          tables.push(table.resized(each.length));
          expected.push(Array.from({ length: each.length }, (_, block) => list[block]));
        }
      }
      for (const [i, table] of tables.entries()) {
        const list = expected[i] as (Chunk | undefined)[];
        assert.ok(table.length === list.length && table.list().every((chunk, block) => chunk === list[block]));
        const before = expected[0] as (Chunk | undefined)[];
        const changed = Array.from({ length: BLOCKS }, (_, block) => block).filter((b) => list[b] !== before[b]);
        assert.deepEqual(table.changedBlocks(tables[0] as ChunkTable), changed);
      }
    }),
  );
});
