import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, type TestContext, test } from 'node:test';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { parseTokenCredentials } from '../../src/access/callers.ts';
import { EventStreams } from '../../src/http/streams/event-streams.ts';
import { listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { Api, ON_ONE_NODE, startWorld, type World } from '../http/support.ts';
import { type EventStreamReader, openEventStream } from './event-stream.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

test('a stream sends each revision when it is committed', async (t) => {
  const book = await world.createBook();
  await book.put('A1', [['before']]);
  const stream = await openEventStream(t, book);
  assert.equal(stream.status, 200);
  await book.put('A1', [[1]]);
  await book.put('B2', [[2]]);
  const [first, second] = [await stream.next(), await stream.next()];
  assert.deepEqual([first?.id, first?.event, first?.data['ranges']], ['2', 'document.updated', ['Sheet1!A1']]);
  assert.deepEqual([second?.id, second?.data['ranges']], ['3', ['Sheet1!B2']]);
});

test('a reconnected stream continues after its last event', async (t) => {
  const book = await world.createBook();
  for (let i = 1; i <= 120; i++) await book.put('A1', [[i]]);
  const stream = await openEventStream(t, book, { 'last-event-id': '3' });
  for (let revision = 4; revision <= 120; revision++) assert.equal((await stream.next())?.id, String(revision));
});

test('Last-Event-ID takes precedence over since', async (t) => {
  const book = await world.createBook();
  for (let i = 1; i <= 4; i++) await book.put('A1', [[i]]);
  const initial = await openEventStream(t, book, {}, '?since=1');
  assert.equal((await initial.next())?.id, '2');
  const reconnected = await openEventStream(t, book, { 'last-event-id': '3' }, '?since=1');
  assert.equal((await reconnected.next())?.id, '4');
});

test('a stream that reconnects too late gets a reset event', async (t) => {
  const book = await world.createBook();
  await book.put('A1', [[1]]);
  const stream = await openEventStream(t, book, { 'last-event-id': '77' });
  const event = await stream.next();
  assert.deepEqual([event?.event, event?.id], ['reset', '1']);
});

test('a stream ends when the permission to read ends', async (t) => {
  const book = await world.createBook();
  const { id, api } = await world.addMember(book.document, 'view');
  const stream = await openEventStream(t, api);
  await world.share(book.document, id, 'none');
  await book.put('A1', [['secret']]);
  assert.equal(await stream.next(), null);
  assert.doesNotMatch(stream.text(), /updated/);
});

test('a stream whose permission ends during a read sends nothing written afterwards', async (t) => {
  let beforeNextRead: (() => Promise<void>) | null = null;
  const wrap = (database: Database): Database =>
    replaceMethods(database, {
      readLatest: (query) => {
        const callback = query.sql.includes('"head"') ? beforeNextRead : null;
        if (callback === null) return database.readLatest(query);
        beforeNextRead = null;
        return callback().then(() => database.readLatest(query));
      },
    });
  const ownWorld = await startWorld({ wrap });
  t.after(() => ownWorld.close());
  const book = await ownWorld.createBook();
  const { id, api } = await ownWorld.addMember(book.document, 'view');
  const stream = await openEventStream(t, api);
  await book.put('A1', [['told']]);
  assert.equal((await stream.next())?.id, '1');
  // Runs before the next poll, which may find nothing.
  beforeNextRead = async () => {
    await ownWorld.share(book.document, id, 'none');
    await book.put('A1', [['secret']]);
  };
  assert.equal(await stream.next(), null);
});

test('a stream sends revisions of other processes, too', async (t) => {
  const book = await world.createBook();
  const stream = await openEventStream(t, book);
  const { context } = world.server.service;
  const other = (await import('../../src/documents/documents.ts')).openDocuments({
    database: context.database,
    clock: context.clock,
    limits: context.config.limits,
    onError: () => {},
  });
  const document = await other.open(book.document);
  await document?.write((head) => ({
    kind: 'proposal',
    edits: [{ kind: 'setValues', sheet: head.sheets[0]?.id ?? 0, row: 0, column: 0, values: [[1]], mode: 'raw' }],
    author: { userId: 1, origin: 'browser', tokenId: null, tokenName: null },
    finish: () => ({ reply: null, statements: [] }),
  }));
  const event = await stream.next();
  await other.close();
  assert.deepEqual([event?.id, event?.data['origin']], ['1', 'browser']);
});

test('a stream requires the scope, the document and a valid revision', async (t) => {
  const book = await world.createBook();
  assert.equal((await openEventStream(t, book, { 'last-event-id': 'x' })).status, 422);
  assert.equal((await openEventStream(t, book.forDocument('00000000-0000-4000-8000-000000000000'))).status, 404);
  const { api } = await world.addMember(book.document, 'view', ['sheets.write']);
  assert.equal((await openEventStream(t, api)).status, 403);
});

test('the number of streams per user is limited', ON_ONE_NODE, async (t) => {
  const book = await world.createBook();
  const { api } = await world.addMember(book.document, 'view');
  for (let i = 0; i < 20; i++) assert.equal((await openEventStream(t, api)).status, 200);
  assert.equal((await openEventStream(t, api)).status, 429);
});

interface StreamServer {
  readonly streams: EventStreams;
  /** URL of a stream from the start of the document. */
  readonly url: string;
  /** Resolves when the server side of the first stream is closed. */
  readonly closed: Promise<void>;
}

/** Starts a server that serves streams of one document with special limits. */
async function startStreamServer(
  t: TestContext,
  { server: { service } }: World,
  book: Api,
  streamLimits: { readonly heartbeatMs?: number; readonly stallMs?: number },
): Promise<StreamServer> {
  const { context, access } = service;
  const credentials = parseTokenCredentials(`Bearer ${book.token}`);
  const caller = await access.identify(credentials);
  assert.ok(!('kind' in caller));
  const opened = await access.open(caller, book.document);
  assert.ok(!('kind' in opened));
  const streams = new EventStreams({ context, access, count: { open: 0 }, ...streamLimits });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200).on('close', resolve);
    streams.addStream(response, credentials, opened, {
      position: 0,
      incarnation: null,
      watch: null,
      values: false,
      places: false,
    });
  }).listen(0, '127.0.0.1');
  t.after(() => {
    streams.endStreams();
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  return { streams, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed };
}

test('a stream sends heartbeats', async (t) => {
  const { streams, url } = await startStreamServer(t, world, await world.createBook(), { heartbeatMs: 20 });
  const reader = (await fetch(url)).body?.getReader();
  let text = '';
  while (!text.includes(':\n\n:\n\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  streams.endStreams();
  while (!(await reader?.read())?.done);
});

suite('a stream with a stalled reader', () => {
  let largeWorld: World;
  let book: Api;

  /**
   * More than two socket buffers (13 MB). An event lists at most 32 Ki characters of ranges, written and derived
   * separately. With a sheet name of three bytes per character, this is 126 ranges each.
   */
  before(async () => {
    largeWorld = await startWorld();
    book = await largeWorld.createBook();
    const name = '\u8868'.repeat(255);
    const ranges = Array.from({ length: 126 }, (_, i) => `${name}!A${2 * i + 1}`);
    await book.renameSheet('Sheet1', name);
    await book.put(
      'B1',
      Array.from({ length: 252 }, (_, i) => [`=A${i + 1}`]),
    );
    for (let value = 1; value <= 70; value++) {
      const { status } = await book.batchUpdate(ranges.map((range) => ({ range, values: [[value]] })));
      assert.equal(status, 200);
    }
  });
  after(() => largeWorld.close());

  test('is closed', async (t) => {
    const { url, closed } = await startStreamServer(t, largeWorld, book, { stallMs: 100 });
    const request = httpRequest(url, { agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    await closed;
    const resetError = once(response, 'error');
    response.resume();
    const [error] = (await resetError) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });

  test('does not delay a shutdown', async (t) => {
    const service = await largeWorld.startSecondService();
    const stream = await openEventStream(t, new Api(service.address, book.token, book.document), {}, '?since=0');
    await stream.next();
    stream.pause();
    await service.close();
    stream.resume();
    await stream.streamClosed;
  });
});

test('a closed stream makes room for another', ON_ONE_NODE, async (t) => {
  const book = await world.createBook();
  const { api } = await world.addMember(book.document, 'view');
  const streams: EventStreamReader[] = [];
  for (let i = 0; i < 20; i++) streams.push(await openEventStream(t, api));
  assert.equal((await openEventStream(t, api)).status, 429);
  streams[0]?.abort();
  while ((await openEventStream(t, api)).status !== 200);
});

test('a stream omits cells of hidden sheets', async (t) => {
  const book = await world.createBook();
  await book.addSheet('Salaries');
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.addMember(book.document, 'view');
  const stream = await openEventStream(t, api);
  await book.put('Salaries!A1', [[1]]);
  await book.put('Sheet1!A1', [[2]]);
  const [first, second] = [await stream.next(), await stream.next()];
  assert.deepEqual([first?.data['ranges'], first?.data['cellCount'], second?.data['ranges']], [[], 0, ['Sheet1!A1']]);
  assert.doesNotMatch(stream.text(), /Salaries/);
});

test('a stream ends when its token is revoked, even without changes', async (t) => {
  const book = await world.createBook();
  const { id, api } = await world.addMember(book.document, 'view');
  const stream = await openEventStream(t, api);
  const { context } = world.server.service;
  const tokens = await listTokens(context, id);
  assert.ok(!isRefusal(tokens));
  for (const token of tokens) await revokeToken(context, token.id);
  assert.equal(await stream.next(), null);
});

test('HEAD describes the stream and ends', async () => {
  const { base, document, token } = await world.createBook();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base}/api/v1/documents/${document}/events`, { method: 'HEAD', headers });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(await response.text(), '');
});

test('streams end with the service', async (t) => {
  const shortWorld = await startWorld();
  const book = await shortWorld.createBook();
  const stream = await openEventStream(t, book);
  await Promise.all([shortWorld.close(), stream.streamClosed]);
  assert.equal(await stream.next(), null);
});
