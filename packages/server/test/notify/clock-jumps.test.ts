import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database, Unit } from '@cellwire/store';
import fc from 'fast-check';
import { scaleRunCount } from '../../../../test/depth.ts';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { type Api, memberAt, startWorld } from '../http/support.ts';
import type { Receiver } from './receiver.ts';
import { QUICK, subscribe, toElements, waitForState } from './support.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The machine's clock, which a test can change. */
class AdjustableClock {
  private offset = 0;
  readonly now = (): number => Date.now() + this.offset;

  jump(ms: number): void {
    this.offset += ms;
  }
}

async function startWithClock(t: TestContext, clock: AdjustableClock, wrap?: (database: Database) => Database) {
  const world = await startWorld({ notifications: QUICK, clock: clock.now, ...(wrap === undefined ? {} : { wrap }) });
  t.after(() => world.close());
  return world;
}

const JUMPS = [8 * SECOND, -8 * SECOND, HOUR, -HOUR, 40 * DAY, -40 * DAY];

test('every change is notified despite clock jumps between writes', { timeout: 120_000 }, async (t) => {
  const clock = new AdjustableClock();
  const world = await startWithClock(t, clock);
  const { receiver, book } = await subscribe(t, world);
  let number = 0;
  const anyJumps = fc.array(fc.constantFrom(...JUMPS), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(anyJumps, async (jumps) => {
      for (const jump of jumps) {
        clock.jump(jump);
        number++;
        assert.equal((await book.append('A1', [[number]])).status, 200);
      }
      await waitUntilNotified(receiver, number);
      for (const jump of jumps) clock.jump(-jump);
    }),
    { numRuns: scaleRunCount(12) },
  );
  assert.ok(await hasIncreasingTimes(book));
});

/** Waits until notifications cover all revisions up to `last`; returns the covered revisions in order. */
async function waitUntilNotified(receiver: Receiver, last: number): Promise<readonly number[]> {
  for (;;) {
    const revisions = receiver.received.flatMap(({ body }) => {
      const [from, to] = [Number(memberAt(body, 'revision', 'from')), Number(memberAt(body, 'revision', 'to'))];
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
    if (new Set(revisions).size === last) return revisions.sort((a, b) => a - b);
    await receiver.waitForNext();
  }
}

/** True if the commit times never decrease. */
async function hasIncreasingTimes(book: Api): Promise<boolean> {
  const { entries } = (await book.requestInDocument('GET', '/changes?since=0&limit=500')).body[
    'changes'
  ] as unknown as {
    readonly entries: readonly { readonly changedAt: string }[];
  };
  return entries.every(({ changedAt }, i) => i === 0 || changedAt >= (entries[i - 1]?.changedAt ?? ''));
}

for (const jump of JUMPS) {
  test(`a retry is sent although the clock jumps by ${jump / SECOND} s`, { timeout: 120_000 }, async (t) => {
    const clock = new AdjustableClock();
    const world = await startWithClock(t, clock);
    const subscription = await subscribe(t, world);
    subscription.receiver.behaviour = (response, _, count) => {
      if (count === 1) clock.jump(jump);
      response.writeHead(count < 3 ? 503 : 200).end();
      if (count === 2) clock.jump(-2 * jump);
    };
    await subscription.book.put('A1', [[1]]);
    const delivery = await waitForState(subscription, 'delivered');
    assert.deepEqual(
      toElements(delivery['attempts']).map((attempt) => attempt['outcome']),
      ['retry', 'retry', 'delivered'],
    );
  });
}

test('a window that takes longer to close than several polls is still delivered', { timeout: 120_000 }, async (t) => {
  const clock = new AdjustableClock();
  let polls = 0;
  const wrap = (database: Database): Database =>
    replaceMethods(database, {
      read: (query) => {
        if (query.sql.includes('"deliveries"')) polls++;
        return database.read(query);
      },
      write: async (unit) => {
        if (isWindowClose(unit)) {
          // Simulates a locked database: the delivery times are older than the newest poll.
          clock.jump(8 * SECOND);
          for (const from = polls; polls < from + 4; ) await new Promise(setImmediate);
        }
        return database.write(unit);
      },
    });
  const world = await startWithClock(t, clock, wrap);
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  await receiver.waitForRequests(1);
});

function isWindowClose({ statements }: Unit): boolean {
  return statements.some(({ sql }) => sql.startsWith('insert into "notifications"'));
}

test('two services with clocks an hour apart notify each change once', { timeout: 120_000 }, async (t) => {
  const aheadClock = new AdjustableClock();
  aheadClock.jump(HOUR);
  const world = await startWithClock(t, new AdjustableClock());
  const second = await world.startSecondService({ clock: aheadClock.now });
  t.after(() => second.close());
  const subscription = await subscribe(t, world);
  const { receiver, book } = subscription;
  for (let i = 0; i < 5; i++) assert.equal((await book.append('A1', [[i]])).status, 200);
  assert.deepEqual(await waitUntilNotified(receiver, 5), [1, 2, 3, 4, 5]);
  await waitForState(subscription, 'delivered');
});
