import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { GarbageCollection } from '../../src/documents/calculation/garbage-collection.ts';
import { COLLECTED_GARBAGE_BYTES, COLLECTION_DELAY_MS } from '../../src/limits/calculation.ts';

const readUsedHeap = () => getHeapStatistics().used_heap_size;
const BYTES_AN_ELEMENT = 8;

/** Allocates at least the given bytes until the result is dropped. */
function allocate(bytes: number): readonly number[] {
  return Array<number>(bytes / BYTES_AN_ELEMENT).fill(0.5);
}

test('an idle thread collects the garbage of a task', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const garbage = new GarbageCollection();
  let large: readonly number[] | null = allocate(2 * COLLECTED_GARBAGE_BYTES);
  const before = readUsedHeap();
  garbage.scheduleCheck();
  assert.ok(large.length > 0);
  large = null;
  t.mock.timers.tick(COLLECTION_DELAY_MS);
  assert.ok(readUsedHeap() < before - COLLECTED_GARBAGE_BYTES);
});
