import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSlices } from '../../src/event-loop/slices.ts';
import { SLICE_MS } from '../../src/limits/limits.ts';

/** Work that takes a whole slice between its two pauses. */
function* aSlice(): Generator<void, string> {
  yield;
  const end = performance.now() + SLICE_MS;
  while (performance.now() < end);
  yield;
  return 'a slice';
}

function* twoSteps(): Generator<void, string> {
  yield;
  return 'two steps';
}

test('work that follows other work in one turn of the event loop has no slice of its own', async () => {
  const order: string[] = [];
  const first = inSlices(aSlice());
  const second = inSlices(twoSteps());
  assert.ok(first instanceof Promise && second instanceof Promise);
  setImmediate(() => order.push('everybody else'));
  await Promise.all([first, second].map(async (work) => order.push(await work)));
  // Where the machine was busy elsewhere, the slice may have ended before its first work came to its pause.
  assert.equal(order.length, 3);
  assert.ok(order.indexOf('two steps') > order.indexOf('everybody else'), order.join());
});
