import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database, Query } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { createAccess } from '../../src/access/access.ts';
import { parseTokenCredentials } from '../../src/access/callers.ts';
import { NO_ACCESS } from '../../src/access/refusal.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { ALL_SCOPES, startWorld } from '../http/support.ts';

type ReadMethod = 'readLatest' | 'readAll';

/** A database result whose delivery a test delays. */
class DelayedResult {
  readonly method: ReadMethod;
  private readonly wasRead = Promise.withResolvers<void>();
  private readonly release = Promise.withResolvers<void>();

  constructor(method: ReadMethod) {
    this.method = method;
  }

  /** Resolves when the database has read the result. */
  get read(): Promise<void> {
    return this.wasRead.promise;
  }

  async deliver(): Promise<void> {
    this.release.resolve();
    await new Promise(setImmediate);
  }

  async delay<T>(result: T): Promise<T> {
    this.wasRead.resolve();
    await this.release.promise;
    return result;
  }
}

/** A database that delays single results, so that later reads overtake them, as on separate connections. */
class DelayingDatabase {
  private next: DelayedResult | null = null;

  wrap(database: Database): Database {
    return replaceMethods(database, {
      readLatest: async (query) => this.deliverOrDelay('readLatest', await database.readLatest(query)),
      readAll: async <const Queries extends readonly Query<unknown>[]>(queries: Queries) =>
        this.deliverOrDelay('readAll', await database.readAll(queries)),
    });
  }

  /** Delays the next result of a method. */
  delayNext(method: ReadMethod): DelayedResult {
    this.next = new DelayedResult(method);
    return this.next;
  }

  private deliverOrDelay<T>(method: ReadMethod, result: T): T | Promise<T> {
    const { next } = this;
    if (next?.method !== method) return result;
    this.next = null;
    return next.delay(result);
  }
}

test('permissions that were read before they ended are not cached, even if an older read of the epoch completes after a newer one', async (t) => {
  const world = await startWorld();
  t.after(() => world.close());
  const { document } = await world.createBook();
  const { id, api } = await world.addMember(document, 'edit');
  const [first, second] = [api.token, await world.createToken(id, ALL_SCOPES)].map((token) =>
    parseTokenCredentials(`Bearer ${token}`),
  );
  assert.ok(first && second);
  const delaying = new DelayingDatabase();
  const { database, clock } = world.server.service.context;
  const access = createAccess({ database: delaying.wrap(database), plans: DEFAULTS.plans, clock, onDamage: () => {} });

  const firstIdentity = await access.identify(first);
  assert.ok(!('kind' in firstIdentity));
  const permissionRead = delaying.delayNext('readAll');
  const opening = access.open(firstIdentity, document);
  await permissionRead.read;
  const epochRead = delaying.delayNext('readLatest');
  const identifying = access.identify(first);
  await epochRead.read;

  await world.share(document, id, 'none');
  const secondIdentity = await access.identify(second);
  assert.ok(!('kind' in secondIdentity));
  await epochRead.deliver();
  await identifying;
  await permissionRead.deliver();
  await opening;
  assert.deepEqual(await access.open(secondIdentity, document), NO_ACCESS);
});
