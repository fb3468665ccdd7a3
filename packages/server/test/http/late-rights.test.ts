import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import type { TokenScope } from '../../src/access/scopes.ts';
import { createToken, revokeToken } from '../../src/service/operator/tokens.ts';
import { setPlan } from '../../src/service/operator/users.ts';
import { type Answer, type Api, type Json, startWorld, type World } from './support.ts';

const interruption = new Interruption();
let world: World;
/** One user for all tests, whose rights begin anew with each: hashing a password takes long. */
let user: string;
before(async () => {
  world = await startWorld({ wrap: interruption.wrap, notifications: { allowPrivateNetworks: true } });
  user = (await world.user()).id;
});
after(() => world.close());

const CLOSED = { success: false, access: false };

interface Editor {
  readonly api: Api;
  readonly tokenId: number;
}

async function editorOf(book: Api): Promise<Editor> {
  await world.share(book.document, user, 'edit');
  await setPlan(world.server.service.context, { user, plan: 'enterprise' });
  const scopes: readonly TokenScope[] = ['sheets.read', 'sheets.write', 'sheets.webhooks'];
  const created = await createToken(world.server.service.context, { user, name: 'late', scopes });
  if ('kind' in created) throw new Error('no token');
  return { api: world.api(created.token, book.document), tokenId: created.id };
}

/** What can end a right, what the writer is then told, and the document afterwards. */
const ENDINGS: readonly {
  readonly name: string;
  readonly end: (book: Api, editor: Editor) => Promise<unknown>;
  readonly status: number;
  readonly body: unknown;
}[] = [
  {
    name: 'the token is revoked',
    end: (_, { tokenId }) => revokeToken(world.server.service.context, tokenId),
    status: 401,
    body: { message: 'Unauthenticated' },
  },
  {
    name: 'the share is taken back',
    end: (book) => world.share(book.document, user, 'none'),
    status: 403,
    body: CLOSED,
  },
  {
    name: 'the role becomes one that only reads',
    end: (book) => world.share(book.document, user, 'view'),
    status: 403,
    body: { message: 'Insufficient permissions' },
  },
  {
    name: 'the plan becomes one without writes',
    end: () => setPlan(world.server.service.context, { user, plan: 'free' }),
    status: 403,
    body: CLOSED,
  },
  {
    name: 'the sheet is locked',
    end: (book) => world.protect(book.document, 'Sheet1', { lock: true }),
    status: 403,
    body: { message: 'Sheet is protected' },
  },
];

describe('a write whose right ends', () => {
  for (const { name, end, status, body } of ENDINGS) {
    it(`while its body comes, as ${name}, is refused`, async () => {
      const book = await world.book();
      const editor = await editorOf(book);
      const slow = await beginPut(editor.api);
      await end(book, editor);
      assert.deepEqual(await finish(slow), { status, body });
      assert.equal(await book.cell('A1'), null);
    });

    it(`just before its commit, as ${name}, is refused`, async () => {
      const book = await world.book();
      const editor = await editorOf(book);
      interruption.beforeCommit(() => end(book, editor));
      const answer = await editor.api.put('A1', [['late']]);
      assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
      assert.equal(await book.cell('A1'), null);
    });

    it(`before a replay whose body comes slowly, as ${name}, gets no replay`, async () => {
      // A lock of the sheet does not take away the answer that was given before.
      if (status === 403 && name === 'the sheet is locked') return;
      const book = await world.book();
      const editor = await editorOf(book);
      assert.equal((await editor.api.put('A1', [['once']], { key: 'k' })).status, 200);
      const slow = await beginPut(editor.api, { 'idempotency-key': 'k' }, 'once');
      await end(book, editor);
      assert.deepEqual(await finish(slow), { status, body });
    });
  }
});

/** Rows of 30,000 letters; four times as many are far more than what waits between a service and a reader who takes nothing. */
const LONG = Array.from({ length: 200 }, () => ['long '.repeat(6_000)]);

describe('an answer that its reader takes slowly', () => {
  const endings = [
    ...ENDINGS.slice(0, 3),
    { name: 'the values are hidden', end: (book: Api) => world.protect(book.document, 'Sheet1', { hideValues: true }) },
  ];
  let book: Api;
  before(async () => {
    book = await world.book();
    for (let i = 0; i < 4; i++) assert.equal((await book.append('A1', LONG)).status, 200);
  });

  for (const path of ['/values/A1:A', '/content', '/export?format=csv']) {
    for (const { name, end } of endings) {
      const goesOn = name.includes('only reads');
      it(`${goesOn ? 'goes on' : 'breaks off'} where ${name}: ${path}`, async () => {
        await world.protect(book.document, 'Sheet1', { lock: true });
        const editor = await editorOf(book);
        const answer = await beginGet(editor.api, path);
        await end(book, editor);
        assert.equal(await isWhole(answer), goesOn);
      });
    }
  }
});

/** A long answer of which nothing is taken yet. */
async function beginGet({ base, token, document }: Api, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson, application/json;q=0.9' };
  const sent = request(`${base}/api/v1/documents/${document}${path}`, { headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Takes the rest of it. */
function isWhole(answer: IncomingMessage): Promise<boolean> {
  // Broken off before it had sent more than a reader has room for: nothing of it will come any more.
  if (answer.closed) return Promise.resolve(answer.complete);
  return new Promise((resolve) => {
    answer.on('error', () => {});
    answer.once('close', () => resolve(answer.complete));
    answer.resume();
  });
}

it('a change of access that is not the writer’s makes nobody fail', async () => {
  const book = await world.book();
  const editor = await editorOf(book);
  const stranger = await world.user();
  for (const role of ['edit', 'view', 'none']) {
    interruption.beforeCommit(() => world.share(book.document, stranger.id, role));
    assert.equal((await editor.api.append('A1', [[role]])).status, 200);
  }
  assert.equal((await book.audit())['total'], 3);
});

describe('a write whose body comes slowly', () => {
  it('is done, however long it takes', async () => {
    const book = await world.book();
    const { sent, rest, answered } = await beginPut(book);
    for (const piece of rest.slice(0, -1)) {
      sent.write(piece);
      await book.revision();
    }
    assert.equal((await finish({ sent, rest: rest.slice(-1), answered })).status, 200);
    assert.equal((await book.cell('A1'))['v'], 'late');
  });

  it('is told so where it takes longer than any may', async () => {
    const book = await world.book();
    const [{ sent, answered }, server] = await Promise.all([beginPut(book), asking()]);
    const { requestTimeout, headersTimeout } = server;
    Object.assign(server, { requestTimeout: 1, headersTimeout: 1 });
    sent.on('error', () => {});
    const [response] = (await answered) as [IncomingMessage];
    Object.assign(server, { requestTimeout, headersTimeout });
    assert.equal(response.statusCode, 408);
    assert.equal(await book.cell('A1'), null);
  });
});

/** The server that the next request comes to. */
function asking(): Promise<Server> {
  return new Promise((resolve) => {
    const started = (message: unknown) => {
      unsubscribe('http.server.request.start', started);
      resolve((message as { readonly server: Server }).server);
    };
    subscribe('http.server.request.start', started);
  });
}

/** All that can be done with a subscription that is the editor's own, by its path and that of a delivery. */
const STEERING: Readonly<Record<string, (editor: Api, webhook: string, delivery: string) => Promise<Answer>>> = {
  made: (editor) => editor.post('/webhooks', { url: 'https://hooks.example.com/late' }),
  changed: (editor, path) => editor.here('PATCH', path, { body: { url: 'https://hooks.example.com/late' } }),
  'switched off': (editor, path) => editor.here('PATCH', path, { body: { active: false } }),
  'given a new secret': (editor, path) => editor.post(`${path}/secret`, {}),
  tested: (editor, path) => editor.post(`${path}/test`, undefined),
  redelivered: (editor, _, delivery) => editor.post(`${delivery}/redeliver`, undefined),
  ended: (editor, path) => editor.here('DELETE', path),
};

describe('a subscription', () => {
  /** What there is, but for whether the subscriptions are active: they are not once their creator's rights have ended. */
  async function there(book: Api): Promise<unknown> {
    const { webhooks } = (await book.here('GET', '/webhooks')).body as unknown as {
      webhooks: readonly { id: number; url: string }[];
    };
    const audited = (await book.audit())['total'];
    return { webhooks: webhooks.map(({ id, url }) => ({ id, url })), audited };
  }

  /** A subscription at whose address nobody listens, with a delivery that waits for its second attempt. */
  async function subscribed(api: Api): Promise<{ readonly path: string; readonly delivery: string }> {
    const { webhook } = (await api.post('/webhooks', { url: 'http://127.0.0.1:9/' })).body as Json;
    const path = `/webhooks/${webhook?.['id']}`;
    await api.post(`${path}/test`, undefined);
    for (;;) {
      const { deliveries } = (await api.here('GET', `${path}/deliveries`)).body as Json;
      const delivery = deliveries?.['entries']?.[0];
      if ((delivery?.['state'] as unknown) === 'waiting' && Number(delivery?.['attempts']?.['length']) > 0) {
        return { path, delivery: `/deliveries/${delivery?.['deliveryId']}` };
      }
    }
  }

  for (const [done, steer] of Object.entries(STEERING)) {
    for (const { name, end, status, body } of ENDINGS.slice(0, 2)) {
      it(`is not ${done} where, just before the commit, ${name}`, async () => {
        const book = await world.book();
        const editor = await editorOf(book);
        const { path, delivery } = await subscribed(editor.api);
        const before = await there(book);
        interruption.beforeWriting('audit', () => end(book, editor));
        const answer = await steer(editor.api, path, delivery);
        assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
        assert.deepEqual(await there(book), before);
      });
    }

    it(`is ${done} where the rights of somebody else change just before the commit`, async () => {
      const book = await world.book();
      const editor = await editorOf(book);
      const { path, delivery } = await subscribed(editor.api);
      const stranger = await world.user();
      interruption.beforeWriting('audit', () => world.share(book.document, stranger.id, 'view'));
      assert.equal((await steer(editor.api, path, delivery)).status, 200);
    });
  }

  it('of somebody else’s is not ended by whom has just become a reader', async () => {
    const book = await world.book();
    const editor = await editorOf(book);
    const { webhook } = (await book.post('/webhooks', { url: 'https://hooks.example.com/' })).body as Json;
    interruption.beforeWriting('audit', () => world.share(book.document, user, 'view'));
    const answer = await editor.api.here('DELETE', `/webhooks/${webhook?.['id']}`);
    assert.deepEqual([answer.status, answer.body], [403, { message: 'Insufficient permissions' }]);
    assert.equal((await book.here('GET', '/webhooks')).body['webhooks']['length'], 1 as never);
  });

  it('is not made by whose plan has just become one without', async () => {
    const book = await world.book();
    const editor = await editorOf(book);
    interruption.beforeWriting('audit', () => setPlan(world.server.service.context, { user, plan: 'free' }));
    const answer = await editor.api.post('/webhooks', { url: 'https://hooks.example.com/' });
    assert.deepEqual([answer.status, answer.body], [403, CLOSED]);
  });
});

describe('a name of a revision', () => {
  for (const { name, end, status, body } of ENDINGS.slice(0, 4)) {
    it(`is not given where, just before the commit, ${name}`, async () => {
      const book = await world.book();
      const editor = await editorOf(book);
      await book.put('A1', [[1]]);
      interruption.beforeWriting('commits', () => end(book, editor));
      const answer = await editor.api.here('PUT', '/revisions/1', { body: { name: 'late' } });
      assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
      const { revisions } = (await book.here('GET', '/revisions')).body as Json;
      assert.equal(revisions?.['entries']?.[0]?.['name'], undefined);
    });
  }
});

const HALF = 10;

/** Sends a PUT up to the middle of its body. */
async function beginPut(api: Api, headers: Readonly<Record<string, string>> = {}, value = 'late'): Promise<Begun> {
  const body = JSON.stringify({ values: [[value]] });
  const sent = request(`${api.base}/api/v1/documents/${api.document}/values/A1`, {
    method: 'PUT',
    agent: false,
    headers: {
      authorization: `Bearer ${api.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
      ...headers,
    },
  });
  // The service goes on once it has looked at the header.
  sent.flushHeaders();
  const answered = once(sent, 'response');
  await once(sent, 'continue');
  sent.write(body.slice(0, HALF));
  return { sent, rest: body.slice(HALF), answered };
}

interface Begun {
  readonly sent: ClientRequest;
  readonly rest: string;
  /** May come before the rest is sent, where the header is looked at late. */
  readonly answered: Promise<unknown[]>;
}

async function finish({ sent, rest, answered }: Begun) {
  sent.end(rest);
  const [response] = (await answered) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, body: JSON.parse(text) };
}
