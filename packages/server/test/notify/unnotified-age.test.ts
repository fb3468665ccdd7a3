import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { startWorld, type World } from '../http/support.ts';
import { QUICK, readMetric, subscribe } from './support.ts';

const AGE_METRIC = 'cellwire_oldest_unnotified_change_age_seconds';

/** Fails the writes of grouping while `isAway` is true; all others succeed. */
class FailingGrouping {
  isFailing = false;

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      write: async (unit) => {
        if (this.isFailing && unit.statements.some(({ sql }) => sql.startsWith('update "windows"'))) {
          throw new Error('the database is away');
        }
        return database.write(unit);
      },
    });
}

async function waitUntilAge(world: World, matches: (seconds: number) => boolean): Promise<void> {
  while (!matches(await readMetric(world, AGE_METRIC))) await delay(20);
}

test('a metric shows the age of the oldest change without a notification', { timeout: 60_000 }, async (t) => {
  const failingGrouping = new FailingGrouping();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: failingGrouping.wrap });
  t.after(() => world.close());
  const { receiver, book } = await subscribe(t, world);
  await waitUntilAge(world, (seconds) => seconds === 0);
  failingGrouping.isFailing = true;
  await book.put('A1', [[1]]);
  await waitUntilAge(world, (seconds) => seconds > 2);
  assert.equal(receiver.received.length, 0);
  failingGrouping.isFailing = false;
  await receiver.waitForRequests(1);
  await waitUntilAge(world, (seconds) => seconds === 0);
});

test('the metric ignores a deleted document', { timeout: 60_000 }, async (t) => {
  const failingGrouping = new FailingGrouping();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: failingGrouping.wrap });
  t.after(() => world.close());
  const { book } = await subscribe(t, world);
  failingGrouping.isFailing = true;
  await book.put('A1', [[1]]);
  await waitUntilAge(world, (seconds) => seconds > 1);
  assert.equal((await book.requestInDocument('DELETE', '')).status, 200);
  await waitUntilAge(world, (seconds) => seconds === 0);
});

test('the metric counts an open window until it closes', { timeout: 60_000 }, async (t) => {
  // The window stays open for seconds after the age of one second, because a busy machine reads the metric rarely.
  const world = await startWorld({ notifications: { ...QUICK, quietMs: 5_000, maxWaitMs: 10_000 }, oneNode: true });
  t.after(() => world.close());
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  await waitUntilAge(world, (seconds) => seconds > 1);
  await receiver.waitForRequests(1);
  await waitUntilAge(world, (seconds) => seconds === 0);
});
