import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLICE_MS } from '../src/limits.ts';
import { runInSlices } from '../src/slices.ts';

/** Work that takes a whole slice between its two pauses. It calls `begin` after the first pause. */
function* useWholeSlice(begin: () => void): Generator<void, string> {
  yield;
  begin();
  const end = performance.now() + SLICE_MS;
  while (performance.now() < end);
  yield;
  return 'a slice';
}

function* runTwoSteps(): Generator<void, string> {
  yield;
  return 'two steps';
}

test('work that starts in the same turn of the event loop shares the slice of the earlier work', async () => {
  const order: string[] = [];
  let hasBegun = false;
  const first = runInSlices(
    useWholeSlice(() => {
      hasBegun = true;
    }),
  );
  const wasStopped = !hasBegun;
  const second = runInSlices(runTwoSteps());
  assert.ok(first instanceof Promise && second instanceof Promise);
  setImmediate(() => order.push('other events'));
  await Promise.all([first, second].map(async (work) => order.push(await work)));
  // A busy machine may have suspended this thread for a whole slice before the first work reached its pause.
  if (wasStopped) assert.ok(order.indexOf('two steps') > order.indexOf('other events'), order.join());
  else assert.deepEqual(order, ['a slice', 'other events', 'two steps']);
});
