import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { RELAY_MESSAGE_BYTES } from '../../src/database/limits.ts';
import { openPostgresRelay } from '../../src/postgres/relay.ts';
import { DatabaseProxy } from './database-proxy.ts';
import { createSchema, runSql } from './server.ts';

test('nodes receive commits and messages of other nodes, but not their own', {
  timeout: 120_000,
}, async (t) => {
  const [testSchema, elsewhere] = [await createSchema(), await createSchema()];
  const messages: string[] = [];
  const events = new EventEmitter();
  const node = (name: string, url: string) =>
    openPostgresRelay(url, {
      onCommit: (document) => {
        messages.push(`${name} ${document}`);
        events.emit(document);
      },
      onMessage: (text) => {
        messages.push(`${name} ${text}`);
        events.emit(text);
      },
      onError: (problem, error) => events.emit('error', new Error(problem, { cause: error })),
    });
  const relays = [node('first', testSchema.url), node('second', testSchema.url), node('other', elsewhere.url)] as const;
  t.after(async () => {
    for (const relay of relays) await relay.close();
    await Promise.all([testSchema.remove(), elsewhere.remove()]);
  });
  // A node does not receive notifications that were sent before it was connected.
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
    messages.filter((message) => message.includes('document')),
    many.map((document) => `second ${document}`),
  );
  const announcement = once(events, 'of another');
  for (const text of ['old', 'new', 'ы'.repeat(RELAY_MESSAGE_BYTES)])
    relays[0].broadcast(text.length > 3 ? 'long' : 'one', text);
  relays[0].broadcast('other', 'of another');
  await announcement;
  // Repeated announcements of the second node may arrive meanwhile.
  const received = messages.filter((message) => message.startsWith('second '));
  assert.deepEqual(received.slice(-2), ['second new', 'second of another']);
  assert.deepEqual([...new Set(messages.map((message) => message.split(' ')[0]))].sort(), ['first', 'second']);
  assert.ok(!messages.includes('first ready') && !messages.includes('second back'));
});

test('the only node sends no commits; it sends them as soon as another node listens', {
  timeout: 120_000,
}, async (t) => {
  const testSchema = await createSchema();
  const client = new pg.Client({ connectionString: testSchema.url });
  await client.connect();
  const sent: string[] = [];
  const greetings = new EventEmitter();
  const observed = Promise.withResolvers<void>();
  client.on('notification', ({ payload = '' }) => {
    const { documents } = JSON.parse(payload) as { documents: readonly string[] };
    sent.push(...documents);
    if (documents.length === 0) greetings.emit('node');
    if (documents.includes('both')) observed.resolve();
  });
  await client.query("do $$ begin execute 'listen ' || quote_ident('cellwire_' || md5(current_schema())); end $$");
  const received = Promise.withResolvers<void>();
  const recorder = { ...NOBODY, onCommit: (document: string) => document === 'both' && received.resolve() };
  const firstGreeting = once(greetings, 'node');
  const first = openPostgresRelay(testSchema.url, NOBODY);
  await firstGreeting;
  first.announceCommit('alone');
  const secondGreeting = once(greetings, 'node');
  const second = openPostgresRelay(testSchema.url, recorder);
  t.after(async () => {
    await Promise.all([first.close(), second.close(), client.end()]);
    await testSchema.remove();
  });
  await secondGreeting;
  const repeat = setInterval(() => first.announceCommit('both'), 20);
  await Promise.all([received.promise, observed.promise]);
  clearInterval(repeat);
  assert.deepEqual([...new Set(sent)], ['both']);
});

/** An interval that never ends during the tests. */
const HOUR_MS = 3_600_000;
const NEVER_MS = HOUR_MS;
const SHORT_MS = 500;

/** Two nodes on a database: one listens and records notifications and errors, the other sends. */
async function createListenerAndSender(t: TestContext, checkMs: number) {
  const testSchema = await createSchema();
  const proxy = await DatabaseProxy.start(testSchema.url);
  const [messages, problems]: [string[], string[]] = [[], []];
  const recorder = {
    onCommit: (document: string) => void messages.push(document),
    onMessage: () => {},
    onError: (problem: string) => void problems.push(problem),
  };
  const listener = openPostgresRelay(proxy.url, recorder, { checkMs, stalledMs: NEVER_MS });
  const sender = openPostgresRelay(testSchema.url, NOBODY);
  t.after(async () => {
    for (const relay of [listener, sender]) await relay.close();
    await proxy.close();
    await testSchema.remove();
  });
  const waitUntilReceived = async (document: string) => {
    while (!messages.includes(document)) {
      sender.announceCommit(document);
      await delay(10, undefined, { signal: t.signal });
    }
  };
  return { testSchema, proxy, failed: problems, untilReceived: waitUntilReceived };
}

const NOBODY = { onCommit: () => {}, onMessage: () => {}, onError: () => {} };

test('a node reconnects after its connection died silently', { timeout: 60_000 }, async (t) => {
  const { proxy, untilReceived } = await createListenerAndSender(t, SHORT_MS);
  await untilReceived('before');
  proxy.dropData();
  await untilReceived('after');
});

test('nodes ignore notifications of other clients of the database', { timeout: 60_000 }, async (t) => {
  const { testSchema, failed, untilReceived } = await createListenerAndSender(t, NEVER_MS);
  await untilReceived('before');
  for (const text of ['nonsense', 'null', '{"node":"other"}']) {
    await runSql(testSchema.url, `select pg_notify('cellwire_' || md5(current_schema()), '${text}')`);
  }
  await untilReceived('after');
  assert.equal(failed.filter((problem) => problem === 'receiving a message of another node').length, 3);
});

test('a node reports a clock that differs from the database’s', { timeout: 60_000 }, async (t) => {
  const testSchema = await createSchema();
  const report = Promise.withResolvers<string>();
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * HOUR_MS });
  const onError = (problem: string, error: unknown) => report.resolve(`${problem}: ${String(error)}`);
  const relay = openPostgresRelay(testSchema.url, { ...NOBODY, onError });
  t.after(async () => {
    await relay.close();
    await testSchema.remove();
  });
  assert.match(await report.promise, /clock is 1\d\d minutes ahead/);
});

/** A shared lock that is held until the end of the transaction. */
const LOCK = 'select pg_advisory_xact_lock_shared(12)';

/** Begins a transaction and does not end it, like a suspended node. */
async function openHalfSentTransaction(t: TestContext, url: string): Promise<pg.Client> {
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

test('a transaction whose node is suspended while sending releases its locks', {
  timeout: 60_000,
}, async (t) => {
  const testSchema = await createSchema();
  const url = new URL(testSchema.url);
  // Other tests use the same server, so only connections with this name are ended.
  url.searchParams.set('application_name', 'standing still');
  const stoppedClient = await openHalfSentTransaction(t, url.href);
  const end = new Promise<void>((resolve) => stoppedClient.once('end', resolve));
  const relay = openPostgresRelay(url.href, NOBODY, { checkMs: SHORT_MS, stalledMs: SHORT_MS });
  t.after(async () => {
    await relay.close();
    await testSchema.remove();
  });
  await end;
});
