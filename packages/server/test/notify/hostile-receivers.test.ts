import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { MAX_ANSWER_BYTES } from '../../src/limits/notify.ts';
import { startWorld, type World } from '../http/support.ts';
import { type RawBehaviour, startDeafPort, startRawReceiver } from './raw-receiver.ts';
import { items, QUICK, subscribe, untilState } from './support.ts';

const TIMEOUT_MS = 400;

/** For receivers that hang. */
let hasty: World;
let patient: World;
before(async () => {
  hasty = await startWorld({ notifications: { ...QUICK, timeoutMs: TIMEOUT_MS } });
  patient = await startWorld({ notifications: QUICK });
});
after(() => Promise.all([hasty.close(), patient.close()]));

interface Case {
  readonly name: string;
  readonly behaviour: RawBehaviour;
  readonly state: 'delivered' | 'refused' | 'exhausted';
  readonly status: number | null;
  /** What the log says where there is no status. */
  readonly error?: RegExp;
}

const NO_ANSWER = /no answer within 400 ms/;

function saying(text: string): RawBehaviour {
  return (socket) => socket.end(text);
}

/** Says a beginning, then a part again and again as fast as it is taken, many at a time. */
function endlessly(beginning: string, part: string): RawBehaviour {
  const parts = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)));
  return (socket) => {
    socket.write(beginning);
    const more = () => {
      while (!socket.destroyed && socket.write(parts));
    };
    socket.on('drain', more);
    more();
  };
}

/** Says a beginning, then one byte at a time. */
function dripping(beginning: string): RawBehaviour {
  return (socket) => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CASES: readonly Case[] = [
  // Old and sparing, but HTTP.
  {
    name: 'HTTP/1.0 without a length',
    behaviour: saying('HTTP/1.0 200 OK\r\n\r\nfine'),
    state: 'delivered',
    status: 200,
  },
  { name: 'HTTP/1.0 that fails', behaviour: saying('HTTP/1.0 500 No\r\n\r\n'), state: 'exhausted', status: 500 },
  { name: 'no reason phrase', behaviour: saying('HTTP/1.1 204\r\n\r\n'), state: 'delivered', status: 204 },
  {
    name: '100 Continue that nobody asked for',
    behaviour: saying(`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`),
    state: 'delivered',
    status: 200,
  },
  {
    name: '103 before the answer',
    behaviour: saying(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 0\r\n\r\n`),
    state: 'delivered',
    status: 200,
  },
  { name: '304', behaviour: saying('HTTP/1.1 304 Not Modified\r\n\r\n'), state: 'refused', status: 304 },
  {
    name: '302 to an address inside',
    behaviour: saying('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
    state: 'refused',
    status: 302,
  },

  // Hanging at every stage.
  { name: 'hangs before the header', behaviour: () => {}, state: 'exhausted', status: null, error: NO_ANSWER },
  {
    name: 'hangs in the status line',
    behaviour: (socket) => socket.write('HTTP/1.1 20'),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  {
    name: 'hangs in the header',
    behaviour: (socket) => socket.write(`${OK}Content-`),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  { name: 'drips its header', behaviour: dripping(`${OK}X-A: `), state: 'exhausted', status: null, error: NO_ANSWER },
  {
    name: 'hangs before the body',
    behaviour: (socket) => socket.write(`${OK}Content-Length: 5\r\n\r\n`),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  {
    name: 'hangs in the body',
    behaviour: (socket) => socket.write(`${OK}Content-Length: 5\r\n\r\nab`),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  {
    name: 'hangs in the body of a refusal',
    behaviour: (socket) => socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nab'),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  {
    name: 'hangs between chunks',
    behaviour: (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n`),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },

  // Endless.
  {
    name: 'an endless header',
    behaviour: endlessly(OK, `X-A: ${'y'.repeat(1_000)}\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_HEADER_OVERFLOW/,
  },
  {
    name: 'interim answers without end',
    behaviour: endlessly('', 'HTTP/1.1 102 Processing\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  { name: 'an endless body', behaviour: endlessly(`${OK}\r\n`, 'z'.repeat(65_536)), state: 'delivered', status: 200 },
  {
    name: 'an endless chunk',
    behaviour: endlessly(`${OK}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n`, 'z'.repeat(65_536)),
    state: 'delivered',
    status: 200,
  },
  {
    name: 'an endless body of a refusal',
    behaviour: endlessly('HTTP/1.1 404 No\r\n\r\n', 'z'.repeat(65_536)),
    state: 'refused',
    status: 404,
  },

  // Broken.
  {
    name: 'closes without an answer',
    behaviour: (socket) => socket.end(),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET/,
  },
  {
    name: 'resets without an answer',
    behaviour: (socket) => socket.resetAndDestroy(),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET/,
  },
  {
    name: 'resets in the header',
    behaviour: (socket) => socket.write(`${OK}X-A: b\r\n`, () => socket.resetAndDestroy()),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET/,
  },
  {
    name: 'ends within the body',
    behaviour: saying(`${OK}Content-Length: 50\r\n\r\npart`),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET|aborted/,
  },
  {
    name: 'another protocol',
    behaviour: saying('220 mail.example.com ESMTP\r\n'),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: '101 that nobody asked for',
    behaviour: (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: /another protocol/,
  },
  {
    name: 'a status that is no number',
    behaviour: saying('HTTP/1.1 OK\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: 'a length and chunks',
    behaviour: saying(`${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: 'a chunk’s size that is none',
    behaviour: saying(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
];

describe('receivers below HTTP', { concurrency: true }, () => {
  for (const { name, behaviour, state, status, error } of CASES) {
    test(`${name}: ${state}`, async (t) => {
      const receiver = await startRawReceiver(t, behaviour);
      const hangs = error === NO_ANSWER;
      const subscribed = await subscribe(t, hangs ? hasty : patient);
      const { book, webhook } = subscribed;
      await book.here('PATCH', `/webhooks/${webhook}`, { body: { url: receiver.url } });
      await book.put('A1', [[1]]);
      const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
      const attempts = items(delivery['attempts']);
      assert.equal(delivery['state'], state, JSON.stringify(attempts));
      assert.deepEqual(
        attempts.map((entry) => [entry['attempt'], entry['status']]),
        Array.from({ length: state === 'exhausted' ? 5 : 1 }, (_, i) => [i + 1, status]),
      );
      for (const attempt of attempts) {
        if (error === undefined) assert.equal(attempt['error'], null);
        else assert.match(String(attempt['error']), error);
        assert.ok(String(attempt['response']).length <= 500);
        if (hangs) assert.ok(Number(attempt['durationMs']) >= TIMEOUT_MS - 5, `${attempt['durationMs']} ms`);
      }
    });
  }
});

test('of an endless answer only the beginning is read, and its connection is closed', {
  timeout: 120_000,
}, async (t) => {
  let socket: Socket | null = null;
  const receiver = await startRawReceiver(t, (opened) => {
    socket = opened;
    endlessly(`${OK}\r\n`, 'z'.repeat(MAX_ANSWER_BYTES))(opened);
  });
  const subscribed = await subscribe(t, patient);
  await subscribed.book.here('PATCH', `/webhooks/${subscribed.webhook}`, { body: { url: receiver.url } });
  await subscribed.book.put('A1', [[1]]);
  await untilState(subscribed, 'delivered');
  while (receiver.open() > 0) await once(subscribed.receiver.progress, 'tick');
  assert.ok((socket as Socket | null)?.destroyed);
});

test('a port that neither takes nor refuses connections counts as a time-out', {
  skip: process.platform !== 'linux' && 'only Linux keeps connections waiting at a full queue',
}, async (t) => {
  const url = await startDeafPort(t);
  const subscribed = await subscribe(t, hasty);
  await subscribed.book.here('PATCH', `/webhooks/${subscribed.webhook}`, { body: { url } });
  await subscribed.book.put('A1', [[1]]);
  const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  for (const attempt of items(delivery['attempts'])) assert.match(String(attempt['error']), NO_ANSWER);
});

test('a receiver that speaks no TLS and hangs counts as a time-out', async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  const subscribed = await subscribe(t, hasty);
  const url = receiver.url.replace('http:', 'https:');
  await subscribed.book.here('PATCH', `/webhooks/${subscribed.webhook}`, { body: { url } });
  await subscribed.book.put('A1', [[1]]);
  const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  assert.equal(delivery['attempts']['length'], 5);
  // A busy machine may let an attempt's time run out before it has connected.
  assert.ok(receiver.connections() >= 1 && receiver.connections() <= 5);
});
