import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { MAX_ATTEMPTS } from '../../src/limits/notify.ts';
import { ClaimWatch } from '../../src/notify/claim-watch.ts';
import {
  DELIVERY_EVENTS,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryEvent,
  type DeliveryEventName,
  type DeliveryStateName,
  reduceDelivery,
} from '../../src/notify/delivery-state.ts';

/** docs/deliveries.md describes the numbered invariants. */
const SETTINGS = { retryDelaysMs: [5_000, 300_000, 1_800_000, 7_200_000], retryJitter: 0.2 };
const NOW = 1_000_000;
const CLAIM = 'mine';
const DAY_MS = 86_400_000;
const FINAL: readonly DeliveryStateName[] = ['delivered', 'refused', 'exhausted', 'cancelled'];

const STATE: { readonly [S in DeliveryStateName]: Delivery } = {
  waiting: { state: 'waiting', attempts: 1, round: 1, dueAt: NOW, setAt: NOW },
  sending: { state: 'sending', attempts: 1, round: 1, claim: CLAIM, since: NOW },
  delivered: { state: 'delivered', attempts: 1, round: 1, at: NOW },
  refused: { state: 'refused', attempts: 1, round: 1, at: NOW },
  exhausted: { state: 'exhausted', attempts: 5, round: 5, at: NOW },
  cancelled: { state: 'cancelled', attempts: 1, round: 1, at: NOW },
};
const EVENT: { readonly [E in DeliveryEventName]: DeliveryEvent } = {
  claim: { kind: 'claim', claim: CLAIM },
  succeed: { kind: 'succeed', claim: CLAIM },
  fail: { kind: 'fail', claim: CLAIM, retryAfterMs: 0, chance: 0.5 },
  refuse: { kind: 'refuse', claim: CLAIM },
  lapse: { kind: 'lapse', claim: CLAIM },
  cancel: { kind: 'cancel' },
  redeliver: { kind: 'redeliver' },
};

const PAGE = readFileSync(new URL('../../../../docs/deliveries.md', import.meta.url), 'utf8');
const NAME = /`([a-z]+)`/g;

function listNames(text: string): readonly string[] {
  return [...text.matchAll(NAME)].map((match) => match[1] ?? '');
}

/** Reads the rows of the table on the page whose header starts with the given word. */
function readTable(head: string): readonly (readonly string[])[] {
  const lines = PAGE.split('\n');
  const from = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from, from + length).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** The next states that the page lists for each state and event; none for a dash. A column may cover several states. */
function readDocumentedTransitions(): ReadonlyMap<string, readonly string[]> {
  const [head = [], , ...rows] = readTable('event');
  const columns = head.slice(1).map((cell) => (cell === 'final states' ? FINAL : listNames(cell)));
  const transitions = new Map<string, readonly string[]>();
  for (const [event = '', ...cells] of rows) {
    for (const [i, cell] of cells.entries()) {
      for (const state of columns[i] ?? []) {
        const nextStates = cell === 'due at once' ? [state] : listNames(cell);
        transitions.set(`${state} ${listNames(event)[0]}`, cell === '–' ? [] : nextStates);
      }
    }
  }
  return transitions;
}

test('the page lists every state and every event, and no other', () => {
  assert.deepEqual(
    readTable('state')
      .slice(2)
      .flatMap(([name = '']) => listNames(name)),
    DELIVERY_STATES,
  );
  assert.deepEqual(
    [...readDocumentedTransitions().keys()].sort(),
    DELIVERY_STATES.flatMap((s) => DELIVERY_EVENTS.map((e) => `${s} ${e}`)).sort(),
  );
});

for (const state of DELIVERY_STATES) {
  for (const event of DELIVERY_EVENTS) {
    const expected = readDocumentedTransitions().get(`${state} ${event}`) ?? [];
    test(`${state}, ${event}: ${expected.join(' or ') || 'nothing'}, as documented`, () => {
      const base = STATE[state];
      const states = [0, MAX_ATTEMPTS - 1]
        .map((round) => reduceDelivery({ ...base, attempts: round, round }, EVENT[event], NOW, SETTINGS)?.state)
        .filter((next) => next !== undefined);
      assert.deepEqual([...new Set(states)].sort(), [...expected].sort());
    });
  }
}

test('the fifth failure of a round is the last', () => {
  const fifth: Delivery = { state: 'sending', attempts: 4, round: 4, claim: CLAIM, since: NOW };
  const next = reduceDelivery(fifth, EVENT.fail, NOW, SETTINGS);
  assert.deepEqual(next, { state: 'exhausted', attempts: 5, round: 5, at: NOW });
});

test('a redelivered delivery has five more attempts, with continued numbers', () => {
  assert.deepEqual(reduceDelivery(STATE.exhausted, EVENT.redeliver, NOW, SETTINGS), {
    state: 'waiting',
    attempts: 5,
    round: 0,
    dueAt: NOW,
    setAt: NOW,
  });
});

const RETRY_DELAYS = [
  { round: 0, retryAfterMs: 0, chance: 0.5, wait: 5_000 },
  { round: 0, retryAfterMs: 0, chance: 0, wait: 4_000 },
  { round: 0, retryAfterMs: 0, chance: 1, wait: 6_000 },
  { round: 1, retryAfterMs: 0, chance: 0.5, wait: 300_000 },
  { round: 2, retryAfterMs: 0, chance: 0.5, wait: 1_800_000 },
  { round: 3, retryAfterMs: 0, chance: 0.5, wait: 7_200_000 },
  { round: 0, retryAfterMs: 60_000, chance: 0.5, wait: 60_000 },
  { round: 1, retryAfterMs: 60_000, chance: 0.5, wait: 300_000 },
  { round: 0, retryAfterMs: 10 * DAY_MS, chance: 0.5, wait: DAY_MS },
];
for (const { round, retryAfterMs, chance, wait } of RETRY_DELAYS) {
  test(`delay ${round + 1}, jitter ${chance}, Retry-After ${retryAfterMs} ms: ${wait} ms`, () => {
    const sending: Delivery = { state: 'sending', attempts: round, round, claim: CLAIM, since: NOW };
    const next = reduceDelivery(sending, { kind: 'fail', claim: CLAIM, retryAfterMs, chance }, NOW, SETTINGS);
    assert.equal(next?.state === 'waiting' ? next.dueAt - NOW : null, wait);
  });
}

/** Competing senders, receivers with any response, clock jumps and crashes, in any order. */
const anyEvent: fc.Arbitrary<DeliveryEvent> = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), claim: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constantFrom('succeed' as const, 'refuse' as const), claim: fc.constantFrom('a', 'b') }),
  fc.record({
    kind: fc.constant('fail' as const),
    claim: fc.constantFrom('a', 'b'),
    retryAfterMs: fc.nat(200_000_000),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('lapse' as const), claim: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constant('cancel' as const) }),
  fc.record({ kind: fc.constant('redeliver' as const) }),
);
const anyHistory = fc.array(
  fc.record({ event: anyEvent, elapsed: fc.integer({ min: -10_000_000, max: 10_000_000 }) }),
  {
    maxLength: 60,
  },
);

interface Transition {
  readonly before: Delivery;
  readonly event: DeliveryEvent;
  readonly after: Delivery;
  readonly now: number;
}

/** The transitions of a new delivery through a history. */
function listTransitions(
  history: readonly { readonly event: DeliveryEvent; readonly elapsed: number }[],
): readonly Transition[] {
  let delivery: Delivery = { state: 'waiting', attempts: 0, round: 0, dueAt: 0, setAt: 0 };
  let now = 0;
  return history.map(({ event, elapsed }) => {
    now += elapsed;
    const before = delivery;
    delivery = reduceDelivery(before, event, now, SETTINGS) ?? before;
    return { before, event, after: delivery, now };
  });
}

function checkInvariant(name: string, invariant: (steps: readonly Transition[]) => boolean): void {
  test(name, () =>
    fc.assert(
      fc.property(anyHistory, (history) => invariant(listTransitions(history))),
      { numRuns: 2_000 },
    ),
  );
}

checkInvariant('1. at most five attempts with an outcome since creation or redelivery', (steps) => {
  let since = 0;
  return steps.every(({ before, event, after }) => {
    if (event.kind === 'redeliver' && FINAL.includes(before.state)) since = 0;
    since += after.attempts - before.attempts;
    return since <= 5 && after.round === since;
  });
});
checkInvariant('2. no two attempts at once: a claim requires an unclaimed delivery', (steps) =>
  steps.every(({ before, event, after }) => event.kind !== 'claim' || after === before || before.state === 'waiting'),
);
checkInvariant('3. only the holder of the claim ends an attempt', (steps) =>
  steps.every(({ before, event, after }) => {
    if (before.state !== 'sending' || after === before || !('claim' in event) || event.kind === 'lapse') return true;
    return event.claim === before.claim;
  }),
);
checkInvariant('4. a final state changes only through redelivery', (steps) =>
  steps.every(({ before, event, after }) => {
    return !FINAL.includes(before.state) || after === before || event.kind === 'redeliver';
  }),
);
checkInvariant('5. no delivery is lost: a non-final one can be claimed, now or at a set time', (steps) =>
  steps.every(({ after, now }) => {
    if (FINAL.includes(after.state)) return true;
    const later = Math.max(now, after.state === 'waiting' ? after.dueAt : now);
    const lapse = { kind: 'lapse' as const, claim: after.state === 'sending' ? after.claim : '' };
    const free = after.state === 'sending' ? reduceDelivery(after, lapse, later, SETTINGS) : after;
    return free !== null && reduceDelivery(free, EVENT.claim, later, SETTINGS)?.state === 'sending';
  }),
);
checkInvariant('6. attempts increase by one at a time, and not for a lapse', (steps) =>
  steps.every(({ before, event, after }) => {
    const grown = after.attempts - before.attempts;
    return event.kind === 'lapse' || event.kind === 'claim' ? grown === 0 : grown === 0 || grown === 1;
  }),
);
checkInvariant('7. a retry is not before its delay, and not later than a day plus jitter', (steps) =>
  steps.every(({ event, after, before, now }) => {
    if (event.kind !== 'fail' || after === before || after.state !== 'waiting') return true;
    const delay = SETTINGS.retryDelaysMs[before.round] ?? 0;
    return after.dueAt >= now + delay * 0.8 - 1 && after.dueAt <= now + DAY_MS;
  }),
);

checkInvariant('8. a delay never exceeds a day, independent of the clock', (steps) =>
  steps.every(({ after }) => after.state !== 'waiting' || after.dueAt - after.setAt <= DAY_MS),
);

test('a claim lapses only after it has been observed for the whole time, independent of clocks', () => {
  const watch = new ClaimWatch(20_000);
  const mine = { claim: 'a' };
  assert.deepEqual(watch.findExpiredClaims([mine], 5_000), []);
  assert.deepEqual(watch.findExpiredClaims([mine], 24_999), []);
  assert.deepEqual(watch.findExpiredClaims([mine], 25_000), [mine]);
  assert.deepEqual(
    watch.findExpiredClaims([{ claim: 'b' }], 25_000),
    [],
    'another claim of the same delivery starts its own time',
  );
  assert.deepEqual(watch.findExpiredClaims([mine], 26_000), [], 'a claim that was away starts its own time');
});
