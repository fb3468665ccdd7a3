import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Database } from '@cellwire/store';
import { openSqlite } from '../../../store/src/sqlite/database.ts';
import { createAgentUsage, createSharedAgentUsage } from '../../src/access/agent-usage.ts';

const MINUTE = { window: 'minute', limit: 3 } as const;
const NOON = Date.parse('2026-05-04T12:00:00Z');

let folder: string;
let database: Database;
let now: number;
let user = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cellwire-usage-'));
  database = openSqlite({ folder, writer: 'inline' });
});
after(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  now = NOON;
  user++;
});

function open() {
  const onFailure = (error: unknown): never => {
    throw error;
  };
  return createAgentUsage({ database, clock: () => now, onFailure });
}

describe('the count of agents’ requests', () => {
  it('ends at the limit, and begins anew with the next window', async () => {
    const usage = open();
    const taken = async () => [await usage.take(user, MINUTE), await usage.take(user, MINUTE)];
    assert.deepEqual([...(await taken()), ...(await taken())], [true, true, true, false]);
    assert.deepEqual(await usage.state(user, MINUTE), {
      window: 'minute',
      limit: 3,
      used: 3,
      remaining: 0,
      resetInSeconds: 60,
    });
    now += 60_000;
    assert.equal(await usage.take(user, MINUTE), true);
    assert.equal((await usage.state(user, MINUTE)).used, 1);
    await usage.close();
  });

  it('of many at once is exact', async () => {
    const usage = open();
    const taken = await Promise.all(Array.from({ length: 50 }, () => usage.take(user, MINUTE)));
    assert.equal(taken.filter(Boolean).length, 3);
    now += 60_000;
    const again = await Promise.all(Array.from({ length: 50 }, () => usage.take(user, MINUTE)));
    assert.equal(again.filter(Boolean).length, 3);
    await usage.close();
  });

  it('outlives the process', async () => {
    const first = open();
    await first.take(user, MINUTE);
    await first.take(user, MINUTE);
    await first.refund(user, MINUTE);
    await first.close();
    const second = open();
    assert.equal((await second.state(user, MINUTE)).used, 1);
    await second.take(user, MINUTE);
    await second.close();
    assert.equal((await open().state(user, MINUTE)).used, 2);
  });

  it('is kept for each node’s own window where their clocks are an hour apart', async () => {
    const [here, ahead] = [0, 60 * 60 * 1000].map((ms) => createSharedAgentUsage({ database, clock: () => now + ms }));
    assert.ok(here !== undefined && ahead !== undefined);
    for (let i = 0; i < MINUTE.limit; i++) {
      assert.equal(await here.take(user, MINUTE), true);
      assert.equal(await ahead.take(user, MINUTE), true);
    }
    assert.equal(await here.take(user, MINUTE), false);
    assert.equal(await ahead.take(user, MINUTE), false);
  });
});
