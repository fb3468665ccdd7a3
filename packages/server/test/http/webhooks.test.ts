import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listTokens, revokeToken } from '../../src/service/operator/tokens.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { type Api, type ApiResponse, memberAt, pickStatusAndBody, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ plans: { enterprise: { webhooksPerDocument: 3 } } });
});
after(() => world.close());

describe('webhook subscriptions', () => {
  it('of the channel http show their secret once', async () => {
    const book = await world.createBook();
    const { status, body } = await book.post('/webhooks', { url: 'https://example.com/hook' });
    assert.equal(status, 200);
    const { id, createdAt, ...rest } = body['webhook'] as unknown as Record<string, unknown>;
    assert.deepEqual(rest, {
      channel: 'http',
      events: ['document.updated'],
      active: true,
      url: 'https://example.com/hook',
      token: 'test token',
    });
    assert.equal(typeof id, 'number');
    assert.equal(new Date(String(createdAt)).toISOString(), createdAt);
    const secret = String(body['secret']);
    assert.match(secret, /^whsec_/);
    assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
    const list = await book.requestInDocument('GET', '/webhooks');
    assert.deepEqual(list.body, { webhooks: [{ id, createdAt, ...rest }] });
  });

  it('of the channel messenger never show the bot token', async () => {
    const book = await world.createBook();
    const { status, body } = await book.post('/webhooks', {
      channel: 'messenger',
      botToken: '123:abc',
      chatId: '-100500',
      events: ['document.updated', 'document.updated'],
    });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['webhook']);
    assert.equal(memberAt(body, 'webhook')['chatId'], '-100500' as never);
    assert.deepEqual(memberAt(body, 'webhook')['events'], ['document.updated']);
    assert.equal(JSON.stringify((await book.requestInDocument('GET', '/webhooks')).body).includes('123:abc'), false);
  });

  it('are refused with the name of the missing or invalid field', async () => {
    const book = await world.createBook();
    const cases: readonly [body: object, field: string][] = [
      [{}, 'url'],
      [{ channel: 'http' }, 'url'],
      [{ channel: 'messenger', chatId: '1' }, 'botToken'],
      [{ channel: 'messenger', botToken: 'x' }, 'chatId'],
      [{ channel: 'pigeon', url: 'https://example.com' }, 'channel'],
      [{ url: 'https://example.com', events: [] }, 'events'],
      [{ url: 'https://example.com', events: ['document.deleted'] }, 'events.0'],
      [{ url: 5 }, 'url'],
      [{ url: 'example.com' }, 'url'],
      [{ url: 'ftp://example.com' }, 'url'],
      [{ url: 'javascript:alert(1)' }, 'url'],
      [{ url: 'https://user:secret@example.com' }, 'url'],
      [{ url: 'https://example.com:0/hook' }, 'url'],
      [{ url: 'http://example.com:00' }, 'url'],
      [{ url: 'https://example.com/\nhook' }, 'url'],
      [{ url: 'https://exam\tple.com/' }, 'url'],
      [{ url: 'https://example.com/\u0000' }, 'url'],
      [{ url: 'https://example.com/\u0085' }, 'url'],
      [{ url: 'https://example.com/\u007f' }, 'url'],
      [{ url: 'https://example.com/\r' }, 'url'],
      [{ url: 'https://example.com/\u202egpj.exe' }, 'url'],
      [{ url: `https://example.com/${'x'.repeat(2048)}` }, 'url'],
      [{ channel: 'messenger', botToken: 'x'.repeat(256), chatId: '1' }, 'botToken'],
      [{ channel: 'messenger', botToken: 'x', chatId: '1'.repeat(65) }, 'chatId'],
    ];
    for (const [body, field] of cases) {
      const answer = await book.post('/webhooks', body);
      assert.deepEqual(
        [answer.status, Object.keys(memberAt(answer.body, 'errors'))],
        [422, [field]],
        JSON.stringify(body),
      );
    }
  });

  it('are refused for private addresses in any notation', async () => {
    const book = await world.createBook();
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'api.localhost',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a9fe:a9fe]',
      '[::127.0.0.1]',
      '[64:ff9b::10.0.0.1]',
      '[fe80::1]',
      '[fd00::1]',
      '[2002:7f00:1::]',
      '224.0.0.1',
    ]) {
      const { status, body } = await book.post('/webhooks', { url: `http://${host}:8080/hook` });
      assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, ['url']], host);
    }
    for (const host of ['8.8.8.8', '172.32.0.1', '[2606:4700::1111]']) {
      assert.equal((await book.post('/webhooks', { url: `http://${host}/` })).status, 200, host);
    }
  });

  it('are available for tables only', async () => {
    const text = await world.createBook({ type: 'text' });
    const answer = await text.post('/webhooks', { url: 'https://example.com' });
    assert.deepEqual(pickStatusAndBody(answer), [422, { message: 'Document is not a table' }]);
  });

  it('end when they are deleted', async () => {
    const book = await world.createBook();
    const { body } = await book.post('/webhooks', { url: 'https://example.com' });
    const other = await world.createBook();
    const path = `/webhooks/${memberAt(body, 'webhook')['id']}`;
    const missing = [404, { message: 'Webhook not found' }];
    assert.deepEqual(pickStatusAndBody(await other.requestInDocument('DELETE', path)), missing);
    assert.deepEqual(pickStatusAndBody(await book.requestInDocument('DELETE', path)), [200, { success: true }]);
    assert.deepEqual(pickStatusAndBody(await book.requestInDocument('DELETE', path)), missing);
    for (const id of ['x', '0', '-1', '1.5', '99999999999999999999']) {
      assert.deepEqual(pickStatusAndBody(await book.requestInDocument('DELETE', `/webhooks/${id}`)), missing, id);
    }
  });

  it('are limited by the plan', async () => {
    const book = await world.createBook();
    const create = () => book.post('/webhooks', { url: 'https://example.com' });
    const answers = await Promise.all([create(), create(), create(), create()]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 422]);
    assert.deepEqual(pickStatusAndBody(await create()), [422, { message: 'Webhook limit reached' }]);
  });

  it('of other users are visible to and deletable by users with write access', async () => {
    const book = await world.createBook();
    const viewer = await world.addMember(book.document, 'view');
    const editor = await world.addMember(book.document, 'edit');
    const ownerWebhook = await book.post('/webhooks', { url: 'https://example.com:8443/owner?key=1' });
    await book.post('/webhooks', { channel: 'messenger', botToken: '1:secret', chatId: '-1001234567' });
    await viewer.api.post('/webhooks', { url: 'https://example.com/viewer' });
    const readListedTargets = async (api: typeof book) =>
      (
        (await api.requestInDocument('GET', '/webhooks')).body['webhooks'] as unknown as {
          url?: string;
          chatId?: string;
        }[]
      ).map(({ url, chatId }) => url ?? chatId);
    assert.deepEqual(await readListedTargets(viewer.api), ['https://example.com/viewer']);
    assert.deepEqual(await readListedTargets(editor.api), ['https://example.com:8443', '***67', 'https://example.com']);
    assert.deepEqual(await readListedTargets(book), [
      'https://example.com:8443/owner?key=1',
      '-1001234567',
      'https://example.com/viewer',
    ]);
    const path = `/webhooks/${memberAt(ownerWebhook.body, 'webhook')['id']}`;
    assert.deepEqual(pickStatusAndBody(await viewer.api.requestInDocument('DELETE', path)), [
      403,
      { message: 'Insufficient permissions' },
    ]);
    assert.equal((await editor.api.requestInDocument('DELETE', path)).status, 200);
  });
});

describe('a subscription of another user', () => {
  const FORBIDDEN = [403, { message: 'Insufficient permissions' }];

  /** Performs all operations of the webhook's creator, except deletion. */
  async function performAll(api: Api, webhook: string, delivery: string): Promise<readonly ApiResponse[]> {
    const path = `/webhooks/${webhook}`;
    return [
      await api.requestInDocument('PATCH', path, { body: { url: 'https://elsewhere.example.com' } }),
      await api.requestInDocument('PATCH', path, { body: { active: false } }),
      await api.requestInDocument('PATCH', path, { body: { events: ['document.updated'] } }),
      await api.post(`${path}/secret`, { overlapSeconds: 0 }),
      await api.post(`${path}/test`, undefined),
      await api.requestInDocument('GET', `${path}/deliveries`),
      await api.post(`${path}/deliveries/${delivery}/redeliver`, undefined),
      await api.post(`/deliveries/${delivery}/redeliver`, undefined),
    ];
  }

  it("is managed by its creator and the document's owner only", async () => {
    const book = await world.createBook();
    const editor = await world.addMember(book.document, 'edit');
    const another = await world.addMember(book.document, 'edit');
    const created = await Promise.all(
      [book, editor.api].map(async (api) => {
        const { body } = await api.post('/webhooks', { url: 'https://hooks.example.com/in' });
        const webhook = String(memberAt(body, 'webhook')['id']);
        const test = await api.post(`/webhooks/${webhook}/test`, undefined);
        return { webhook, delivery: String(memberAt(test.body, 'delivery')['deliveryId']) };
      }),
    );
    const [ownerWebhook, editorWebhook] = created as [(typeof created)[0], (typeof created)[0]];
    const before = JSON.stringify((await book.requestInDocument('GET', '/webhooks')).body);
    for (const answer of await performAll(editor.api, ownerWebhook.webhook, ownerWebhook.delivery)) {
      assert.deepEqual(pickStatusAndBody(answer), FORBIDDEN);
    }
    for (const answer of await performAll(another.api, editorWebhook.webhook, editorWebhook.delivery)) {
      assert.deepEqual(pickStatusAndBody(answer), FORBIDDEN);
    }
    assert.equal(JSON.stringify((await book.requestInDocument('GET', '/webhooks')).body), before);
    assert.equal(
      memberAt(
        (await book.requestInDocument('GET', `/webhooks/${ownerWebhook.webhook}/deliveries`)).body,
        'deliveries',
      )['total'],
      1,
    );
    assert.equal((await book.requestInDocument('GET', `/webhooks/${editorWebhook.webhook}/deliveries`)).status, 200);
    assert.equal((await book.post(`/webhooks/${editorWebhook.webhook}/secret`, {})).status, 200);
    assert.equal(
      (await editor.api.requestInDocument('PATCH', `/webhooks/${editorWebhook.webhook}`, { body: { active: false } }))
        .status,
      200,
    );
  });
});

describe('a subscription ends immediately', () => {
  const readStates = async (api: Api) =>
    ((await api.requestInDocument('GET', '/webhooks')).body['webhooks'] as unknown as Record<string, unknown>[]).map(
      ({ active, inactiveReason }) => [active, inactiveReason],
    );

  it('when its creator loses access to the document, permanently', async () => {
    const book = await world.createBook();
    const { api, id: userId } = await world.addMember(book.document, 'edit');
    await api.post('/webhooks', { url: 'https://example.com/member' });
    await world.share(book.document, userId, 'view');
    assert.deepEqual(await readStates(book), [[true, undefined]]);
    await world.share(book.document, userId, 'none');
    assert.deepEqual(await readStates(book), [[false, 'access']]);
    await world.share(book.document, userId, 'edit');
    assert.deepEqual(await readStates(book), [[false, 'access']]);
  });

  it('when its token is revoked', async () => {
    const book = await world.createBook();
    await book.post('/webhooks', { url: 'https://example.com/other-token' });
    const { api, id: userId } = await world.addMember(book.document, 'edit');
    await api.post('/webhooks', { url: 'https://example.com/member' });
    const { context } = world.server.service;
    const tokens = await listTokens(context, userId);
    assert.ok(!isRefusal(tokens));
    for (const { id } of tokens) await revokeToken(context, id);
    assert.deepEqual(await readStates(book), [
      [true, undefined],
      [false, 'token'],
    ]);
  });
});

describe('private networks', () => {
  it('are allowed for receivers if the operator configures them', async () => {
    const configuredWorld = await startWorld({ notifications: { allowPrivateNetworks: ['10.0.0.0/8', '::1/128'] } });
    try {
      const book = await configuredWorld.createBook();
      const createWebhookStatus = async (url: string) => (await book.post('/webhooks', { url })).status;
      assert.equal(await createWebhookStatus('http://10.9.8.7/'), 200);
      assert.equal(await createWebhookStatus('http://[::ffff:10.9.8.7]/'), 200);
      assert.equal(await createWebhookStatus('http://[::1]/'), 200);
      assert.equal(await createWebhookStatus('http://localhost/'), 200);
      assert.equal(await createWebhookStatus('http://192.168.1.1/'), 422);
    } finally {
      await configuredWorld.close();
    }
  });
});
