import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLICE_MS } from '../src/limits.ts';
import { runInSlices } from '../src/slices.ts';

/** Work that takes a whole slice between its two pauses, and tells that it has come to the first. */
function* aSlice(begin: () => void): Generator<void, string> {
  yield;
  begin();
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
  let hasBegun = false;
  const first = runInSlices(
    aSlice(() => {
      hasBegun = true;
    }),
  );
  const wasStopped = !hasBegun;
  const second = runInSlices(twoSteps());
  assert.ok(first instanceof Promise && second instanceof Promise);
  setImmediate(() => order.push('everybody else'));
  await Promise.all([first, second].map(async (work) => order.push(await work)));
  // A busy machine may have stopped this thread until the slice was over, before its first work came to its pause.
  if (wasStopped) assert.ok(order.indexOf('two steps') > order.indexOf('everybody else'), order.join());
  else assert.deepEqual(order, ['a slice', 'everybody else', 'two steps']);
});
