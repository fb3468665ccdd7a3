import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Database, Unit } from '@cellwire/store';
import fc from 'fast-check';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { type Api, startWorld } from '../http/support.ts';
import type { Receiver } from './receiver.ts';
import { items, QUICK, subscribe, untilState } from './support.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** The machine's clock, which somebody sets. */
class SetClock {
  private offset = 0;
  readonly now = (): number => Date.now() + this.offset;

  jump(ms: number): void {
    this.offset += ms;
  }
}

async function notifying(t: TestContext, clock: SetClock, wrap?: (database: Database) => Database) {
  const world = await startWorld({ notifications: QUICK, clock: clock.now, ...(wrap === undefined ? {} : { wrap }) });
  t.after(() => world.close());
  return world;
}

const JUMPS = [8 * SECOND, -8 * SECOND, HOUR, -HOUR, 40 * DAY, -40 * DAY];

test('every change is told however the clock jumps between writes', { timeout: 120_000 }, async (t) => {
  const clock = new SetClock();
  const world = await notifying(t, clock);
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
      await untilTold(receiver, number);
      for (const jump of jumps) clock.jump(-jump);
    }),
    { numRuns: 8 },
  );
  assert.ok(await neverGoesBack(book));
});

/** Waits until notifications cover all revisions up to one; those that they cover, in order. */
async function untilTold(receiver: Receiver, last: number): Promise<readonly number[]> {
  for (;;) {
    const told = receiver.received.flatMap(({ body }) => {
      const [from, to] = [Number(body['revision']['from']), Number(body['revision']['to'])];
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
    if (new Set(told).size === last) return told.sort((a, b) => a - b);
    await receiver.next();
  }
}

/** Whether each commit's time is at or after that of the one before it. */
async function neverGoesBack(book: Api): Promise<boolean> {
  const { entries } = (await book.here('GET', '/changes?since=0&limit=500')).body['changes'] as unknown as {
    readonly entries: readonly { readonly changedAt: string }[];
  };
  return entries.every(({ changedAt }, i) => i === 0 || changedAt >= (entries[i - 1]?.changedAt ?? ''));
}

for (const jump of JUMPS) {
  test(`a retry comes although the clock jumps by ${jump / SECOND} s meanwhile`, { timeout: 120_000 }, async (t) => {
    const clock = new SetClock();
    const world = await notifying(t, clock);
    const subscribed = await subscribe(t, world);
    subscribed.receiver.behaviour = (response, _, count) => {
      if (count === 1) clock.jump(jump);
      response.writeHead(count < 3 ? 503 : 200).end();
      if (count === 2) clock.jump(-2 * jump);
    };
    await subscribed.book.put('A1', [[1]]);
    const delivery = await untilState(subscribed, 'delivered');
    assert.deepEqual(
      items(delivery['attempts']).map((one) => one['outcome']),
      ['retry', 'retry', 'delivered'],
    );
  });
}

test('a window whose closing takes longer than any look is still delivered', { timeout: 120_000 }, async (t) => {
  const clock = new SetClock();
  let looks = 0;
  const wrap = (database: Database): Database =>
    replaceMethods(database, {
      read: (query) => {
        if (query.sql.includes('"deliveries"')) looks++;
        return database.read(query);
      },
      write: async (unit) => {
        if (closesWindow(unit)) {
          // As if the database had been locked: the time of the deliveries lies behind what was looked at since.
          clock.jump(8 * SECOND);
          for (const from = looks; looks < from + 4; ) await new Promise(setImmediate);
        }
        return database.write(unit);
      },
    });
  const world = await notifying(t, clock, wrap);
  const { receiver, book } = await subscribe(t, world);
  await book.put('A1', [[1]]);
  await receiver.take(1);
});

function closesWindow({ statements }: Unit): boolean {
  return statements.some(({ sql }) => sql.startsWith('insert into "notifications"'));
}

test('two services whose clocks differ by an hour tell each change once', { timeout: 120_000 }, async (t) => {
  const ahead = new SetClock();
  ahead.jump(HOUR);
  const world = await notifying(t, new SetClock());
  const second = await world.startSecondService({ clock: ahead.now });
  t.after(() => second.close());
  const subscribed = await subscribe(t, world);
  const { receiver, book } = subscribed;
  for (let i = 0; i < 5; i++) assert.equal((await book.append('A1', [[i]])).status, 200);
  assert.deepEqual(await untilTold(receiver, 5), [1, 2, 3, 4, 5]);
  await untilState(subscribed, 'delivered');
});
