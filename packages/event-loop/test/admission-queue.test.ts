import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Admission, AdmissionQueue, type AdmissionRequest } from '../src/admission-queue.ts';
import { ConsumptionMeter } from '../src/consumption.ts';
import { MAX_WAITING_TASKS_PER_USER } from '../src/limits.ts';

/** A queue whose tasks note when they are admitted. */
function observed(bounds: { readonly places: number; readonly largePlaces?: number }, meter = new ConsumptionMeter()) {
  const queue = new AdmissionQueue(bounds, meter);
  const admitted: string[] = [];
  const admissions = new Map<string, Admission | null>();
  const ask = (name: string, request: Partial<AdmissionRequest> & Pick<AdmissionRequest, 'user'>): Promise<void> =>
    queue.enter({ expectedMs: 0, ...request }).then((admission) => {
      admissions.set(name, admission);
      if (admission !== null) admitted.push(name);
    });
  const leave = async (name: string, workedMs = 0): Promise<void> => {
    admissions.get(name)?.leave(workedMs);
    await settled();
  };
  return { queue, ask, leave, admitted, admissions };
}

/** All promises that can go on have done so. */
function settled(): Promise<void> {
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
  test(`one user gets ${half} of ${places} places, however many tasks they send`, async () => {
    const { ask, admitted } = observed({ places });
    for (let i = 0; i < 20; i++) void ask(`mine ${i}`, { user: 1 });
    await settled();
    assert.equal(admitted.length, half);
    void ask('other', { user: 2 });
    await settled();
    assert.equal(admitted.includes('other'), places > 1);
  });
}

test('three users who take all they can still leave a place of four for the next one', async () => {
  const { ask, admitted } = observed({ places: 4 });
  for (const user of [1, 2]) for (let i = 0; i < 5; i++) void ask(`${user}`, { user });
  await settled();
  assert.deepEqual(admitted, ['1', '1', '2']);
  void ask('3', { user: 3 });
  await settled();
  assert.deepEqual(admitted, ['1', '1', '2', '3']);
});

test('the user who has consumed the least comes first', async () => {
  const meter = new ConsumptionMeter();
  meter.add(1, 5_000);
  meter.add(2, 100);
  const { ask, leave, admitted } = observed({ places: 1 }, meter);
  void ask('running', { user: 9 });
  for (const user of [1, 2, 3]) void ask(`user ${user}`, { user });
  await settled();
  await leave('running');
  await leave('user 3', 1);
  await leave('user 2', 1);
  assert.deepEqual(admitted, ['running', 'user 3', 'user 2', 'user 1']);
});

test('a short task overtakes a long one of the same user', async () => {
  const { ask, leave, admitted } = observed({ places: 1 });
  void ask('running', { user: 1 });
  void ask('long', { user: 1, expectedMs: 60_000 });
  void ask('short', { user: 1, expectedMs: 10 });
  await settled();
  await leave('running');
  assert.deepEqual(admitted, ['running', 'short']);
  await leave('short');
  assert.deepEqual(admitted, ['running', 'short', 'long']);
});

test('large tasks leave places for small ones', async () => {
  const { ask, admitted } = observed({ places: 4, largePlaces: 2 });
  for (const user of [1, 2, 3]) void ask(`large ${user}`, { user, isLarge: true });
  void ask('small 3', { user: 3 });
  await settled();
  assert.deepEqual(admitted, ['large 1', 'large 2', 'small 3']);
});

test('beyond its bound the next task of a user is refused, and others still wait', async () => {
  const { queue, ask, admitted, admissions } = observed({ places: 2 });
  void ask('other', { user: 2 });
  for (let i = 0; i <= MAX_WAITING_TASKS_PER_USER; i++) void ask(`mine ${i}`, { user: 1 });
  void ask('too many', { user: 1 });
  void ask('background', { user: 1, isBackground: true });
  void ask('another', { user: 2 });
  await settled();
  assert.deepEqual(admitted, ['other', 'mine 0']);
  assert.equal(admissions.get('too many'), null);
  assert.equal(queue.length, MAX_WAITING_TASKS_PER_USER + 2);
});

test('a task that nobody needs any more leaves the queue', async () => {
  const { queue, ask, leave, admitted, admissions } = observed({ places: 1 });
  const gone = new AbortController();
  void ask('running', { user: 1 });
  void ask('gone', { user: 1, signal: gone.signal });
  void ask('next', { user: 1 });
  await settled();
  gone.abort();
  await settled();
  assert.deepEqual([queue.length, admissions.get('gone')], [1, null]);
  await leave('running');
  assert.deepEqual(admitted, ['running', 'next']);
  await ask('late', { user: 1, signal: gone.signal });
  assert.equal(admissions.get('late'), null);
});

test('a place is given back once', async () => {
  const { ask, leave, admitted } = observed({ places: 1 });
  for (const name of ['a', 'b', 'c']) void ask(name, { user: 1 });
  await settled();
  await leave('a');
  await leave('a');
  assert.deepEqual(admitted, ['a', 'b']);
});

test('a closed queue refuses those who wait, and all that come', async () => {
  const { queue, ask, admissions } = observed({ places: 1 });
  void ask('running', { user: 1 });
  void ask('waiting', { user: 2 });
  await settled();
  queue.close();
  await ask('late', { user: 3 });
  assert.deepEqual([admissions.get('waiting'), admissions.get('late')], [null, null]);
});
