import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StoredChunk } from '@cellwire/engine';
import { ChunkFile } from '../../src/documents/new-chunks/chunk-file.ts';
import { createTemporaryFolder } from './support.ts';

const MEBIBYTE = 1024 * 1024;

/** Adds chunks of these lengths as an import does, and returns copies of them. */
function addChunks(file: ChunkFile, lengths: readonly number[]): readonly StoredChunk[] {
  return lengths.map((length, block) => {
    const bytes = file.allocate(length);
    for (let i = 0; i < length; i++) bytes[i] = i * 7 + block;
    const chunk = { sheet: 1, column: block % 3, block, bytes };
    file.add(chunk);
    return { ...chunk, bytes: bytes.slice() };
  });
}

for (const [title, lengths] of [
  ['few chunks', [0, 1, 1_000, 300]],
  ['many chunks', Array.from({ length: 9_000 }, (_, i) => (i * 37) % 2_100)],
  ['chunks longer than a read', [5 * MEBIBYTE, 10, 3 * MEBIBYTE, MEBIBYTE, MEBIBYTE - 16, 0, 2 * MEBIBYTE + 1, 70]],
] as const) {
  test(`${title} return in their order, in separate arrays, and can be discarded`, async (t) => {
    const file = new ChunkFile(join(createTemporaryFolder(t), 'chunks'));
    t.after(() => file.close());
    for (let pass = 0; pass < 2; pass++) {
      const added = addChunks(file, lengths);
      const taken: StoredChunk[] = [];
      for await (const chunk of file.takeAll()) {
        // A slice must be a copy: the engine reads numbers from its memory.
        assert.equal(chunk.bytes.slice(1).buffer.byteLength, Math.max(0, chunk.bytes.length - 1));
        taken.push(chunk);
      }
      assert.deepEqual(taken, added);
    }
    addChunks(file, lengths);
    file.clear();
    const last = addChunks(file, [5, 6]);
    const taken: StoredChunk[] = [];
    for await (const chunk of file.takeAll()) taken.push(chunk);
    assert.deepEqual(taken, last);
  });
}
