import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { startWorld, type World } from '../http/support.ts';
import { metric, QUICK, subscribe } from './support.ts';

const AGE = 'cellwire_oldest_unnotified_change_age_seconds';

/** Makes the writes of grouping fail while `isAway`; all others work. */
class GroupingAway {
  isAway = false;

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      write: async (unit) => {
        if (this.isAway && unit.statements.some(({ sql }) => sql.startsWith('update "windows"'))) {
          throw new Error('the database is away');
        }
        return database.write(unit);
      },
    });
}

async function untilAge(world: World, holds: (seconds: number) => boolean): Promise<void> {
  while (!holds(await metric(world, AGE))) await delay(20);
}

test('a figure tells how old the oldest change is that no notification covers', { timeout: 60_000 }, async (t) => {
  const away = new GroupingAway();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: away.wrap });
  t.after(() => world.close());
  const { receiver, book } = await subscribe(t, world);
  await untilAge(world, (seconds) => seconds === 0);
  away.isAway = true;
  await book.put('A1', [[1]]);
  await untilAge(world, (seconds) => seconds > 2);
  assert.equal(receiver.received.length, 0);
  away.isAway = false;
  await receiver.take(1);
  await untilAge(world, (seconds) => seconds === 0);
});

test('a deleted document does not count, although its changes were never grouped', { timeout: 60_000 }, async (t) => {
  const away = new GroupingAway();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: away.wrap });
  t.after(() => world.close());
  const { book } = await subscribe(t, world);
  away.isAway = true;
  await book.put('A1', [[1]]);
  await untilAge(world, (seconds) => seconds > 1);
  assert.equal((await book.here('DELETE', '')).status, 200);
  await untilAge(world, (seconds) => seconds === 0);
});

test('an open window counts, and it does not grow old while others are closed', { timeout: 60_000 }, async (t) => {
  const world = await startWorld({ notifications: { ...QUICK, quietMs: 1_500, maxWaitMs: 3_000 }, oneNode: true });
  t.after(() => world.close());
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  await untilAge(world, (seconds) => seconds > 1);
  await receiver.take(1);
  await untilAge(world, (seconds) => seconds === 0);
});
