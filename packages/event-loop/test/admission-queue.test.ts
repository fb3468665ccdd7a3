import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Admission, AdmissionQueue, type AdmissionRequest } from '../src/admission-queue.ts';
import { ConsumptionMeter } from '../src/consumption.ts';
import { MAX_WAITING_TASKS_PER_USER } from '../src/limits.ts';

/** Creates a queue and records the order in which its tasks are admitted. */
function createObservedQueue(
  bounds: { readonly places: number; readonly largePlaces?: number },
  meter = new ConsumptionMeter(),
) {
  const queue = new AdmissionQueue(bounds, meter);
  const admitted: string[] = [];
  const admissions = new Map<string, Admission | null>();
  const enter = (name: string, request: Partial<AdmissionRequest> & Pick<AdmissionRequest, 'user'>): Promise<void> =>
    queue.enter({ expectedMs: 0, ...request }).then((admission) => {
      admissions.set(name, admission);
      if (admission !== null) admitted.push(name);
    });
  const leave = async (name: string, workedMs = 0): Promise<void> => {
    admissions.get(name)?.leave(workedMs);
    await flushMicrotasks();
  };
  return { queue, enter, leave, admitted, admissions };
}

/** Resolves after all pending microtasks have run. */
function flushMicrotasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

for (const [places, half] of [
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [6, 3],
  [8, 4],
] as const) {
  test(`one user gets ${half} of ${places} places for any number of tasks`, async () => {
    const { enter, admitted } = createObservedQueue({ places });
    for (let i = 0; i < 20; i++) void enter(`mine ${i}`, { user: 1 });
    await flushMicrotasks();
    assert.equal(admitted.length, half);
    void enter('other', { user: 2 });
    await flushMicrotasks();
    assert.equal(admitted.includes('other'), places > 1);
  });
}

test('users with as many places as possible leave one of four for the next user', async () => {
  const { enter, admitted } = createObservedQueue({ places: 4 });
  for (const user of [1, 2]) for (let i = 0; i < 5; i++) void enter(`${user}`, { user });
  await flushMicrotasks();
  assert.deepEqual(admitted, ['1', '1', '2']);
  void enter('3', { user: 3 });
  await flushMicrotasks();
  assert.deepEqual(admitted, ['1', '1', '2', '3']);
});

test('the user with the lowest consumption is served first', async () => {
  const meter = new ConsumptionMeter();
  meter.add(1, 5_000);
  meter.add(2, 100);
  const { enter, leave, admitted } = createObservedQueue({ places: 1 }, meter);
  void enter('running', { user: 9 });
  for (const user of [1, 2, 3]) void enter(`user ${user}`, { user });
  await flushMicrotasks();
  await leave('running');
  await leave('user 3', 1);
  await leave('user 2', 1);
  assert.deepEqual(admitted, ['running', 'user 3', 'user 2', 'user 1']);
});

test('a short task overtakes a long one of the same user', async () => {
  const { enter, leave, admitted } = createObservedQueue({ places: 1 });
  void enter('running', { user: 1 });
  void enter('long', { user: 1, expectedMs: 60_000 });
  void enter('short', { user: 1, expectedMs: 10 });
  await flushMicrotasks();
  await leave('running');
  assert.deepEqual(admitted, ['running', 'short']);
  await leave('short');
  assert.deepEqual(admitted, ['running', 'short', 'long']);
});

test('large tasks leave places for small tasks', async () => {
  const { enter, admitted } = createObservedQueue({ places: 4, largePlaces: 2 });
  for (const user of [1, 2, 3]) void enter(`large ${user}`, { user, isLarge: true });
  void enter('small 3', { user: 3 });
  await flushMicrotasks();
  assert.deepEqual(admitted, ['large 1', 'large 2', 'small 3']);
});

test('refuses the next task of a user at the limit, and still accepts tasks of others', async () => {
  const { queue, enter, admitted, admissions } = createObservedQueue({ places: 2 });
  void enter('other', { user: 2 });
  for (let i = 0; i <= MAX_WAITING_TASKS_PER_USER; i++) void enter(`mine ${i}`, { user: 1 });
  void enter('too many', { user: 1 });
  void enter('background', { user: 1, isBackground: true });
  void enter('another', { user: 2 });
  await flushMicrotasks();
  assert.deepEqual(admitted, ['other', 'mine 0']);
  assert.equal(admissions.get('too many'), null);
  assert.equal(queue.length, MAX_WAITING_TASKS_PER_USER + 2);
});

test('an aborted task leaves the queue', async () => {
  const { queue, enter, leave, admitted, admissions } = createObservedQueue({ places: 1 });
  const abort = new AbortController();
  void enter('running', { user: 1 });
  void enter('gone', { user: 1, signal: abort.signal });
  void enter('next', { user: 1 });
  await flushMicrotasks();
  abort.abort();
  await flushMicrotasks();
  assert.deepEqual([queue.length, admissions.get('gone')], [1, null]);
  await leave('running');
  assert.deepEqual(admitted, ['running', 'next']);
  await enter('late', { user: 1, signal: abort.signal });
  assert.equal(admissions.get('late'), null);
});

test('a second release of a place has no effect', async () => {
  const { enter, leave, admitted } = createObservedQueue({ places: 1 });
  for (const name of ['a', 'b', 'c']) void enter(name, { user: 1 });
  await flushMicrotasks();
  await leave('a');
  await leave('a');
  assert.deepEqual(admitted, ['a', 'b']);
});

test('a closed queue refuses waiting tasks and later requests', async () => {
  const { queue, enter, admissions } = createObservedQueue({ places: 1 });
  void enter('running', { user: 1 });
  void enter('waiting', { user: 2 });
  await flushMicrotasks();
  queue.close();
  await enter('late', { user: 3 });
  assert.deepEqual([admissions.get('waiting'), admissions.get('late')], [null, null]);
});
