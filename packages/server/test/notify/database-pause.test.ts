import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { startWorld } from '../http/support.ts';
import { answering } from './receiver.ts';
import { QUICK, subscribe } from './support.ts';

/** How long the database answers nothing. The dispatcher looks for due deliveries more often, so that one look waits. */
const FROZEN_MS = 3_000;
/** Less than a pause of twenty times `FROZEN_MS`, more than any machine needs for one delivery. */
const PATIENCE_MS = 40_000;

/** A database that can be made to answer nothing for some time, as a frozen host or a half-open connection does. */
class Freezer {
  private thawed: Promise<unknown> = Promise.resolve();

  readonly wrap = (database: Database): Database =>
    replaceMethods(database, {
      read: async (query) => this.thawed.then(() => database.read(query)),
      readOne: async (query) => this.thawed.then(() => database.readOne(query)),
      readAll: async (queries) => this.thawed.then(() => database.readAll(queries)),
      write: async (unit) => this.thawed.then(() => database.write(unit)),
    });

  freeze(ms: number): Promise<unknown> {
    this.thawed = delay(ms);
    return this.thawed;
  }
}

/** A service with a subscription, on a database that can be made to answer nothing. */
async function startFreezing(t: TestContext) {
  const freezer = new Freezer();
  const world = await startWorld({ notifications: QUICK, oneNode: true, wrap: freezer.wrap });
  t.after(() => world.close());
  return { freezer, ...(await subscribe(t, world)) };
}

test('webhooks go on at once after the database answered nothing for some time', {
  timeout: PATIENCE_MS,
}, async (t) => {
  const { freezer, receiver, book } = await startFreezing(t);
  await freezer.freeze(FROZEN_MS);
  assert.equal((await book.put('A1', [['after the pause']])).status, 200);
  const [first] = await receiver.take(1);
  assert.equal(first?.body['cells'][0]['v'], 'after the pause');
});

test('a delivery that failed while the database answered nothing is retried soon afterwards', {
  timeout: PATIENCE_MS,
}, async (t) => {
  const { freezer, receiver, book } = await startFreezing(t);
  receiver.behaviour = (response) => {
    receiver.behaviour = answering(204);
    void freezer.freeze(FROZEN_MS).then(() => response.writeHead(503).end());
  };
  await book.put('A1', [[1]]);
  const [, second] = await receiver.take(2);
  assert.equal(second?.body['attempt'], 2);
});
