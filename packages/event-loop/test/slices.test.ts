import assert from 'node:assert/strict';
import { stat } from 'node:fs';
import { test } from 'node:test';
import { SLICE_MS } from '../src/limits.ts';
import { runInSlices } from '../src/slices.ts';

/** Work that uses a whole slice between its two pauses. Calls `begin` after the first pause. */
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
  else assert.deepEqual(order, ['other events', 'a slice', 'two steps']);
});

test('work that starts in an event’s callback handles other events between its first two slices', async () => {
  const order: string[] = [];
  let wasStopped = true;
  // A busy machine may suspend this thread for a whole slice before the work reaches its first pause. Then repeat.
  while (wasStopped) {
    order.length = 0;
    // The last slice of the earlier work ends.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    await new Promise<void>((resolve, reject) => {
      // The event loop calls immediate callbacks after this callback, before it handles timers and other events.
      stat('.', () => {
        setTimeout(() => order.push('timer'), 0);
        const work = runInSlices(useWholeSlice(() => order.push('first slice')));
        wasStopped = order.length === 0;
        Promise.resolve(work)
          .then((slice) => order.push(slice))
          .then(() => resolve(), reject);
      });
    });
  }
  assert.deepEqual(order, ['first slice', 'timer', 'a slice']);
});
