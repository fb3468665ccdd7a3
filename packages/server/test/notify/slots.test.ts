import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AttemptSlots } from '../../src/notify/slots.ts';

const LIMITS = {
  subscription: 2,
  hostQuick: 4,
  hostSlow: 8,
  userQuick: 10,
  userSlow: 20,
  processQuick: 10,
  processSlow: 20,
};

test('dead receivers leave slots for live ones on the same host', () => {
  const slots = new AttemptSlots(LIMITS);
  for (let dead = 0; dead < 8; dead++) {
    const slot = slots.takeSlot(dead, { host: 'host', user: 1 }, false);
    assert.ok(slot);
    slot.moveToSlowSlot();
  }
  for (let dead = 0; dead < 8; dead++)
    assert.equal(slots.takeSlot(dead, { host: 'host', user: 1 }, false), null, 'no second slow attempt');
  for (let live = 100; live < 104; live++) assert.ok(slots.takeSlot(live, { host: 'host', user: 1 }, false));
});

test('receivers that failed last take at most half of the slow slots', () => {
  const slots = new AttemptSlots(LIMITS);
  const takenSlots = Array.from({ length: 8 }, (_, id) => slots.takeSlot(id, { host: 'host', user: 1 }, true)).filter(
    (slot) => slot !== null,
  );
  assert.equal(takenSlots.length, 4);
  assert.ok(slots.takeSlot(100, { host: 'host', user: 1 }, false));
});

test('a full host leaves slots for other hosts', () => {
  const slots = new AttemptSlots(LIMITS);
  for (let id = 0; id < 4; id++) assert.ok(slots.takeSlot(id, { host: 'full', user: 1 }, false));
  assert.equal(slots.takeSlot(4, { host: 'full', user: 1 }, false), null);
  assert.ok(slots.takeSlot(4, { host: 'other', user: 1 }, false));
});

test('one user leaves half of the slots for others, with any number of subscriptions and hosts', () => {
  const slots = new AttemptSlots({ ...LIMITS, userQuick: 5, userSlow: 10 });
  const take = (user: number, failing: boolean) =>
    Array.from({ length: 20 }, (_, id) => slots.takeSlot(100 * user + id, { host: `${user} ${id}`, user }, failing));
  const quick = take(1, false).filter((slot) => slot !== null);
  assert.equal(quick.length, 5);
  for (const slot of quick) slot.moveToSlowSlot();
  const failing = Array.from({ length: 20 }, (_, id) => slots.takeSlot(150 + id, { host: `f${id}`, user: 1 }, true));
  assert.equal(failing.filter((slot) => slot !== null).length, 0, 'half of the slow places are taken');
  assert.equal(take(2, false).filter((slot) => slot !== null).length, 5);
});

test('no limit is exceeded, and all slots are released', () => {
  const step = fc.record({
    move: fc.constantFrom('take', 'take', 'take', 'fail', 'slow', 'slow', 'release'),
    id: fc.nat(40),
    host: fc.nat(2),
    index: fc.nat(400),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
      const slots = new AttemptSlots(LIMITS);
      const takenSlots: { slot: NonNullable<ReturnType<AttemptSlots['takeSlot']>>; id: number; host: string }[] = [];
      for (const { move: action, id, host, index } of steps) {
        if (action === 'take' || action === 'fail') {
          const slot = slots.takeSlot(id, { host: `h${host}`, user: 1 }, action === 'fail');
          if (slot !== null) takenSlots.push({ slot, id, host: `h${host}` });
        } else if (takenSlots.length > 0) {
          const [one] =
            action === 'slow'
              ? [takenSlots[index % takenSlots.length]]
              : takenSlots.splice(index % takenSlots.length, 1);
          if (action === 'slow') one?.slot.moveToSlowSlot();
          else one?.slot.release();
        }
        assert.equal(slots.inUse, takenSlots.length);
        assert.ok(takenSlots.length <= LIMITS.processQuick + LIMITS.processSlow);
        for (const { id } of takenSlots)
          assert.ok(takenSlots.filter((other) => other.id === id).length <= LIMITS.subscription);
        for (const { host } of takenSlots) {
          assert.ok(takenSlots.filter((other) => other.host === host).length <= LIMITS.hostQuick + LIMITS.hostSlow);
        }
      }
      for (const { slot } of takenSlots) slot.release();
      assert.equal(slots.inUse, 0);
      for (let i = 0; i < LIMITS.hostQuick; i++) assert.ok(slots.takeSlot(i, { host: 'h0', user: 1 }, false));
    }),
  );
});
