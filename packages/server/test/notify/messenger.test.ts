import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { memberAt, type World } from '../http/support.ts';
import { type ReceivedRequest, type Receiver, respondWith, startReceiver } from './receiver.ts';
import { startNotifying, type TestSubscription, waitForRetry, waitForState } from './support.ts';

const BOT_TOKEN = '123456:ABC-def_ghi';

interface ChatSubscription extends TestSubscription {
  readonly world: World;
}

/** Long enough for several writes in one message, even on a busy machine. */
const LONG_WINDOWS = { quietMs: 15_000, maxWaitMs: 120_000 };

/** Starts a document with a chat subscription, and a receiver that replaces the Bot API. */
async function startChat(
  t: Parameters<typeof startReceiver>[0],
  windows: Partial<typeof LONG_WINDOWS> = {},
): Promise<ChatSubscription> {
  const receiver = await startReceiver(t, '');
  receiver.behaviour = respondWith(200, {}, '{"ok":true}');
  const world = await startNotifying(t, { ...windows, messengerBaseUrl: receiver.url, allowPrivateNetworks: false });
  const book = await world.createBook({ title: 'Prices <b> & *more*' });
  const created = await book.post('/webhooks', { channel: 'messenger', botToken: BOT_TOKEN, chatId: '-100200' });
  assert.equal(created.status, 200);
  return { world, receiver, book, webhook: Number(memberAt(created.body, 'webhook')['id']), secret: '' };
}

function readText(request: ReceivedRequest | undefined): string {
  return String(request?.body['text']);
}

/** The text of the first message after a write. */
async function readTextAfter(receiver: Receiver, write: () => Promise<unknown>): Promise<string> {
  await write();
  const [request] = await receiver.waitForRequests(1);
  return readText(request);
}

test('a message contains title, changes, author and link as plain text', async (t) => {
  const { receiver, book, world } = await startChat(t);
  await book.put('A1', [['<i>_x_</i>', 2]]);
  const [request] = await receiver.waitForRequests(1);
  assert.equal(request?.path, `/bot${BOT_TOKEN}/sendMessage`);
  assert.equal(request?.body['chat_id'], '-100200');
  assert.equal(request?.body['parse_mode'], undefined);
  assert.deepEqual(readText(request).split('\n'), [
    'Prices <b> & *more*',
    'Sheet1!A1 = <i>_x_</i>; Sheet1!B1 = 2',
    'User 1',
    `${world.server.address}/documents/${book.document}`,
  ]);
});

test('a message about a proposal says what it would do, also if it changes no cell', async (t) => {
  const { receiver, book } = await startChat(t);
  const chat = { channel: 'messenger', botToken: BOT_TOKEN, chatId: '-100201', events: ['proposal.opened'] };
  assert.equal((await book.post('/webhooks', chat)).status, 200);
  const body = { values: [[1, 2]] };
  const requests: [string, string, object, string][] = [
    ['PUT', '/values/A1', body, 'User 1 proposes to change 2 cells in Sheet1'],
    ['PATCH', '/sheets/Sheet1', { name: 'Orders' }, 'User 1 proposes to rename a sheet'],
    [
      'POST',
      '/structure',
      { operations: [{ insertRows: { sheet: 'Sheet1', before: 1, count: 1 } }] },
      'User 1 proposes to change rows, columns or sheets',
    ],
  ];
  for (const [at, [method, path, proposed, line]] of requests.entries()) {
    const answer = await book.requestInDocument(method, `${path}?propose=true`, { body: proposed });
    assert.equal(answer.status, 202);
    const messages = await receiver.waitForRequests(at + 1);
    assert.equal(readText(messages[at]).split('\n')[1], line);
  }
});

/** Each test waits for its windows; they run in parallel. */
suite('close edits', { concurrency: 3 }, () => {
  test('are one message', async (t) => {
    const { receiver, book } = await startChat(t, LONG_WINDOWS);
    const text = await readTextAfter(receiver, async () => {
      await book.put('A1', [[1]]);
      await book.put('A2', [[2]]);
    });
    assert.match(text, /Sheet1!A1 = 1; Sheet1!A2 = 2/);
  });

  test('name each author once, and line breaks in cells become spaces', async (t) => {
    const { receiver, book } = await startChat(t, LONG_WINDOWS);
    const text = await readTextAfter(receiver, async () => {
      await book.put('A1', [['two\nlines']]);
      await book.put('A2', [[2]]);
    });
    assert.deepEqual(text.split('\n').slice(1, 3), ['Sheet1!A1 = two lines; Sheet1!A2 = 2', 'User 1']);
  });

  test('exclude sheets hidden from the creator', async (t) => {
    const { receiver, book, world } = await startChat(t, LONG_WINDOWS);
    await book.addSheet('Salaries');
    await world.protect(book.document, 'Salaries', { hideValues: true });
    await receiver.waitForRequests(1);
    const { api } = await world.addMember(book.document, 'edit');
    const chat = { channel: 'messenger', botToken: BOT_TOKEN, chatId: 'of the member' };
    assert.equal((await api.post('/webhooks', chat)).status, 200);
    await book.put('Salaries!A1', [[5_000]]);
    await book.put('Sheet1!A1', [[1]]);
    const messages = (await receiver.waitForRequests(3)).slice(1);
    const byChat = new Map(messages.map((request) => [String(request.body['chat_id']), readText(request)]));
    assert.match(byChat.get('-100200') ?? '', /Salaries!A1 = 5000/);
    assert.match(byChat.get('of the member') ?? '', /Sheet1!A1 = 1/);
    assert.doesNotMatch(byChat.get('of the member') ?? '', /Salaries|5000/);
  });
});

test('a long message is cut to 4,096 units and counts the omitted cells', async (t) => {
  const { receiver, book } = await startChat(t);
  const text = await readTextAfter(receiver, () =>
    book.put(
      'A1',
      Array.from({ length: 900 }, (_, row) => [`value ${row}`]),
    ),
  );
  assert.ok(text.length <= 4_096 && text.length > 4_000, `${text.length}`);
  const [, changes = ''] = text.split('\n');
  const shownCells = changes.split('; ').length;
  assert.ok(changes.endsWith(`… +${900 - shownCells}`), changes.slice(-20));
});

test('a long value is cut between characters', async (t) => {
  const { receiver, book } = await startChat(t);
  const text = await readTextAfter(receiver, () => book.put('A1', [['😀'.repeat(10_000)], [1]]));
  assert.ok(text.length <= 4_096 && text.isWellFormed());
  assert.match(text, /😀… … \+1\n/u);
});

test('the retry delay in the body of the Bot API is respected', async (t) => {
  const chat_ = await startChat(t);
  const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 600 } };
  chat_.receiver.behaviour = respondWith(429, {}, JSON.stringify(body));
  await chat_.book.put('A1', [[1]]);
  const waitingDelivery = await waitForRetry(chat_, 1);
  const wait = Date.parse(String(waitingDelivery['nextAttemptAt'])) - Date.now();
  assert.ok(Math.abs(wait - 600_000) < 120_000, `${wait} ms`);
});

const FAILURES = [
  [400, 'Bad Request: chat not found', 'refused', 1],
  [403, 'Forbidden: bot was blocked by the user', 'refused', 1],
  [401, 'Unauthorized', 'refused', 1],
  [502, 'Bad Gateway', 'exhausted', 5],
] as const;
for (const [status, description, state, attempts] of FAILURES) {
  test(`${status} ${description}: ${state}`, async (t) => {
    const chat_ = await startChat(t);
    chat_.receiver.behaviour = respondWith(status, {}, JSON.stringify({ ok: false, error_code: status, description }));
    await chat_.book.put('A1', [[1]]);
    const delivery = await waitForState(chat_, 'refused', 'exhausted');
    assert.deepEqual([delivery['state'], chat_.receiver.received.length], [state, attempts]);
    assert.doesNotMatch(JSON.stringify(delivery), /ABC-def_ghi/);
  });
}

test('an error page with the request URL does not reveal the token', async (t) => {
  const chat_ = await startChat(t);
  chat_.receiver.behaviour = (response, request) => response.writeHead(404).end(`${request.url} was not found`);
  await chat_.book.put('A1', [[1]]);
  const delivery = await waitForState(chat_, 'refused');
  assert.equal(memberAt(delivery, 'attempts')[0]?.['response'], '/bot[hidden]/sendMessage was not found');
});

test('a test message and a message without cells have a title and a link', async (t) => {
  const { receiver, book, webhook, world } = await startChat(t);
  assert.equal((await book.post(`/webhooks/${webhook}/test`, undefined)).status, 200);
  const [request] = await receiver.waitForRequests(1);
  const lastLines = ['User 1', `${world.server.address}/documents/${book.document}`];
  assert.deepEqual(readText(request).split('\n'), ['Prices <b> & *more*', ...lastLines]);
  await book.addSheet('Plan');
  const [, second] = await receiver.waitForRequests(2);
  assert.deepEqual(readText(second).split('\n'), ['Prices <b> & *more*', '+ Plan', ...lastLines]);
});

test('an unreachable API gets five attempts', async (t) => {
  const chat_ = await startChat(t);
  chat_.receiver.behaviour = (response) => response.socket?.resetAndDestroy();
  await chat_.book.put('A1', [[1]]);
  const delivery = await waitForState(chat_, 'refused', 'exhausted');
  assert.deepEqual([delivery['state'], memberAt(delivery, 'attempts')['length']], ['exhausted', 5]);
});
