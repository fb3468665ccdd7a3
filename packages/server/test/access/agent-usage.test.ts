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

function openAgentUsage() {
  const onFailure = (error: unknown): never => {
    throw error;
  };
  return createAgentUsage({ database, clock: () => now, onFailure });
}

describe('the count of agent requests', () => {
  it('stops at the limit, and restarts with the next window', async () => {
    const usage = openAgentUsage();
    const takeTwice = async () => [await usage.takeRequest(user, MINUTE), await usage.takeRequest(user, MINUTE)];
    assert.deepEqual([...(await takeTwice()), ...(await takeTwice())], [true, true, true, false]);
    assert.deepEqual(await usage.readState(user, MINUTE), {
      window: 'minute',
      limit: 3,
      used: 3,
      remaining: 0,
      resetInSeconds: 60,
    });
    now += 60_000;
    assert.equal(await usage.takeRequest(user, MINUTE), true);
    assert.equal((await usage.readState(user, MINUTE)).used, 1);
    await usage.close();
  });

  it('is exact for parallel requests', async () => {
    const usage = openAgentUsage();
    const accepted = await Promise.all(Array.from({ length: 50 }, () => usage.takeRequest(user, MINUTE)));
    assert.equal(accepted.filter(Boolean).length, 3);
    now += 60_000;
    const again = await Promise.all(Array.from({ length: 50 }, () => usage.takeRequest(user, MINUTE)));
    assert.equal(again.filter(Boolean).length, 3);
    await usage.close();
  });

  it('survives a restart of the process', async () => {
    const first = openAgentUsage();
    await first.takeRequest(user, MINUTE);
    await first.takeRequest(user, MINUTE);
    await first.refundRequest(user, MINUTE);
    await first.close();
    const second = openAgentUsage();
    assert.equal((await second.readState(user, MINUTE)).used, 1);
    await second.takeRequest(user, MINUTE);
    await second.close();
    assert.equal((await openAgentUsage().readState(user, MINUTE)).used, 2);
  });

  it("is separate for each node's own window if their clocks differ by an hour", async () => {
    const [here, ahead] = [0, 60 * 60 * 1000].map((ms) => createSharedAgentUsage({ database, clock: () => now + ms }));
    assert.ok(here !== undefined && ahead !== undefined);
    for (let i = 0; i < MINUTE.limit; i++) {
      assert.equal(await here.takeRequest(user, MINUTE), true);
      assert.equal(await ahead.takeRequest(user, MINUTE), true);
    }
    assert.equal(await here.takeRequest(user, MINUTE), false);
    assert.equal(await ahead.takeRequest(user, MINUTE), false);
  });
});
