import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, type TestContext, test } from 'node:test';
import { EventStreams } from '../../src/http/event-streams.ts';
import type { Api, Json, World } from '../http/support.ts';
import { startWorld } from '../http/support.ts';
import { items } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

async function changes(book: Api, query: string): Promise<Json> {
  const answer = await book.here('GET', `/changes?${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body['changes'];
}

test('what happened after a revision, page by page', async () => {
  const book = await world.book();
  await book.put('B1', [['=A1*2']]);
  await book.put('A1', [[1], [2]]);
  await book.clear('A2');
  const first = await changes(book, 'since=0&limit=2');
  const entries = items(first['entries']);
  assert.deepEqual(
    entries.map((one) => [one['revision'], one['ranges'], one['derived'], one['cellCount'], one['origin']]),
    [
      [1, ['Sheet1!B1'], [], 1, 'api'],
      [2, ['Sheet1!A1:A2'], ['Sheet1!B1'], 3, 'api'],
    ],
  );
  assert.deepEqual(entries[0]?.['author'], { id: 1, name: 'User 1' });
  assert.equal(entries[0]?.['sourceToken'], 'test token');
  assert.deepEqual([first['revision'], first['next'], first['hasMore'], first['gap']], [3, 2, true, false]);
  const second = await changes(book, `since=${first['next']}`);
  assert.deepEqual(
    items(second['entries']).map((one) => [one['revision'], one['ranges']]),
    [[3, ['Sheet1!A2']]],
  );
  assert.deepEqual([second['next'], second['hasMore']], [3, false]);
  assert.deepEqual(items((await changes(book, 'since=3'))['entries']), []);
});

test('a revision that is not there is a gap', async () => {
  const book = await world.book();
  await book.put('A1', [[1]]);
  const answer = await changes(book, 'since=99');
  assert.deepEqual([answer['gap'], answer['next'], items(answer['entries']).length], [true, 1, 0]);
});

for (const query of ['', 'since=-1', 'since=x', 'since=1.5', 'since=1&limit=0', 'since=1&limit=x']) {
  test(`?${query} is refused`, async () => {
    const book = await world.book();
    assert.equal((await book.here('GET', `/changes?${query}`)).status, 422);
  });
}

test('cells of hidden sheets are not told', async () => {
  const book = await world.book();
  await book.addSheet('Salaries');
  await book.put('Salaries!A1', [[1]]);
  await world.protect(book.document, 'Salaries', { hideValues: true });
  const { api } = await world.member(book.document, 'view');
  const entries = items((await changes(api, 'since=0'))['entries']);
  assert.deepEqual(
    entries.map((one) => [one['ranges'], one['cellCount']]),
    [
      [[], 0],
      [[], 0],
    ],
  );
});

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: Json;
}

interface Stream {
  readonly status: number;
  next(): Promise<Event | null>;
  /** Every byte so far. */
  text(): string;
  readonly ended: Promise<void>;
  pause(): void;
}

/** Follows a document as server-sent events. */
async function follow(t: TestContext, book: Api, headers: Record<string, string> = {}, query = ''): Promise<Stream> {
  const { promise, resolve } = Promise.withResolvers<Stream>();
  const request = httpRequest(`${book.base}/api/v1/documents/${book.document}/events${query}`, {
    headers: { authorization: `Bearer ${book.token}`, ...headers },
    agent: false,
  });
  request.on('error', () => {});
  request.on('response', (response) => {
    let text = '';
    let read = 0;
    let wake = () => {};
    const ended = new Promise<void>((done) => response.on('close', done));
    response.setEncoding('utf8').on('error', () => {});
    response.on('data', (part: string) => {
      text += part;
      wake();
    });
    response.on('close', () => wake());
    const next = async (): Promise<Event | null> => {
      for (;;) {
        const end = text.indexOf('\n\n', read);
        if (end < 0 && response.closed) return null;
        if (end < 0) {
          await new Promise<void>((done) => {
            wake = done;
          });
          continue;
        }
        const block = text.slice(read, end);
        read = end + 2;
        if (block.startsWith('id:')) return eventOf(block);
      }
    };
    resolve({ status: response.statusCode ?? 0, next, text: () => text, ended, pause: () => response.pause() });
  });
  request.end();
  t.after(() => request.destroy());
  return promise;
}

function eventOf(block: string): Event {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  const data = JSON.parse(fields.get('data') ?? 'null') as Json;
  return { id: fields.get('id') ?? '', event: fields.get('event') ?? '', data };
}

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
    kind: 'plan',
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

test('one user has a bounded number of streams', async (t) => {
  const book = await world.book();
  const { api } = await world.member(book.document, 'view');
  for (let i = 0; i < 20; i++) assert.equal((await follow(t, api)).status, 200);
  assert.equal((await follow(t, api)).status, 429);
});

test('a stream’s heart beats', async (t) => {
  const { createServer } = await import('node:http');
  const { context, access } = world.server.service;
  const book = await world.book();
  const caller = await access.identify(`Bearer ${book.token}`);
  assert.ok(!('kind' in caller));
  const opened = await access.open(caller, book.document);
  assert.ok(!('kind' in opened));
  const streams = new EventStreams({ context, access, heartbeatMs: 20 });
  const server = createServer((_, response) => {
    response.writeHead(200);
    streams.add(response, `Bearer ${book.token}`, opened, 0);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const reader = response.body?.getReader();
  let text = '';
  while (!text.includes(':\n\n:\n\n')) text += Buffer.from((await reader?.read())?.value ?? []).toString();
  streams.close();
  while (!(await reader?.read())?.done);
});

test('streams end when the service does', async (t) => {
  const short = await startWorld();
  const book = await short.book();
  const stream = await follow(t, book);
  await Promise.all([short.close(), stream.ended]);
  assert.equal(await stream.next(), null);
});
