import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Query } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { createAccess } from '../../src/access/access.ts';
import { tokenCredentials } from '../../src/access/callers.ts';
import { NO_ACCESS } from '../../src/access/refusal.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { ALL_SCOPES, startWorld } from '../http/support.ts';

type Door = 'readLatest' | 'readAll';

/** An answer of the database that is on its way. */
class Underway {
  readonly door: Door;
  private readonly asked = Promise.withResolvers<void>();
  private readonly let = Promise.withResolvers<void>();

  constructor(door: Door) {
    this.door = door;
  }

  /** When the database has given it. */
  get given(): Promise<void> {
    return this.asked.promise;
  }

  async arrives(): Promise<void> {
    this.let.resolve();
    await new Promise(setImmediate);
  }

  async delayed<T>(answer: T): Promise<T> {
    this.asked.resolve();
    await this.let.promise;
    return answer;
  }
}

/** A database some of whose answers others overtake, as on connections of their own. */
class Slow {
  private next: Underway | null = null;

  around(database: Database): Database {
    return replaceMethods(database, {
      readLatest: async (query) => this.pass('readLatest', await database.readLatest(query)),
      readAll: async <const Queries extends readonly Query<unknown>[]>(queries: Queries) =>
        this.pass('readAll', await database.readAll(queries)),
    });
  }

  /** The next answer of a door. */
  nextOf(door: Door): Underway {
    this.next = new Underway(door);
    return this.next;
  }

  private pass<T>(door: Door, answer: T): T | Promise<T> {
    const { next } = this;
    if (next?.door !== door) return answer;
    this.next = null;
    return next.delayed(answer);
  }
}

test('rights that were read before they ended are not kept, also where an older look at the epoch comes after a newer', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const { document } = await world.book();
  const { id, api } = await world.member(document, 'edit');
  const [first, second] = [api.token, await world.token(id, ALL_SCOPES)].map((token) =>
    tokenCredentials(`Bearer ${token}`),
  );
  assert.ok(first && second);
  const slow = new Slow();
  const { database, clock } = world.server.service.context;
  const access = createAccess({ database: slow.around(database), plans: DEFAULTS.plans, clock });

  const early = await access.identify(first);
  assert.ok(!('kind' in early));
  const rights = slow.nextOf('readAll');
  const opening = access.open(early, document);
  await rights.given;
  const epoch = slow.nextOf('readLatest');
  const looking = access.identify(first);
  await epoch.given;

  await world.share(document, id, 'none');
  const later = await access.identify(second);
  assert.ok(!('kind' in later));
  await epoch.arrives();
  await looking;
  await rights.arrives();
  await opening;
  assert.deepEqual(await access.open(later, document), NO_ACCESS);
});
