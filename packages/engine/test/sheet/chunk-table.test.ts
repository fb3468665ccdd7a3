import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { elementAt } from '../../../../test/elements.ts';
import { Chunk } from '../../src/sheet/chunk.ts';
import { ChunkTable } from '../../src/sheet/chunk-table.ts';
import { NumberArena } from '../../src/sheet/number-arena.ts';

const BLOCKS = 200;
const FIRST_BLOCKS = 150;
/** A step on one of the tables: reads or sets a block, copies the table, or copies it with another number of blocks. */
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
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('read' as const), table: fc.nat(), block: fc.nat(BLOCKS - 1) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('copy' as const), table: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('resize' as const), table: fc.nat(), length: fc.nat(BLOCKS) }),
  },
);

/** How the first table gets its chunks: from a list, a page at a time, or one by one. */
const origin = fc.constantFrom('list' as const, 'pages' as const, 'singles' as const);

function createFirstTable(from: 'list' | 'pages' | 'singles', blocks: readonly (Chunk | undefined)[]): ChunkTable {
  if (from === 'list') return ChunkTable.fromList(blocks);
  const provider = {
    isFromStore: from === 'singles',
    chunks: (first: number, end: number) => blocks.slice(first, end),
    sourceChunks: () => [],
    ...(from === 'singles' ? { chunk: (block: number) => blocks[block] as Chunk } : {}),
  };
  return ChunkTable.createLazy(provider, blocks.length);
}

it('a table of chunks contains its own chunks and none of its copies or originals', () => {
  const chunks = Array.from({ length: 10 }, (_, i) => (i < 2 ? undefined : Chunk.createBlank(i, 0, new NumberArena())));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), origin, (steps, from) => {
      // Single chunks can only be created in a column without gaps.
      const blocks = Array.from({ length: FIRST_BLOCKS }, (_, i) => chunks[from === 'singles' ? 2 + (i % 8) : i]);
      const tables = [createFirstTable(from, blocks)];
      const expected: (Chunk | undefined)[][] = [blocks.slice()];
      for (const each of steps) {
        const at = each.table % tables.length;
        const table = elementAt(tables, at);
        const list = elementAt(expected, at);
        if (each.what === 'read') assert.equal(table.at(each.block), list[each.block]);
        else if (each.what === 'set') {
          table.set(each.block, chunks[each.to]);
          while (list.length < each.block) list.push(undefined);
          list[each.block] = chunks[each.to];
        } else if (each.what === 'copy') {
          tables.push(table.copy());
          expected.push(list.slice());
        } else {
          tables.push(table.resize(each.length));
          expected.push(Array.from({ length: each.length }, (_, block) => list[block]));
        }
      }
      for (const [i, table] of tables.entries()) {
        const list = elementAt(expected, i);
        assert.ok(table.length === list.length && table.toList().every((chunk, block) => chunk === list[block]));
        const filledBlocks = list.flatMap((chunk, block) => (chunk === undefined ? [] : [block]));
        const blocksForward = [];
        for (let b = table.nextBlockWithChunk(0); b < table.length; b = table.nextBlockWithChunk(b + 1))
          blocksForward.push(b);
        assert.deepEqual(blocksForward, filledBlocks);
        const blocksBackward = [];
        for (let b = table.previousBlockWithChunk(table.length); b >= 0; b = table.previousBlockWithChunk(b))
          blocksBackward.unshift(b);
        assert.deepEqual(blocksBackward, filledBlocks);
        const original = elementAt(expected, 0);
        const changedBlocks = Array.from({ length: BLOCKS }, (_, block) => block).filter(
          (b) => list[b] !== original[b],
        );
        assert.deepEqual(table.findChangedBlocks(elementAt(tables, 0)), changedBlocks);
      }
    }),
  );
});

it('a lazy table of chunks creates each chunk once for all of its copies', () => {
  const madeBlocks: number[] = [];
  const chunk = Chunk.createBlank(1, 0, new NumberArena());
  const maker = {
    chunks: (first: number, end: number) => {
      for (let block = first; block < end; block++) madeBlocks.push(block);
      return Array.from({ length: end - first }, () => chunk);
    },
    sourceChunks: () => [chunk],
    isFromStore: false,
  };
  const table = ChunkTable.createLazy(maker, 1_000);
  const copy = table.copy();
  assert.deepEqual([madeBlocks.length, [...table.iterateChunksInMemory()].length, table.isWhole], [0, 16, false]);
  assert.equal(copy.at(700), chunk);
  const first = madeBlocks.length;
  assert.ok(first < 100 && madeBlocks.includes(700), `${first} of 1000`);
  assert.deepEqual([table.at(700), copy.findChangedBlocks(table), madeBlocks.length], [chunk, [], first]);
  copy.set(3, undefined);
  assert.deepEqual([copy.findChangedBlocks(table), table.isChanged, copy.isChanged], [[3], false, true]);
  for (const _pause of copy.makeInSteps()) assert.equal(copy.isWhole, madeBlocks.length === 1_000);
  assert.deepEqual([copy.toList().length, copy.isWhole, table.isWhole], [1_000, true, false]);
  assert.deepEqual(
    madeBlocks.toSorted((a, b) => a - b),
    Array.from({ length: 1_000 }, (_, block) => block),
  );
});

it('a table from the store creates chunks at distant blocks alone, then pages in parts', () => {
  const created: [kind: 'one' | 'many', first: number, count: number][] = [];
  const chunks = Array.from({ length: 200 }, (_, block) => Chunk.createBlank(block, 0, new NumberArena()));
  const table = ChunkTable.createLazy(
    {
      isFromStore: true,
      sourceChunks: () => [],
      chunk: (block) => {
        created.push(['one', block, 1]);
        return elementAt(chunks, block);
      },
      chunks: (first, end) => {
        created.push(['many', first, end - first]);
        return chunks.slice(first, end);
      },
    },
    chunks.length,
  );
  // Pairs of neighbours, as pages of a range that begin at random rows have.
  for (const block of [10, 11, 40, 41, 20, 11]) assert.equal(table.at(block), chunks[block]);
  assert.deepEqual(
    created.splice(0),
    [10, 11, 40, 41, 20].map((block) => ['one', block, 1]),
  );
  // A third neighbour: the reader probably needs the column.
  for (const block of [70, 71, 72, 73]) assert.equal(table.at(block), chunks[block]);
  assert.deepEqual(created.splice(0), [
    ['one', 70, 1],
    ['one', 71, 1],
    ['many', 64, 64],
  ]);
  for (let i = 0; i < 17; i++) assert.equal(table.at(128 + 3 * i), chunks[128 + 3 * i]);
  assert.deepEqual(created.splice(0).slice(-2), [
    ['one', 173, 1],
    ['many', 128, 64],
  ]);
  let pauses = 0;
  for (const _pause of table.makeInSteps()) {
    pauses++;
    // Another reader during a pause.
    if (pauses === 2) assert.equal(table.at(60), chunks[60]);
  }
  assert.deepEqual(created, [
    ['many', 0, 16],
    ['many', 16, 16],
    ['one', 60, 1],
    ['many', 32, 16],
    ['many', 48, 16],
    ['many', 192, 8],
  ]);
  assert.equal(pauses, 5);
  assert.ok(table.isWhole && table.toList().every((chunk, block) => chunk === chunks[block]));
});
