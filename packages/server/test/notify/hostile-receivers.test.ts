import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { MAX_ANSWER_BYTES } from '../../src/limits/notify.ts';
import { memberAt, startWorld, type World } from '../http/support.ts';
import { type RawBehaviour, startDeafPort, startRawReceiver } from './raw-receiver.ts';
import { QUICK, subscribe, toElements, waitForState } from './support.ts';

const TIMEOUT_MS = 400;

/** A service with a short time-out, for receivers that hang. */
let shortTimeoutWorld: World;
let world: World;
before(async () => {
  shortTimeoutWorld = await startWorld({ notifications: { ...QUICK, timeoutMs: TIMEOUT_MS } });
  world = await startWorld({ notifications: QUICK });
});
after(() => Promise.all([shortTimeoutWorld.close(), world.close()]));

interface ReceiverCase {
  readonly name: string;
  readonly behaviour: RawBehaviour;
  readonly state: 'delivered' | 'refused' | 'exhausted';
  readonly status: number | null;
  /** The logged error, if there is no status. */
  readonly error?: RegExp;
}

const NO_ANSWER = /no answer within 400 ms/;

function sendText(text: string): RawBehaviour {
  return (socket) => socket.end(text);
}

/** Sends a prefix, then repeats a part as fast as it is read. */
function sendEndlessly(prefix: string, part: string): RawBehaviour {
  const parts = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)));
  return (socket) => {
    socket.write(prefix);
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(parts));
    };
    socket.on('drain', writeUntilFull);
    writeUntilFull();
  };
}

/** Sends a prefix, then one byte at a time. */
function sendSlowly(prefix: string): RawBehaviour {
  return (socket) => {
    socket.write(prefix);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CASES: readonly ReceiverCase[] = [
  // Valid HTTP in unusual forms.
  {
    name: 'HTTP/1.0 without a length',
    behaviour: sendText('HTTP/1.0 200 OK\r\n\r\nfine'),
    state: 'delivered',
    status: 200,
  },
  { name: 'HTTP/1.0 that fails', behaviour: sendText('HTTP/1.0 500 No\r\n\r\n'), state: 'exhausted', status: 500 },
  { name: 'no reason phrase', behaviour: sendText('HTTP/1.1 204\r\n\r\n'), state: 'delivered', status: 204 },
  {
    name: 'an unexpected 100 Continue',
    behaviour: sendText(`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 0\r\n\r\n`),
    state: 'delivered',
    status: 200,
  },
  {
    name: '103 before the response',
    behaviour: sendText(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}Content-Length: 0\r\n\r\n`),
    state: 'delivered',
    status: 200,
  },
  { name: '304', behaviour: sendText('HTTP/1.1 304 Not Modified\r\n\r\n'), state: 'refused', status: 304 },
  {
    name: '302 to a private address',
    behaviour: sendText('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
    state: 'refused',
    status: 302,
  },

  // Receivers that hang in some phase of a request.
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
  {
    name: 'sends its header slowly',
    behaviour: sendSlowly(`${OK}X-A: `),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
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

  // Receivers with endless responses.
  {
    name: 'an endless header',
    behaviour: sendEndlessly(OK, `X-A: ${'y'.repeat(1_000)}\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_HEADER_OVERFLOW/,
  },
  {
    name: 'endless interim responses',
    behaviour: sendEndlessly('', 'HTTP/1.1 102 Processing\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: NO_ANSWER,
  },
  {
    name: 'an endless body',
    behaviour: sendEndlessly(`${OK}\r\n`, 'z'.repeat(65_536)),
    state: 'delivered',
    status: 200,
  },
  {
    name: 'an endless chunk',
    behaviour: sendEndlessly(`${OK}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n`, 'z'.repeat(65_536)),
    state: 'delivered',
    status: 200,
  },
  {
    name: 'an endless body of a refusal',
    behaviour: sendEndlessly('HTTP/1.1 404 No\r\n\r\n', 'z'.repeat(65_536)),
    state: 'refused',
    status: 404,
  },

  // Receivers with broken responses.
  {
    name: 'closes without a response',
    behaviour: (socket) => socket.end(),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET/,
  },
  {
    name: 'resets without a response',
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
    behaviour: sendText(`${OK}Content-Length: 50\r\n\r\npart`),
    state: 'exhausted',
    status: null,
    error: /ECONNRESET|aborted/,
  },
  {
    name: 'another protocol',
    behaviour: sendText('220 mail.example.com ESMTP\r\n'),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: 'an unexpected 101',
    behaviour: (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: /another protocol/,
  },
  {
    name: 'a status that is not a number',
    behaviour: sendText('HTTP/1.1 OK\r\n\r\n'),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: 'a length and chunks',
    behaviour: sendText(`${OK}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
  {
    name: 'an invalid chunk size',
    behaviour: sendText(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    state: 'exhausted',
    status: null,
    error: /HPE_/,
  },
];

describe('receivers with low-level faults', { concurrency: true }, () => {
  for (const { name, behaviour, state, status, error } of CASES) {
    test(`${name}: ${state}`, async (t) => {
      const receiver = await startRawReceiver(t, behaviour);
      const hangs = error === NO_ANSWER;
      const subscription = await subscribe(t, hangs ? shortTimeoutWorld : world);
      const { book, webhook } = subscription;
      await book.requestInDocument('PATCH', `/webhooks/${webhook}`, { body: { url: receiver.url } });
      await book.put('A1', [[1]]);
      const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
      const attempts = toElements(delivery['attempts']);
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

test('the service reads only the start of an endless response and closes the connection', {
  timeout: 120_000,
}, async (t) => {
  let socket: Socket | null = null;
  const receiver = await startRawReceiver(t, (connection) => {
    socket = connection;
    sendEndlessly(`${OK}\r\n`, 'z'.repeat(MAX_ANSWER_BYTES))(connection);
  });
  const subscription = await subscribe(t, world);
  await subscription.book.requestInDocument('PATCH', `/webhooks/${subscription.webhook}`, {
    body: { url: receiver.url },
  });
  await subscription.book.put('A1', [[1]]);
  await waitForState(subscription, 'delivered');
  while (receiver.open() > 0) await once(subscription.receiver.progress, 'tick');
  assert.ok((socket as Socket | null)?.destroyed);
});

test('a port that neither accepts nor refuses connections counts as a timeout', {
  skip: process.platform !== 'linux' && 'only Linux keeps connections waiting at a full queue',
}, async (t) => {
  const url = await startDeafPort(t);
  const subscription = await subscribe(t, shortTimeoutWorld);
  await subscription.book.requestInDocument('PATCH', `/webhooks/${subscription.webhook}`, { body: { url } });
  await subscription.book.put('A1', [[1]]);
  const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  for (const attempt of toElements(delivery['attempts'])) assert.match(String(attempt['error']), NO_ANSWER);
});

test('a receiver without TLS that hangs counts as a timeout', async (t) => {
  const receiver = await startRawReceiver(t, () => {});
  const subscription = await subscribe(t, shortTimeoutWorld);
  const url = receiver.url.replace('http:', 'https:');
  await subscription.book.requestInDocument('PATCH', `/webhooks/${subscription.webhook}`, { body: { url } });
  await subscription.book.put('A1', [[1]]);
  const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  assert.equal(memberAt(delivery, 'attempts', 'length'), 5);
  // On a busy machine, an attempt may time out before it has connected.
  assert.ok(receiver.connections() >= 1 && receiver.connections() <= 5);
});
