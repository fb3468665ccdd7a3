import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unit } from '../../src/database/database.ts';
import { MAX_GROUP_DOCUMENTS } from '../../src/database/limits.ts';
import { UnitQueues } from '../../src/postgres/queues.ts';
import { createCommit } from './commit-units.ts';

const PER_USER = 2;

test('writes of one user occupy only a part of the connections', async () => {
  const startOrder: string[] = [];
  const release = Promise.withResolvers<void>();
  const writeUnits = async (units: readonly Unit[]) => {
    startOrder.push(...units.map(({ document }) => document ?? ''));
    await release.promise;
    return units.map(() => ({ kind: 'committed', results: [] }) as const);
  };
  const queues = new UnitQueues({ writeUnits, writeGroup: () => Promise.resolve([]) }, PER_USER);
  const add = (document: string, user: number) => queues.queueUnit({ document, user, statements: [] } satisfies Unit);
  const mine = ['a', 'b', 'c', 'd'].map((document) => add(document, 1));
  const theirs = add('e', 2);
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.deepEqual(startOrder.toSorted(), ['a', 'b', 'e']);
  release.resolve();
  await Promise.all([...mine, theirs]);
  assert.deepEqual(startOrder.toSorted(), ['a', 'b', 'c', 'd', 'e']);
  await queues.close();
});

test('users take turns in groups of commits, whose number of documents is limited', async () => {
  const groups: (readonly string[])[] = [];
  const queues = new UnitQueues(
    {
      writeUnits: () => Promise.resolve([]),
      writeGroup: async ({ batches }) => {
        groups.push(batches.map(([unit]) => unit?.document ?? ''));
        return batches.map(() => ({ results: [{ kind: 'committed', results: [] }], isDoubtful: false }));
      },
    },
    PER_USER,
  );
  const mine = Array.from({ length: MAX_GROUP_DOCUMENTS * 2 - 1 }, (_, i) => ({
    ...createCommit(`a${i}`, 'h'),
    user: 1,
  }));
  const theirs = { ...createCommit('b', 'h'), user: 2 };
  await Promise.all([...mine, theirs].map((unit) => queues.queueUnit(unit)));
  assert.deepEqual(
    groups.map((group) => [group.length, group.includes('b')]),
    [
      [MAX_GROUP_DOCUMENTS, true],
      [MAX_GROUP_DOCUMENTS, false],
    ],
  );
  await queues.close();
});
