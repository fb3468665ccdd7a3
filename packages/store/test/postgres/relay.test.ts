import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { RELAY_MESSAGE_BYTES } from '../../src/database/limits.ts';
import { openPostgresRelay } from '../../src/postgres/relay.ts';
import { DatabaseProxy } from './database-proxy.ts';
import { createSchema, runSql } from './server.ts';

test('nodes of one database hear of each other’s commits and of what the others say, and not of their own', {
  timeout: 120_000,
}, async (t) => {
  const [place, elsewhere] = [await createSchema(), await createSchema()];
  const heard: string[] = [];
  const events = new EventEmitter();
  const node = (name: string, url: string) =>
    openPostgresRelay(url, {
      onCommit: (document) => {
        heard.push(`${name} ${document}`);
        events.emit(document);
      },
      onMessage: (text) => {
        heard.push(`${name} ${text}`);
        events.emit(text);
      },
      onError: (what, error) => events.emit('error', new Error(what, { cause: error })),
    });
  const relays = [node('first', place.url), node('second', place.url), node('other', elsewhere.url)] as const;
  t.after(async () => {
    for (const relay of relays) await relay.close();
    await Promise.all([place.remove(), elsewhere.remove()]);
  });
  // Connecting takes a while: what is told before that nobody hears.
  const repeat = setInterval(() => relays[0].announceCommit('ready'), 20);
  await once(events, 'ready');
  const back = setInterval(() => relays[1].announceCommit('back'), 20);
  await once(events, 'back');
  for (const timer of [repeat, back]) clearInterval(timer);
  const many = Array.from({ length: 400 }, (_, i) => `document ${i}`);
  const last = once(events, 'document 399');
  for (const document of many) relays[0].announceCommit(document);
  await last;
  assert.deepEqual(
    heard.filter((one) => one.includes('document')),
    many.map((document) => `second ${document}`),
  );
  const said = once(events, 'of another');
  for (const text of ['old', 'new', 'ы'.repeat(RELAY_MESSAGE_BYTES)])
    relays[0].broadcast(text.length > 3 ? 'long' : 'one', text);
  relays[0].broadcast('other', 'of another');
  await said;
  assert.deepEqual(heard.slice(-2), ['second new', 'second of another']);
  assert.deepEqual([...new Set(heard.map((one) => one.split(' ')[0]))].sort(), ['first', 'second']);
  assert.ok(!heard.includes('first ready') && !heard.includes('second back'));
});

/** What a test waits for ends long before. */
const HOUR_MS = 3_600_000;
const NEVER_MS = HOUR_MS;
const SOON_MS = 500;

/** Two nodes on a database: one listens, what it hears and what fails there is noted; the other tells. */
async function listenerAndTeller(t: TestContext, checkMs: number) {
  const place = await createSchema();
  const wire = await DatabaseProxy.to(place.url);
  const [heard, failed]: [string[], string[]] = [[], []];
  const noting = {
    onCommit: (document: string) => void heard.push(document),
    onMessage: () => {},
    onError: (what: string) => void failed.push(what),
  };
  const listening = openPostgresRelay(wire.url, noting, { checkMs, stalledMs: NEVER_MS });
  const telling = openPostgresRelay(place.url, NOBODY);
  t.after(async () => {
    for (const relay of [listening, telling]) await relay.close();
    await wire.close();
    await place.remove();
  });
  const untilHeard = async (document: string) => {
    while (!heard.includes(document)) {
      telling.announceCommit(document);
      await delay(10, undefined, { signal: t.signal });
    }
  };
  return { place, wire, failed, untilHeard };
}

const NOBODY = { onCommit: () => {}, onMessage: () => {}, onError: () => {} };

test('a node whose way to the database has died in silence listens again', { timeout: 60_000 }, async (t) => {
  const { wire, untilHeard } = await listenerAndTeller(t, SOON_MS);
  await untilHeard('before');
  wire.silence();
  await untilHeard('after');
});

test('what others say who may connect to the database harms no node', { timeout: 60_000 }, async (t) => {
  const { place, failed, untilHeard } = await listenerAndTeller(t, NEVER_MS);
  await untilHeard('before');
  for (const text of ['nonsense', 'null', '{"node":"other"}']) {
    await runSql(place.url, `select pg_notify('cellwire_' || md5(current_schema()), '${text}')`);
  }
  await untilHeard('after');
  assert.equal(failed.filter((what) => what === 'hearing what was said to all nodes').length, 3);
});

test('a node says so whose clock is not that of the database', { timeout: 60_000 }, async (t) => {
  const place = await createSchema();
  const told = Promise.withResolvers<string>();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * HOUR_MS });
  const onError = (what: string, error: unknown) => told.resolve(`${what}: ${String(error)}`);
  const relay = openPostgresRelay(place.url, { ...NOBODY, onError });
  t.after(async () => {
    await relay.close();
    await place.remove();
  });
  assert.match(await told.promise, /clock is 1\d\d minutes ahead/);
});

/** A lock that anybody may have for as long as its transaction goes on. */
const LOCK = 'select pg_advisory_xact_lock_shared(12)';

/** Begins to send a transaction, as a node that is stopped in the middle of it. */
async function halfSent(t: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  t.after(() => client.end());
  client.on('error', () => {});
  await client.connect();
  const { connection } = client;
  connection.parse({ name: '', text: LOCK, types: [] }, true);
  connection.bind({ statement: '', values: [] }, true);
  connection.execute(null, true);
  connection.flush();
  return client;
}

test('a transaction whose node stands still in the middle of sending it lets go of its locks', {
  timeout: 60_000,
}, async (t) => {
  const place = await createSchema();
  const url = new URL(place.url);
  // The server is shared with other tests: only connections of one name are ended.
  url.searchParams.set('application_name', 'standing still');
  const stopped = await halfSent(t, url.href);
  const ended = new Promise<void>((resolve) => stopped.once('end', resolve));
  const relay = openPostgresRelay(url.href, NOBODY, { checkMs: SOON_MS, stalledMs: SOON_MS });
  t.after(async () => {
    await relay.close();
    await place.remove();
  });
  await ended;
});
