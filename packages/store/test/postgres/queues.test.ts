import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Unit } from '../../src/database/database.ts';
import { UnitQueues } from '../../src/postgres/queues.ts';

const PER_USER = 2;

test('writes of one user occupy only a part of the connections', async () => {
  const startOrder: string[] = [];
  const release = Promise.withResolvers<void>();
  const queues = new UnitQueues(async (units) => {
    startOrder.push(...units.map(({ document }) => document ?? ''));
    await release.promise;
    return units.map(() => ({ kind: 'committed', results: [] }) as const);
  }, PER_USER);
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
