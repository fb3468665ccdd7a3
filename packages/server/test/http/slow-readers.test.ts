import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { FairQueue } from '@cellwire/event-loop';
import { MemoryBudget } from '../../src/http/bodies/memory-budget.ts';
import { endStalledReaders } from '../../src/http/connections/stalled-readers.ts';
import { LongAnswers } from '../../src/http/streams/long-answers.ts';
import { ANSWER_CAPACITY_BYTES } from '../../src/limits/http.ts';
import { BUSY } from '../../src/service/refusal.ts';
import { sendForStatus } from './send.ts';
import { type Api, startWorld, type World } from './support.ts';

const MEBIBYTE = 1024 * 1024;

describe('a connection whose reader takes nothing', () => {
  it('is ended, and one whose reader takes a little is not', async (t) => {
    const body = Buffer.alloc(32 * MEBIBYTE, 'x');
    const parts = Array.from({ length: 32 }, (_, i) => body.subarray(i * MEBIBYTE, (i + 1) * MEBIBYTE));
    const server = createServer((_request, response) => {
      Readable.from(parts).pipe(response);
    });
    // Far longer than a busy machine keeps the reader that takes a little from doing so.
    endStalledReaders(server, 3_000, 20);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const ask = (): Socket => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      return socket;
    };
    const stalled = ask().pause();
    const [atServer] = (await once(server, 'connection')) as [Socket];
    const slow = ask();
    let taken = 0;
    slow.on('data', (part: Buffer) => {
      taken += part.length;
      slow.pause();
      setImmediate(() => slow.resume());
    });
    await once(slow, 'close');
    assert.ok(taken > body.length);
    if (!atServer.closed) await once(atServer, 'close');
    stalled.resume();
    await once(stalled, 'close');
    assert.ok(stalled.bytesRead < body.length);
  });
});

describe('a connection to the service that stops taking', () => {
  /** What Node tells of each request, with the server that it came to. */
  const REQUESTS = 'http.server.request.start';
  let world: World;
  let book: Api;
  let server: Server;
  before(async () => {
    world = await startWorld({ oneNode: true });
    book = await world.book();
    const learn = (told: unknown): void => {
      ({ server } = told as { readonly server: Server });
    };
    subscribe(REQUESTS, learn);
    assert.equal((await book.get('A1')).status, 200);
    unsubscribe(REQUESTS, learn);
    // Beside the service's own, which waits longer than a test may.
    endStalledReaders(server, 500, 20);
    const values = Array.from({ length: 500 }, () => ['x'.repeat(16_000)]);
    assert.equal((await book.put('A1', values, { mode: 'RAW' })).status, 200);
  });
  after(() => world.close());

  const get = (range: string): string =>
    `GET /api/v1/documents/${book.document}/values/${range} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${book.token}\r\n\r\n`;
  const LONG = 'A1:A500';
  const KEPT = 'A1:A1';

  const WAYS: Readonly<Record<string, (socket: Socket) => unknown>> = {
    'at once': (socket) => void socket.pause().write(get(LONG)),
    'with many questions in a row, whose answer is kept': (socket) => void socket.pause().write(get(KEPT).repeat(400)),
    'in the middle, after an answer that it took': async (socket) => {
      socket.write(get('B1'));
      await once(socket, 'data');
      socket.write(get(LONG));
      await once(socket, 'data');
      socket.pause();
    },
    'but for a byte now and then': (socket) => {
      socket.on('readable', () => {}).write(get(LONG));
      const sips = setInterval(() => socket.read(1), 100);
      socket.once('close', () => clearInterval(sips));
    },
  };

  for (const [name, stop] of Object.entries(WAYS))
    it(`is ended: ${name}`, async (t) => {
      for (let i = 0; i < 2; i++) assert.equal((await book.get(KEPT)).status, 200);
      const { hostname, port } = new URL(book.base);
      const socket = connect(Number(port), hostname).on('error', () => {});
      t.after(() => socket.destroy());
      const [there] = (await once(server, 'connection')) as [Socket];
      await stop(socket);
      if (!there.closed) await once(there, 'close');
    });
});

describe('the room for answers', () => {
  /** A response that nobody has taken yet. */
  const waiting = () => new ServerResponse(new IncomingMessage(new Socket()));

  it('counts what several answers share once, and lets go of it with the last', () => {
    const room = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const shared = new Uint8Array(1);
    const first = waiting();
    const second = waiting();
    assert.ok(room.enter(1, shared, ANSWER_CAPACITY_BYTES.perUser, first));
    assert.ok(room.enter(1, shared, ANSWER_CAPACITY_BYTES.perUser, second));
    assert.equal(room.enter(1, {}, MEBIBYTE, waiting()), false);
    first.emit('close');
    assert.equal(room.enter(1, {}, MEBIBYTE, waiting()), false);
    second.emit('close');
    const third = waiting();
    assert.ok(room.enter(1, {}, ANSWER_CAPACITY_BYTES.perUser, third));
    third.req.socket.emit('close');
    assert.ok(room.enter(1, {}, MEBIBYTE, waiting()));
  });

  it('listens to a response once, whatever it holds', () => {
    const room = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const response = waiting();
    for (let range = 0; range < 20; range++) assert.ok(room.enter(1, {}, MEBIBYTE, response));
    assert.equal(response.listenerCount('close'), 1);
    response.emit('close');
    assert.ok(room.enter(1, {}, ANSWER_CAPACITY_BYTES.perUser, waiting()));
  });

  it('leaves each user a share, and short answers always pass', () => {
    const room = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    for (let user = 1; user <= ANSWER_CAPACITY_BYTES.all / ANSWER_CAPACITY_BYTES.perUser; user++) {
      assert.ok(room.enter(user, {}, ANSWER_CAPACITY_BYTES.perUser, waiting()));
      assert.equal(room.enter(user, {}, MEBIBYTE, waiting()), false);
      assert.ok(room.enter(user, {}, 1_000, waiting()));
    }
    assert.equal(room.enter(99, {}, MEBIBYTE, waiting()), false);
  });
});

describe('pages that nobody reads', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ oneNode: true });
  });
  after(() => world.close());

  const ask = ({ base, token, document }: Api, range: string): Socket => {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => {});
    const path = `/api/v1/documents/${document}/values/${range}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  };

  /** The beginning of an answer. */
  const status = async (socket: Socket): Promise<string> => {
    await once(socket, 'readable');
    return String(socket.read(12));
  };

  it('are given while there is room, the same page to any number; beyond it 503, and again when they are gone', async () => {
    const book = await world.book();
    const wide = Array.from({ length: 1_000 }, (_, i) => ['x'.repeat(8_000), `${i}`]);
    assert.equal((await book.put('A1', wide.slice(0, 700), { mode: 'RAW' })).status, 200);
    assert.equal((await book.put('A701', wide.slice(700), { mode: 'RAW' })).status, 200);
    const sockets = Array.from({ length: 20 }, () => ask(book, 'A1:B1000'));
    for (const socket of sockets) assert.equal(await status(socket), 'HTTP/1.1 200');
    const others: Socket[] = [];
    let refused = 0;
    for (let i = 1; i <= 5; i++) {
      const socket = ask(book, `A${i + 1}:B1000`);
      if ((await status(socket)) === 'HTTP/1.1 503') refused++;
      others.push(socket);
    }
    assert.ok(refused > 0 && refused < 5, String(refused));
    const busy = await book.get('A10:B1000');
    assert.deepEqual([busy.status, busy.body['message'], busy.headers.get('retry-after')], [503, 'Service busy', '1']);
    // A reader that takes nothing would not be noticed by so short an answer.
    assert.equal(busy.headers.get('connection'), 'close');
    assert.equal((await book.get('B1:B1000')).status, 200);
    for (const socket of [...sockets, ...others]) socket.destroy();
    while ((await book.get('A10:B1000')).status !== 200) await new Promise(setImmediate);
  });
});

describe('a burst of large pages', () => {
  it('is made in turns: others are answered meanwhile, and what there is no room for is 503', async () => {
    const world = await startWorld({ oneNode: true });
    const book = await world.book();
    const wide = Array.from({ length: 1_000 }, () => ['x'.repeat(8_000)]);
    assert.equal((await book.put('A1', wide.slice(0, 900), { mode: 'RAW' })).status, 200);
    assert.equal((await book.put('A901', wide.slice(900), { mode: 'RAW' })).status, 200);
    const other = await world.member(book.document, 'edit');
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
    assert.equal((await other.api.put('C1', [[1]])).status, 200);
    assert.equal((await other.api.get('C1')).status, 200);
    assert.ok(answered < burst.length);
    const statuses = await Promise.all(burst);
    assert.deepEqual(
      [...new Set(statuses)].filter((status) => status !== 200 && status !== 503),
      [],
    );
    assert.ok(statuses.includes(200));
    while ((await book.get('A2:A1000')).status !== 200) await new Promise(setImmediate);
    await world.close();
  });

  it('lets users take turns', async () => {
    const queue = new FairQueue();
    const order: string[] = [];
    const one = async (user: number, name: string) => {
      await queue.enter(user);
      order.push(name);
      await new Promise(setImmediate);
      queue.leave(user);
    };
    await Promise.all([one(1, 'a'), one(1, 'b'), one(1, 'c'), one(1, 'd'), one(2, 'x'), one(2, 'y')]);
    assert.deepEqual(order, ['a', 'b', 'x', 'c', 'y', 'd']);
    assert.equal(queue.has(1) || queue.has(2), false);
  });

  it('takes room before it is made', async () => {
    const room = new MemoryBudget(ANSWER_CAPACITY_BYTES);
    const answers = new LongAnswers(room);
    const responses = Array.from({ length: 6 }, () => new ServerResponse(new IncomingMessage(new Socket())));
    let steps = 0;
    function* making(): Generator<void, string> {
      for (let i = 0; i < 100; i++) {
        steps++;
        yield;
      }
      return 'made';
    }
    const asked = responses.map((response) => ({ user: 1, maxBytes: ANSWER_CAPACITY_BYTES.perUser / 2, response }));
    const made = await Promise.all(asked.map((one) => answers.make(one, making)));
    assert.deepEqual(made, ['made', 'made', BUSY, BUSY, BUSY, BUSY]);
    assert.ok(steps < 210, String(steps));
    responses[0]?.emit('close');
    assert.equal(await answers.make(asked[2] as (typeof asked)[0], making), 'made');
  });
});

describe('bodies that come slowly', () => {
  it('hold no more than their room: one more is 503, others’ and short ones are taken', async () => {
    const world = await startWorld({ oneNode: true });
    const book = await world.book();
    const { hostname, port } = new URL(book.base);
    const length = 9 * MEBIBYTE;
    const begin = (): Socket => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      const path = `/api/v1/documents/${book.document}/values/A1`;
      const head = [`PUT ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${book.token}`];
      socket.write(
        `${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
      );
      return socket;
    };
    // Three find room, in whatever order they are looked at; which is the fourth is told at once.
    const sockets = Array.from({ length: 4 }, begin);
    await Promise.race(sockets.map((socket) => untilSays(socket, 'HTTP/1.1 503')));
    const long = { values: [['x'.repeat(40_000), 'x'.repeat(40_000)]] };
    const padded = `${JSON.stringify(long)}${' '.repeat(length)}`;
    assert.equal((await book.here('PUT', '/values/A1', { raw: padded })).status, 503);
    assert.equal((await book.put('A1', [[1]])).status, 200);
    const other = await world.member(book.document, 'edit');
    assert.equal((await other.api.here('PUT', '/values/A1', { body: long })).status, 200);
    for (const socket of sockets) socket.destroy();
    while ((await book.here('PUT', '/values/A1', { raw: padded })).status !== 200);
    await world.close();
  });

  async function untilSays(socket: Socket, wanted: string): Promise<void> {
    let said = '';
    while (!said.includes(wanted)) said += String(((await once(socket, 'data')) as [Buffer])[0]);
  }
});
