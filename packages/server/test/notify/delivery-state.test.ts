import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Delivery,
  type DeliveryEvent,
  EVENTS,
  type EventName,
  reduce,
  STATES,
  type StateName,
} from '../../src/service/delivery-state.ts';

/** The numbered invariants are those of docs/deliveries.md. */
const SETTINGS = { retryDelaysMs: [5_000, 300_000, 1_800_000, 7_200_000], retryJitter: 0.2 };
const NOW = 1_000_000;
const MINE = 'mine';
const DAY_MS = 86_400_000;

const STATE: { readonly [S in StateName]: Delivery } = {
  waiting: { state: 'waiting', attempts: 1, round: 1, dueAt: NOW },
  sending: { state: 'sending', attempts: 1, round: 1, claim: MINE, lapsesAt: NOW + 20_000 },
  delivered: { state: 'delivered', attempts: 1, round: 1, at: NOW },
  refused: { state: 'refused', attempts: 1, round: 1, at: NOW },
  exhausted: { state: 'exhausted', attempts: 5, round: 5, at: NOW },
  cancelled: { state: 'cancelled', attempts: 1, round: 1, at: NOW },
};
const EVENT: { readonly [E in EventName]: DeliveryEvent } = {
  claim: { kind: 'claim', claim: MINE, lapsesAt: NOW + 20_000 },
  succeed: { kind: 'succeed', claim: MINE },
  fail: { kind: 'fail', claim: MINE, retryAfterMs: 0, chance: 0.5 },
  refuse: { kind: 'refuse', claim: MINE },
  lapse: { kind: 'lapse', claim: MINE },
  cancel: { kind: 'cancel' },
  redeliver: { kind: 'redeliver' },
};

/** State × event → next state, as the table of docs/deliveries.md has it; what is missing changes nothing. */
const MOVES: Readonly<Record<string, StateName>> = {
  'waiting claim': 'sending',
  'waiting cancel': 'cancelled',
  'waiting redeliver': 'waiting',
  'sending succeed': 'delivered',
  'sending fail': 'waiting',
  'sending refuse': 'refused',
  'sending lapse': 'waiting',
  'delivered redeliver': 'waiting',
  'refused redeliver': 'waiting',
  'exhausted redeliver': 'waiting',
  'cancelled redeliver': 'waiting',
};

for (const state of STATES) {
  for (const event of EVENTS) {
    const expected = MOVES[`${state} ${event}`] ?? null;
    test(`${state}, ${event}: ${expected ?? 'nothing'}`, () => {
      assert.equal(reduce(STATE[state], EVENT[event], NOW, SETTINGS)?.state ?? null, expected);
    });
  }
}

test('the fifth failure of a round is the last', () => {
  const fifth: Delivery = { state: 'sending', attempts: 4, round: 4, claim: MINE, lapsesAt: NOW };
  const next = reduce(fifth, EVENT.fail, NOW, SETTINGS);
  assert.deepEqual(next, { state: 'exhausted', attempts: 5, round: 5, at: NOW });
});

test('a delivery asked for again has five more attempts, numbered on', () => {
  assert.deepEqual(reduce(STATE.exhausted, EVENT.redeliver, NOW, SETTINGS), {
    state: 'waiting',
    attempts: 5,
    round: 0,
    dueAt: NOW,
  });
});

const WAITS = [
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
for (const { round, retryAfterMs, chance, wait } of WAITS) {
  test(`wait ${round + 1}, jitter ${chance}, Retry-After ${retryAfterMs} ms: ${wait} ms`, () => {
    const sending: Delivery = { state: 'sending', attempts: round, round, claim: MINE, lapsesAt: NOW };
    const next = reduce(sending, { kind: 'fail', claim: MINE, retryAfterMs, chance }, NOW, SETTINGS);
    assert.equal(next?.state === 'waiting' ? next.dueAt - NOW : null, wait);
  });
}

/** Two senders that compete, receivers that answer anything, a clock that jumps, crashes: in any order. */
const anyEvent: fc.Arbitrary<DeliveryEvent> = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), claim: fc.constantFrom('a', 'b'), lapsesAt: fc.nat(2_000_000) }),
  fc.record({ kind: fc.constantFrom('succeed' as const, 'refuse' as const), claim: fc.constantFrom('a', 'b') }),
  fc.record({
    kind: fc.constant('fail' as const),
    claim: fc.constantFrom('a', 'b'),
    retryAfterMs: fc.nat(200_000_000),
    chance: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('lapse' as const), claim: fc.constantFrom('a', 'b', null) }),
  fc.record({ kind: fc.constant('cancel' as const) }),
);
const anyHistory = fc.array(fc.record({ event: anyEvent, passed: fc.nat(30_000) }), { maxLength: 60 });
const FINAL: readonly StateName[] = ['delivered', 'refused', 'exhausted', 'cancelled'];

interface Step {
  readonly before: Delivery;
  readonly event: DeliveryEvent;
  readonly after: Delivery;
  readonly now: number;
}

/** The steps that a new delivery takes through a history. */
function stepsOf(history: readonly { readonly event: DeliveryEvent; readonly passed: number }[]): readonly Step[] {
  let delivery: Delivery = { state: 'waiting', attempts: 0, round: 0, dueAt: 0 };
  let now = 0;
  return history.map(({ event, passed }) => {
    now += passed;
    const before = delivery;
    delivery = reduce(before, event, now, SETTINGS) ?? before;
    return { before, event, after: delivery, now };
  });
}

function holds(name: string, invariant: (steps: readonly Step[]) => boolean): void {
  test(name, () =>
    fc.assert(
      fc.property(anyHistory, (history) => invariant(stepsOf(history))),
      { numRuns: 2_000 },
    ),
  );
}

holds('1. never more than five attempts with an outcome', (steps) =>
  steps.every(({ after }) => after.attempts <= 5 && after.round <= 5),
);
holds('2. never two attempts at once: a claim is taken only where nobody holds one', (steps) =>
  steps.every(({ before, event, after }) => event.kind !== 'claim' || after === before || before.state === 'waiting'),
);
holds('3. only the holder of the claim ends an attempt', (steps) =>
  steps.every(({ before, event, after }) => {
    if (before.state !== 'sending' || after === before || !('claim' in event) || event.kind === 'lapse') return true;
    return event.claim === before.claim;
  }),
);
holds('4. what is final stays as it is', (steps) =>
  steps.every(({ before, after }) => !FINAL.includes(before.state) || after === before),
);
holds('5. nothing is lost: what is not final can be claimed, now or at a time that is set', (steps) =>
  steps.every(({ after, now }) => {
    if (FINAL.includes(after.state)) return true;
    const at = after.state === 'waiting' ? after.dueAt : after.state === 'sending' ? after.lapsesAt : Number.NaN;
    const later = Math.max(now, at);
    const free = after.state === 'sending' ? reduce(after, { kind: 'lapse', claim: null }, later, SETTINGS) : after;
    return free !== null && reduce(free, EVENT.claim, later, SETTINGS)?.state === 'sending';
  }),
);
holds('6. attempts are counted upward, one at a time, and a lapse counts none', (steps) =>
  steps.every(({ before, event, after }) => {
    const grown = after.attempts - before.attempts;
    return event.kind === 'lapse' || event.kind === 'claim' ? grown === 0 : grown === 0 || grown === 1;
  }),
);
holds('7. a retry never comes before its wait, nor later than a day and the jitter', (steps) =>
  steps.every(({ event, after, before, now }) => {
    if (event.kind !== 'fail' || after === before || after.state !== 'waiting') return true;
    const delay = SETTINGS.retryDelaysMs[before.round] ?? 0;
    return after.dueAt >= now + delay * 0.8 - 1 && after.dueAt <= now + DAY_MS;
  }),
);
