import assert from 'node:assert/strict';
import { executionAsyncId } from 'node:async_hooks';
import { after, describe, getTestContext, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';

describe('the test that runs', () => {
  const events: string[] = [];

  it('is known after a pause', async (t) => {
    await setImmediate();
    assert.equal(getTestContext()?.fullName, t.fullName);
    after(() => events.push('ended'));
  });

  it('has run the hooks that it added after a pause', () => {
    assert.deepEqual(events, ['ended']);
  });

  it('is known without a hook for each promise', async () => {
    await null;
    const first = executionAsyncId();
    await null;
    assert.equal(executionAsyncId(), first);
  });
});
