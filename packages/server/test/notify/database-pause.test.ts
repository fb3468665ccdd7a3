import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { memberAt, startWorld } from '../http/support.ts';
import { respondWith } from './receiver.ts';
import { QUICK, subscribe } from './support.ts';

/** Duration of the pause. The dispatcher polls more often, so that a poll is blocked. */
const PAUSE_MS = 3_000;
/** Less than twenty times `PAUSE_MS`, but enough for one delivery on any machine. */
const TIMEOUT_MS = 40_000;

/** A database that can stop answering for some time, like a frozen host or a half-open connection. */
class PausableDatabase {
  private resumed: Promise<unknown> = Promise.resolve();

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      read: async (query) => this.resumed.then(() => database.read(query)),
      readOne: async (query) => this.resumed.then(() => database.readOne(query)),
      readAll: async (queries) => this.resumed.then(() => database.readAll(queries)),
      write: async (unit) => this.resumed.then(() => database.write(unit)),
    });

  pause(ms: number): Promise<unknown> {
    this.resumed = delay(ms);
    return this.resumed;
  }
}

/** Starts a service with a subscription and a pausable database. */
async function startPausable(t: TestContext) {
  const pausableDatabase = new PausableDatabase();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: pausableDatabase.wrap });
  t.after(() => world.close());
  return { freezer: pausableDatabase, ...(await subscribe(t, world)) };
}

test('webhooks continue immediately after a database pause', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  const { freezer: pausableDatabase, receiver, book } = await startPausable(t);
  await pausableDatabase.pause(PAUSE_MS);
  assert.equal((await book.put('A1', [['after the pause']])).status, 200);
  const [first] = await receiver.waitForRequests(1);
  assert.equal(memberAt(first?.body, 'cells', 0)['v'], 'after the pause');
});

test('a delivery that failed during a database pause is retried soon afterwards', {
  timeout: TIMEOUT_MS,
}, async (t) => {
  const { freezer: pausableDatabase, receiver, book } = await startPausable(t);
  receiver.behaviour = (response) => {
    receiver.behaviour = respondWith(204);
    void pausableDatabase.pause(PAUSE_MS).then(() => response.writeHead(503).end());
  };
  await book.put('A1', [[1]]);
  const [, second] = await receiver.waitForRequests(2);
  assert.equal(second?.body['attempt'], 2);
});
