import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, type TestContext, test } from 'node:test';
import type { Database } from '@cellwire/store';
import { replaceMethods } from '../../../store/test/interruption.ts';
import { tokenCredentials } from '../../src/access/callers.ts';
import { EventStreams } from '../../src/http/streams/event-streams.ts';
import { listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { Api, ON_ONE_NODE, startWorld, type World } from '../http/support.ts';
import { follow, type Stream } from './event-stream.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

test('a stream tells each revision as it comes', async (t) => {
  const book = await world.book();
  await book.put('A1', [['before']]);
  const stream = await follow(t, book);
  assert.equal(stream.status, 200);
  await book.put('A1', [[1]]);
  await book.put('B2', [[2]]);
  const [first, second] = [await stream.next(), await stream.next()];
  assert.deepEqual([first?.id, first?.event, first?.data['ranges']], ['2', 'document.updated', ['Sheet1!A1']]);
  assert.deepEqual([second?.id, second?.data['ranges']], ['3', ['Sheet1!B2']]);
});

test('a reader that comes back goes on where it was', async (t) => {
  const book = await world.book();
  for (let i = 1; i <= 120; i++) await book.put('A1', [[i]]);
  const stream = await follow(t, book, { 'last-event-id': '3' });
  for (let revision = 4; revision <= 120; revision++) assert.equal((await stream.next())?.id, String(revision));
});

test('where a reader was counts more than where it began', async (t) => {
  const book = await world.book();
  for (let i = 1; i <= 4; i++) await book.put('A1', [[i]]);
  const began = await follow(t, book, {}, '?since=1');
  assert.equal((await began.next())?.id, '2');
  const back = await follow(t, book, { 'last-event-id': '3' }, '?since=1');
  assert.equal((await back.next())?.id, '4');
});

test('a reader that comes back too late is told to begin anew', async (t) => {
  const book = await world.book();
  await book.put('A1', [[1]]);
  const stream = await follow(t, book, { 'last-event-id': '77' });
  const event = await stream.next();
  assert.deepEqual([event?.event, event?.id], ['reset', '1']);
});

test('a stream ends with the right to read', async (t) => {
  const book = await world.book();
  const { id, api } = await world.member(book.document, 'view');
  const stream = await follow(t, api);
  await world.share(book.document, id, 'none');
  await book.put('A1', [['secret']]);
  assert.equal(await stream.next(), null);
  assert.doesNotMatch(stream.text(), /updated/);
});

test('a stream whose rights end while it reads tells nothing that was written after', async (t) => {
  let beforeReading: (() => Promise<void>) | null = null;
  const wrap = (database: Database): Database =>
    replaceMethods(database, {
      readLatest: (query) => {
        const happens = query.sql.includes('"head"') ? beforeReading : null;
        if (happens === null) return database.readLatest(query);
        beforeReading = null;
        return happens().then(() => database.readLatest(query));
      },
    });
  const own = await startWorld({ wrap });
  t.after(() => own.close());
  const book = await own.book();
  const { id, api } = await own.member(book.document, 'view');
  const stream = await follow(t, api);
  await book.put('A1', [['told']]);
  assert.equal((await stream.next())?.id, '1');
  // The next look, which finds that nothing has come, if nothing comes.
  beforeReading = async () => {
    await own.share(book.document, id, 'none');
    await book.put('A1', [['secret']]);
  };
  assert.equal(await stream.next(), null);
});

test('what another process writes is told, too', async (t) => {
  const book = await world.book();
  const stream = await follow(t, book);
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

test('without the scope, the document or a revision there is no stream', async (t) => {
  const book = await world.book();
  assert.equal((await follow(t, book, { 'last-event-id': 'x' })).status, 422);
  assert.equal((await follow(t, book.at('00000000-0000-4000-8000-000000000000'))).status, 404);
  const { api } = await world.member(book.document, 'view', ['sheets.write']);
  assert.equal((await follow(t, api)).status, 403);
});

test('one user has a bounded number of streams', ON_ONE_NODE, async (t) => {
  const book = await world.book();
  const { api } = await world.member(book.document, 'view');
  for (let i = 0; i < 20; i++) assert.equal((await follow(t, api)).status, 200);
  assert.equal((await follow(t, api)).status, 429);
});

interface OwnStreams {
  readonly streams: EventStreams;
  /** Where a reader of the document gets a stream from its beginning. */
  readonly url: string;
  /** When the service's side of the first stream is closed. */
  readonly closed: Promise<void>;
}

/** Streams of one document with bounds of their own. */
async function ownStreams(
  t: TestContext,
  { server: { service } }: World,
  book: Api,
  bounds: { readonly heartbeatMs?: number; readonly stallMs?: number },
): Promise<OwnStreams> {
  const { context, access } = service;
  const credentials = tokenCredentials(`Bearer ${book.token}`);
  const caller = await access.identify(credentials);
  assert.ok(!('kind' in caller));
  const opened = await access.open(caller, book.document);
  assert.ok(!('kind' in opened));
  const streams = new EventStreams({ context, access, count: { open: 0 }, ...bounds });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.writeHead(200).on('close', resolve);
    streams.add(response, credentials, opened, {
      position: 0,
      incarnation: null,
      watch: null,
      values: false,
      places: false,
    });
  }).listen(0, '127.0.0.1');
  t.after(() => {
    streams.close();
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  return { streams, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, closed };
}

test('a stream’s heart beats', async (t) => {
  const { streams, url } = await ownStreams(t, world, await world.book(), { heartbeatMs: 20 });
  const reader = (await fetch(url)).body?.getReader();
  let text = '';
  while (!text.includes(':\n\n:\n\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  streams.close();
  while (!(await reader?.read())?.done);
});

suite('a reader that takes nothing', () => {
  let bulky: World;
  let book: Api;

  /**
   * More than the buffers of two sockets hold, 13 MB: of one commit as many ranges are told as have 32 Ki characters,
   * written and derived, however many there are. Here that is 126 of each, by a sheet's name of three bytes a character.
   */
  before(async () => {
    bulky = await startWorld();
    book = await bulky.book();
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
  after(() => bulky.close());

  test('is let go', async (t) => {
    const { url, closed } = await ownStreams(t, bulky, book, { stallMs: 100 });
    const request = httpRequest(url, { agent: false }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.pause();
    await closed;
    const broken = once(response, 'error');
    response.resume();
    const [error] = (await broken) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNRESET');
  });

  test('does not hold up a shutdown', async (t) => {
    const service = await bulky.startSecondService();
    const stream = await follow(t, new Api(service.address, book.token, book.document), {}, '?since=0');
    await stream.next();
    stream.pause();
    await service.close();
    stream.resume();
    await stream.ended;
  });
});

test('a reader that goes away leaves its place to another', ON_ONE_NODE, async (t) => {
  const book = await world.book();
  const { api } = await world.member(book.document, 'view');
  const streams: Stream[] = [];
  for (let i = 0; i < 20; i++) streams.push(await follow(t, api));
  assert.equal((await follow(t, api)).status, 429);
  streams[0]?.abort();
  while ((await follow(t, api)).status !== 200);
});

test('cells of hidden sheets are not told in a stream', async (t) => {
  const book = await world.book();
  await book.addSheet('Salaries');
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.member(book.document, 'view');
  const stream = await follow(t, api);
  await book.put('Salaries!A1', [[1]]);
  await book.put('Sheet1!A1', [[2]]);
  const [first, second] = [await stream.next(), await stream.next()];
  assert.deepEqual([first?.data['ranges'], first?.data['cellCount'], second?.data['ranges']], [[], 0, ['Sheet1!A1']]);
  assert.doesNotMatch(stream.text(), /Salaries/);
});

test('a revoked token ends its streams, also when nothing changes', async (t) => {
  const book = await world.book();
  const { id, api } = await world.member(book.document, 'view');
  const stream = await follow(t, api);
  const { context } = world.server.service;
  const tokens = await listTokens(context, id);
  assert.ok(!isRefusal(tokens));
  for (const token of tokens) await revokeToken(context, token.id);
  assert.equal(await stream.next(), null);
});

test('HEAD tells that there is a stream, and ends', async () => {
  const { base, document, token } = await world.book();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${base}/api/v1/documents/${document}/events`, { method: 'HEAD', headers });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(await response.text(), '');
});

test('streams end when the service does', async (t) => {
  const short = await startWorld();
  const book = await short.book();
  const stream = await follow(t, book);
  await Promise.all([short.close(), stream.ended]);
  assert.equal(await stream.next(), null);
});
