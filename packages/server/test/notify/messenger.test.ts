import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { World } from '../http/support.ts';
import { answering, type Received, type Receiver, startReceiver } from './receiver.ts';
import { type Subscribed, startNotifying, untilRetry, untilState } from './support.ts';

const BOT_TOKEN = '123456:ABC-def_ghi';

interface Chatting extends Subscribed {
  readonly world: World;
}

/** Long enough that writes come into one message on a busy machine, too. */
const PATIENT = { quietMs: 15_000, maxWaitMs: 120_000 };

/** A document with a chat that listens to it, and a receiver in the place of the Bot API. */
async function startChatting(
  t: Parameters<typeof startReceiver>[0],
  windows: Partial<typeof PATIENT> = {},
): Promise<Chatting> {
  const receiver = await startReceiver(t, '');
  receiver.behaviour = answering(200, {}, '{"ok":true}');
  const world = await startNotifying(t, { ...windows, messengerBaseUrl: receiver.url, allowPrivateNetworks: false });
  const book = await world.book({ title: 'Prices <b> & *more*' });
  const created = await book.post('/webhooks', { channel: 'messenger', botToken: BOT_TOKEN, chatId: '-100200' });
  assert.equal(created.status, 200);
  return { world, receiver, book, webhook: Number(created.body['webhook']['id']), secret: '' };
}

function textOf(request: Received | undefined): string {
  return String(request?.body['text']);
}

/** The text of the first message after a write. */
async function firstText(receiver: Receiver, write: () => Promise<unknown>): Promise<string> {
  await write();
  const [request] = await receiver.take(1);
  return textOf(request);
}

test('a message tells the title, the changes, the author and the link, as plain text', async (t) => {
  const { receiver, book, world } = await startChatting(t);
  await book.put('A1', [['<i>_x_</i>', 2]]);
  const [request] = await receiver.take(1);
  assert.equal(request?.path, `/bot${BOT_TOKEN}/sendMessage`);
  assert.equal(request?.body['chat_id'], '-100200');
  assert.equal(request?.body['parse_mode'], undefined);
  assert.deepEqual(textOf(request).split('\n'), [
    'Prices <b> & *more*',
    'Sheet1!A1 = <i>_x_</i>; Sheet1!B1 = 2',
    'User 1',
    `${world.server.address}/documents/${book.document}`,
  ]);
});

/** Each waits for its windows, which they do at the same time. */
suite('close edits', { concurrency: 3 }, () => {
  test('are one message', async (t) => {
    const { receiver, book } = await startChatting(t, PATIENT);
    const text = await firstText(receiver, async () => {
      await book.put('A1', [[1]]);
      await book.put('A2', [[2]]);
    });
    assert.match(text, /Sheet1!A1 = 1; Sheet1!A2 = 2/);
  });

  test('authors are named once each, line breaks in cells become blanks', async (t) => {
    const { receiver, book } = await startChatting(t, PATIENT);
    const text = await firstText(receiver, async () => {
      await book.put('A1', [['two\nlines']]);
      await book.put('A2', [[2]]);
    });
    assert.deepEqual(text.split('\n').slice(1, 3), ['Sheet1!A1 = two lines; Sheet1!A2 = 2', 'User 1']);
  });

  test('sheets hidden from the creator are not told in a chat', async (t) => {
    const { receiver, book, world } = await startChatting(t, PATIENT);
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    await receiver.take(1);
    const { api } = await world.member(book.document, 'edit');
    const chat = { channel: 'messenger', botToken: BOT_TOKEN, chatId: 'of the member' };
    assert.equal((await api.post('/webhooks', chat)).status, 200);
    await book.put('Salaries!A1', [[5_000]]);
    await book.put('Sheet1!A1', [[1]]);
    const told = (await receiver.take(3)).slice(1);
    const byChat = new Map(told.map((request) => [String(request.body['chat_id']), textOf(request)]));
    assert.match(byChat.get('-100200') ?? '', /Salaries!A1 = 5000/);
    assert.match(byChat.get('of the member') ?? '', /Sheet1!A1 = 1/);
    assert.doesNotMatch(byChat.get('of the member') ?? '', /Salaries|5000/);
  });
});

test('a long message is cut to 4,096 units and counts what it leaves out', async (t) => {
  const { receiver, book } = await startChatting(t);
  const text = await firstText(receiver, () =>
    book.put(
      'A1',
      Array.from({ length: 900 }, (_, row) => [`value ${row}`]),
    ),
  );
  assert.ok(text.length <= 4_096 && text.length > 4_000, `${text.length}`);
  const [, changes = ''] = text.split('\n');
  const shown = changes.split('; ').length;
  assert.ok(changes.endsWith(`… +${900 - shown}`), changes.slice(-20));
});

test('one long value is cut between characters', async (t) => {
  const { receiver, book } = await startChatting(t);
  const text = await firstText(receiver, () => book.put('A1', [['😀'.repeat(10_000)], [1]]));
  assert.ok(text.length <= 4_096 && text.isWellFormed());
  assert.match(text, /😀… … \+1\n/u);
});

test('the wait that the Bot API asks for in its body is kept', async (t) => {
  const chatting = await startChatting(t);
  const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 600 } };
  chatting.receiver.behaviour = answering(429, {}, JSON.stringify(body));
  await chatting.book.put('A1', [[1]]);
  const waiting = await untilRetry(chatting, 1);
  const wait = Date.parse(String(waiting['nextAttemptAt'])) - Date.now();
  assert.ok(Math.abs(wait - 600_000) < 120_000, `${wait} ms`);
});

const REFUSALS = [
  [400, 'Bad Request: chat not found', 'refused', 1],
  [403, 'Forbidden: bot was blocked by the user', 'refused', 1],
  [401, 'Unauthorized', 'refused', 1],
  [502, 'Bad Gateway', 'exhausted', 5],
] as const;
for (const [status, description, state, attempts] of REFUSALS) {
  test(`${status} ${description}: ${state}`, async (t) => {
    const chatting = await startChatting(t);
    chatting.receiver.behaviour = answering(status, {}, JSON.stringify({ ok: false, error_code: status, description }));
    await chatting.book.put('A1', [[1]]);
    const delivery = await untilState(chatting, 'refused', 'exhausted');
    assert.deepEqual([delivery['state'], chatting.receiver.received.length], [state, attempts]);
    assert.doesNotMatch(JSON.stringify(delivery), /ABC-def_ghi/);
  });
}

test('a proxy that names the address in its error page does not make the token known', async (t) => {
  const chatting = await startChatting(t);
  chatting.receiver.behaviour = (response, request) => response.writeHead(404).end(`${request.url} was not found`);
  await chatting.book.put('A1', [[1]]);
  const delivery = await untilState(chatting, 'refused');
  assert.equal(delivery['attempts'][0]?.['response'], '/bot[hidden]/sendMessage was not found');
});

test('a test message and one without cells have a title and a link', async (t) => {
  const { receiver, book, webhook, world } = await startChatting(t);
  assert.equal((await book.post(`/webhooks/${webhook}/test`, undefined)).status, 200);
  const [request] = await receiver.take(1);
  const around = ['User 1', `${world.server.address}/documents/${book.document}`];
  assert.deepEqual(textOf(request).split('\n'), ['Prices <b> & *more*', ...around]);
  await book.addSheet('Plan');
  const [, second] = await receiver.take(2);
  assert.deepEqual(textOf(second).split('\n'), ['Prices <b> & *more*', '+ Plan', ...around]);
});

test('an API that cannot be reached is tried five times', async (t) => {
  const chatting = await startChatting(t);
  chatting.receiver.behaviour = (response) => response.socket?.resetAndDestroy();
  await chatting.book.put('A1', [[1]]);
  const delivery = await untilState(chatting, 'refused', 'exhausted');
  assert.deepEqual([delivery['state'], delivery['attempts']['length']], ['exhausted', 5]);
});
