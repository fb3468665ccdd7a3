import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FairQueue } from '@cellwire/event-loop';
import { MemoryBudget } from '../../src/http/bodies/memory-budget.ts';
import { endStalledReaders } from '../../src/http/connections/stalled-readers.ts';
import { LongAnswers } from '../../src/http/streams/long-answers.ts';
import { ANSWER_CAPACITY_BYTES } from '../../src/limits/http.ts';
import { BUSY } from '../../src/service/refusal.ts';
import { sendForStatus } from './send.ts';
import { type Api, startWorld, type World } from './support.ts';

const MEBIBYTE = 1024 * 1024;
/** Time between two requests that wait for free memory, in milliseconds. */
const POLL_MS = 20;

describe('a connection with a reader that does not read', () => {
  it('is closed, and one with a slow reader is not', async (t) => {
    const body = Buffer.alloc(32 * MEBIBYTE, 'x');
    const parts = Array.from({ length: 32 }, (_, i) => body.subarray(i * MEBIBYTE, (i + 1) * MEBIBYTE));
    const server = createServer((_request, response) => {
      Readable.from(parts).pipe(response);
    });
    // Far longer than a busy machine interrupts the slow reader.
    endStalledReaders(server, 3_000, 20);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const startGet = (): Socket => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      return socket;
    };
    const stalled = startGet().pause();
    const [stalledServerSocket] = (await once(server, 'connection')) as [Socket];
    const slow = startGet();
    let readBytes = 0;
    slow.on('data', (part: Buffer) => {
      readBytes += part.length;
      slow.pause();
      setImmediate(() => slow.resume());
    });
    await once(slow, 'close');
    assert.ok(readBytes > body.length);
    if (!stalledServerSocket.closed) await once(stalledServerSocket, 'close');
    stalled.resume();
    await once(stalled, 'close');
    assert.ok(stalled.bytesRead < body.length);
  });
});

describe('a connection to the service that stops reading', () => {
  /** The diagnostics channel that names the server of each request. */
  const REQUESTS = 'http.server.request.start';
  let world: World;
  let book: Api;
  let server: Server;
  before(async () => {
    world = await startWorld({ oneNode: true });
    book = await world.createBook();
    const onRequest = (message: unknown): void => {
      ({ server } = message as { readonly server: Server });
    };
    subscribe(REQUESTS, onRequest);
    assert.equal((await book.get('A1')).status, 200);
    unsubscribe(REQUESTS, onRequest);
    // Checks readers in addition to the service's own check, whose time-out is too long for a test.
    endStalledReaders(server, 500, 20);
    const values = Array.from({ length: 500 }, () => ['x'.repeat(16_000)]);
    assert.equal((await book.put('A1', values, { mode: 'RAW' })).status, 200);
  });
  after(() => world.close());

  const get = (range: string): string =>
    `GET /api/v1/documents/${book.document}/values/${range} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${book.token}\r\n\r\n`;
  const LONG_RANGE = 'A1:A500';
  const CACHED_RANGE = 'A1:A1';

  const STALL_CASES: Readonly<Record<string, (socket: Socket) => unknown>> = {
    immediately: (socket) => void socket.pause().write(get(LONG_RANGE)),
    'after many pipelined requests with a cached response': (socket) =>
      void socket.pause().write(get(CACHED_RANGE).repeat(400)),
    'in the middle of the second response': async (socket) => {
      socket.write(get('B1'));
      await once(socket, 'data');
      socket.write(get(LONG_RANGE));
      await once(socket, 'data');
      socket.pause();
    },
    'except for a few bytes': (socket) => {
      socket.on('readable', () => {}).write(get(LONG_RANGE));
      const sips = setInterval(() => socket.read(1), 100);
      socket.once('close', () => clearInterval(sips));
    },
  };

  for (const [name, startStalling] of Object.entries(STALL_CASES))
    it(`is closed: ${name}`, async (t) => {
      for (let i = 0; i < 2; i++) assert.equal((await book.get(CACHED_RANGE)).status, 200);
      const { hostname, port } = new URL(book.base);
      const socket = connect(Number(port), hostname).on('error', () => {});
      t.after(() => socket.destroy());
      const [serverSocket] = (await once(server, 'connection')) as [Socket];
      await startStalling(socket);
      if (!serverSocket.closed) await once(serverSocket, 'close');
    });
});

describe('the memory budget for responses', () => {
  /** A response that has not been read. */
  const createPendingResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

  it('counts shared data once, and releases it with the last response', () => {
    const budget = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const shared = new Uint8Array(1);
    const first = createPendingResponse();
    const second = createPendingResponse();
    assert.ok(budget.admitBytes(1, shared, ANSWER_CAPACITY_BYTES.perUser, first));
    assert.ok(budget.admitBytes(1, shared, ANSWER_CAPACITY_BYTES.perUser, second));
    assert.equal(budget.admitBytes(1, {}, MEBIBYTE, createPendingResponse()), false);
    first.emit('close');
    assert.equal(budget.admitBytes(1, {}, MEBIBYTE, createPendingResponse()), false);
    second.emit('close');
    const third = createPendingResponse();
    assert.ok(budget.admitBytes(1, {}, ANSWER_CAPACITY_BYTES.perUser, third));
    third.req.socket.emit('close');
    assert.ok(budget.admitBytes(1, {}, MEBIBYTE, createPendingResponse()));
  });

  it('listens to each response once', () => {
    const budget = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const response = createPendingResponse();
    for (let range = 0; range < 20; range++) assert.ok(budget.admitBytes(1, {}, MEBIBYTE, response));
    assert.equal(response.listenerCount('close'), 1);
    response.emit('close');
    assert.ok(budget.admitBytes(1, {}, ANSWER_CAPACITY_BYTES.perUser, createPendingResponse()));
  });

  it('reserves a share for each user, and always accepts short responses', () => {
    const budget = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    for (let user = 1; user <= ANSWER_CAPACITY_BYTES.all / ANSWER_CAPACITY_BYTES.perUser; user++) {
      assert.ok(budget.admitBytes(user, {}, ANSWER_CAPACITY_BYTES.perUser, createPendingResponse()));
      assert.equal(budget.admitBytes(user, {}, MEBIBYTE, createPendingResponse()), false);
      assert.ok(budget.admitBytes(user, {}, 1_000, createPendingResponse()));
    }
    assert.equal(budget.admitBytes(99, {}, MEBIBYTE, createPendingResponse()), false);
  });
});

describe('unread pages', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ oneNode: true });
  });
  after(() => world.close());

  const startGet = ({ base, token, document }: Api, range: string): Socket => {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    const path = `/api/v1/documents/${document}/values/${range}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };

  /** The start of a response. */
  const readStatus = async (socket: Socket): Promise<string> => {
    await once(socket, 'readable');
    return String(socket.read(12));
  };

  it('are sent within the memory budget; further requests get 503 until the budget is free', async () => {
    const book = await world.createBook();
    const wide = Array.from({ length: 1_000 }, (_, i) => ['x'.repeat(8_000), `${i}`]);
    assert.equal((await book.put('A1', wide.slice(0, 700), { mode: 'RAW' })).status, 200);
    assert.equal((await book.put('A701', wide.slice(700), { mode: 'RAW' })).status, 200);
    const sockets = Array.from({ length: 20 }, () => startGet(book, 'A1:B1000'));
    for (const socket of sockets) assert.equal(await readStatus(socket), 'HTTP/1.1 200');
    const others: Socket[] = [];
    let refused = 0;
    for (let i = 1; i <= 5; i++) {
      const socket = startGet(book, `A${i + 1}:B1000`);
      if ((await readStatus(socket)) === 'HTTP/1.1 503') refused++;
      others.push(socket);
    }
    assert.ok(refused > 0 && refused < 5, String(refused));
    const busy = await book.get('A10:B1000');
    assert.deepEqual([busy.status, busy.body['message'], busy.headers.get('retry-after')], [503, 'Service busy', '1']);
    // A stalled reader of so short a response would not be detected.
    assert.equal(busy.headers.get('connection'), 'close');
    assert.equal((await book.get('B1:B1000')).status, 200);
    for (const socket of [...sockets, ...others]) socket.destroy();
    while ((await book.get('A10:B1000')).status !== 200) await delay(POLL_MS);
  });
});

describe('a burst of large pages', () => {
  it('does not block other requests, and gets 503 above the memory budget', async () => {
    const world = await startWorld({ oneNode: true });
    const book = await world.createBook();
    const wide = Array.from({ length: 1_000 }, () => ['x'.repeat(8_000)]);
    assert.equal((await book.put('A1', wide.slice(0, 900), { mode: 'RAW' })).status, 200);
    assert.equal((await book.put('A901', wide.slice(900), { mode: 'RAW' })).status, 200);
    const other = await world.addMember(book.document, 'edit');
    let answered = 0;
    const burst = Array.from({ length: 20 }, async (_, i) => {
      const path = i % 2 === 0 ? `A${i + 1}:A1000` : `batchGet?ranges=A${i + 1}:A1000`;
      const status = await sendForStatus(`${book.base}/api/v1/documents/${book.document}/values/${path}`, {
        headers: { authorization: `Bearer ${book.token}` },
      });
      answered++;
      return status;
    });
    while (answered === 0) assert.equal((await other.api.get('A1')).status, 200);
    // Not after the write below, because it waits for the disk.
    assert.ok(answered < burst.length);
    assert.equal((await other.api.put('C1', [[1]])).status, 200);
    assert.equal((await other.api.get('C1')).status, 200);
    const statuses = await Promise.all(burst);
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 200 && status !== 503),
      [],
    );
    assert.ok(statuses.includes(200));
    while ((await book.get('A2:A1000')).status !== 200) await delay(POLL_MS);
    await world.close();
  });

  it('is scheduled fairly between users', async () => {
    const queue = new FairQueue();
    const order: string[] = [];
    const enterQueue = async (user: number, name: string) => {
      await queue.enter(user);
      order.push(name);
      await new Promise(setImmediate);
      queue.leave(user);
    };
    await Promise.all([
      enterQueue(1, 'a'),
      enterQueue(1, 'b'),
      enterQueue(1, 'c'),
      enterQueue(1, 'd'),
      enterQueue(2, 'x'),
      enterQueue(2, 'y'),
    ]);
    assert.deepEqual(order, ['a', 'b', 'x', 'c', 'y', 'd']);
    assert.equal(queue.has(1) || queue.has(2), false);
  });

  it('builds a response once if no other response is in progress', async () => {
    const answers = new LongAnswers(new MemoryBudget(ANSWER_CAPACITY_BYTES));
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    let starts = 0;
    function* buildResponse(): Generator<void, string> {
      starts++;
      yield;
      yield;
      return 'made';
    }
    assert.equal(await answers.produceAnswer({ user: 1, maxBytes: 1_000, response }, buildResponse), 'made');
    assert.equal(starts, 1);
  });

  it('reserves memory before the response is built', async () => {
    const budget = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const answers = new LongAnswers(budget);
    const responses = Array.from({ length: 6 }, () => new ServerResponse(new IncomingMessage(new Socket())));
    let steps = 0;
    function* buildResponse(): Generator<void, string> {
      for (let i = 0; i < 100; i++) {
        steps++;
        yield;
      }
      return 'made';
    }
    const longRequests = responses.map((response) => ({
      user: 1,
      maxBytes: ANSWER_CAPACITY_BYTES.perUser / 2,
      response,
    }));
    const results = await Promise.all(
      longRequests.map((longRequest) => answers.produceAnswer(longRequest, buildResponse)),
    );
    assert.deepEqual(results, ['made', 'made', BUSY, BUSY, BUSY, BUSY]);
    assert.ok(steps < 210, String(steps));
    responses[0]?.emit('close');
    assert.equal(await answers.produceAnswer(longRequests[2] as (typeof longRequests)[0], buildResponse), 'made');
  });
});

describe('slow uploads', () => {
  it('share a memory budget: another long body gets 503, short bodies and other users are served', async () => {
    const world = await startWorld({ oneNode: true });
    const book = await world.createBook();
    const { hostname, port } = new URL(book.base);
    const length = 9 * MEBIBYTE;
    const startUpload = (): Socket => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      const path = `/api/v1/documents/${book.document}/values/A1`;
      const head = [`PUT ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${book.token}`];
      socket.write(
        `${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      return socket;
    };
    // Three uploads fit into the budget. The fourth is refused immediately.
    const sockets = Array.from({ length: 4 }, startUpload);
    await Promise.race(sockets.map((socket) => waitForText(socket, 'HTTP/1.1 503')));
    const long = { values: [['x'.repeat(40_000), 'x'.repeat(40_000)]] };
    const padded = `${JSON.stringify(long)}${' '.repeat(length)}`;
    assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw: padded })).status, 503);
    assert.equal((await book.put('A1', [[1]])).status, 200);
    const other = await world.addMember(book.document, 'edit');
    assert.equal((await other.api.requestInDocument('PUT', '/values/A1', { body: long })).status, 200);
    for (const socket of sockets) socket.destroy();
    while ((await book.requestInDocument('PUT', '/values/A1', { raw: padded })).status !== 200) await delay(POLL_MS);
    await world.close();
  });

  async function waitForText(socket: Socket, expected: string): Promise<void> {
    let received = '';
    while (!received.includes(expected)) received += String(((await once(socket, 'data')) as [Buffer])[0]);
  }
});
