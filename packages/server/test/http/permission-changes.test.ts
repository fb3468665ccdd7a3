import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { Interruption } from '../../../store/test/interruption.ts';
import type { TokenScope } from '../../src/access/scopes.ts';
import { createToken, revokeToken } from '../../src/service/operator/tokens.ts';
import { setPlan } from '../../src/service/operator/users.ts';
import { type Api, type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

const interruption = new Interruption();
let world: World;
/** One user for all tests, because password hashing is slow. Each test resets the user's permissions. */
let user: string;
before(async () => {
  world = await startWorld({ wrap: interruption.wrap, notifications: { allowPrivateNetworks: true } });
  user = (await world.createUser()).id;
});
after(() => world.close());

const ACCESS_DENIED = { success: false, access: false };

interface Editor {
  readonly api: Api;
  readonly tokenId: number;
}

async function createEditor(book: Api): Promise<Editor> {
  await world.share(book.document, user, 'edit');
  await setPlan(world.server.service.context, { user, plan: 'enterprise' });
  const scopes: readonly TokenScope[] = ['sheets.read', 'sheets.write', 'sheets.webhooks'];
  const created = await createToken(world.server.service.context, { user, name: 'late', scopes });
  if ('kind' in created) throw new Error('no token');
  return { api: world.apiFor(created.token, book.document), tokenId: created.id };
}

/** Ways to lose a permission, and the refusal of the later write. */
const REVOCATIONS: readonly {
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
    name: 'the share is removed',
    end: (book) => world.share(book.document, user, 'none'),
    status: 403,
    body: ACCESS_DENIED,
  },
  {
    name: 'the role becomes read-only',
    end: (book) => world.share(book.document, user, 'view'),
    status: 403,
    body: { message: 'Insufficient permissions' },
  },
  {
    name: 'the plan no longer includes writes',
    end: () => setPlan(world.server.service.context, { user, plan: 'free' }),
    status: 403,
    body: ACCESS_DENIED,
  },
  {
    name: 'the sheet is locked',
    end: (book) => world.protect(book.document, 'Sheet1', { lock: true }),
    status: 403,
    body: { message: 'Sheet is protected' },
  },
];

describe('a write whose permission ends', () => {
  for (const { name, end, status, body } of REVOCATIONS) {
    it(`while the body is sent is refused (${name})`, async () => {
      const book = await world.createBook();
      const editor = await createEditor(book);
      const slow = await startPut(editor.api);
      await end(book, editor);
      assert.deepEqual(await finishRequest(slow), { status, body });
      assert.equal(await book.cell('A1'), null);
    });

    it(`just before the commit is refused (${name})`, async () => {
      const book = await world.createBook();
      const editor = await createEditor(book);
      interruption.beforeCommit(() => end(book, editor));
      const answer = await editor.api.put('A1', [['late']]);
      assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
      assert.equal(await book.cell('A1'), null);
    });

    it(`before a replay with a slow body gets no replay (${name})`, async () => {
      // A lock of the sheet does not prevent the replay.
      if (status === 403 && name === 'the sheet is locked') return;
      const book = await world.createBook();
      const editor = await createEditor(book);
      assert.equal((await editor.api.put('A1', [['once']], { key: 'k' })).status, 200);
      const slow = await startPut(editor.api, { 'idempotency-key': 'k' }, 'once');
      await end(book, editor);
      assert.deepEqual(await finishRequest(slow), { status, body });
    });
  }
});

/** Rows of 30,000 letters. Four times as many exceed all buffers between a service and a reader that does not read. */
const LONG = Array.from({ length: 200 }, () => ['long '.repeat(6_000)]);

describe('a response to a slow reader', () => {
  const revocations = [
    ...REVOCATIONS.slice(0, 3),
    { name: 'the values are hidden', end: (book: Api) => world.protect(book.document, 'Sheet1', { hideValues: true }) },
  ];
  let book: Api;
  before(async () => {
    book = await world.createBook();
    for (let i = 0; i < 4; i++) assert.equal((await book.append('A1', LONG)).status, 200);
  });

  for (const path of ['/values/A1:A', '/content', '/export?format=csv']) {
    for (const { name, end } of revocations) {
      const isComplete = name.includes('read-only');
      it(`${isComplete ? 'completes' : 'is aborted'} if ${name}: ${path}`, async () => {
        await world.protect(book.document, 'Sheet1', { lock: true });
        const editor = await createEditor(book);
        const answer = await startGet(editor.api, path);
        await end(book, editor);
        assert.equal(await readsCompletely(answer), isComplete);
      });
    }
  }
});

/** Starts a long response without reading its body. */
async function startGet({ base, token, document }: Api, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson, application/json;q=0.9' };
  const sent = request(`${base}/api/v1/documents/${document}${path}`, { headers, agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  return answer;
}

/** Reads the rest of the body. Resolves to true if the body is complete. */
function readsCompletely(answer: IncomingMessage): Promise<boolean> {
  // A response that was aborted before this point emits no further event.
  if (answer.closed) return Promise.resolve(answer.complete);
  return new Promise((resolve) => {
    answer.on('error', () => {});
    answer.once('close', () => resolve(answer.complete));
    answer.resume();
  });
}

it('an access change of another user does not fail a write', async () => {
  const book = await world.createBook();
  const editor = await createEditor(book);
  const stranger = await world.createUser();
  for (const role of ['edit', 'view', 'none']) {
    interruption.beforeCommit(() => world.share(book.document, stranger.id, role));
    assert.equal((await editor.api.append('A1', [[role]])).status, 200);
  }
  assert.equal((await book.listAuditEntries())['total'], 3);
});

describe('a write with a slow body', () => {
  it('succeeds within the time limit', async () => {
    const book = await world.createBook();
    const { sent, rest, responsePromise } = await startPut(book);
    for (const piece of rest.slice(0, -1)) {
      sent.write(piece);
      await book.revision();
    }
    assert.equal((await finishRequest({ sent, rest: rest.slice(-1), responsePromise })).status, 200);
    assert.equal((await book.cell('A1'))['v'], 'late');
  });

  it('gets 408 if it exceeds the request timeout', async () => {
    const book = await world.createBook();
    const [{ sent, responsePromise }, server] = await Promise.all([startPut(book), waitForRequestServer()]);
    const { requestTimeout, headersTimeout } = server;
    Object.assign(server, { requestTimeout: 1, headersTimeout: 1 });
    sent.on('error', () => {});
    const [response] = (await responsePromise) as [IncomingMessage];
    Object.assign(server, { requestTimeout, headersTimeout });
    assert.equal(response.statusCode, 408);
    assert.equal(await book.cell('A1'), null);
  });
});

/** The server that receives the next request. */
function waitForRequestServer(): Promise<Server> {
  return new Promise((resolve) => {
    const onStart = (message: unknown) => {
      unsubscribe('http.server.request.start', onStart);
      resolve((message as { readonly server: Server }).server);
    };
    subscribe('http.server.request.start', onStart);
  });
}

/** All operations on a subscription of the editor, with its path and the path of a delivery. */
const SUBSCRIPTION_OPERATIONS: Readonly<
  Record<string, (editor: Api, webhook: string, delivery: string) => Promise<ApiResponse>>
> = {
  created: (editor) => editor.post('/webhooks', { url: 'https://hooks.example.com/late' }),
  changed: (editor, path) =>
    editor.requestInDocument('PATCH', path, { body: { url: 'https://hooks.example.com/late' } }),
  deactivated: (editor, path) => editor.requestInDocument('PATCH', path, { body: { active: false } }),
  rotated: (editor, path) => editor.post(`${path}/secret`, {}),
  tested: (editor, path) => editor.post(`${path}/test`, undefined),
  redelivered: (editor, _, delivery) => editor.post(`${delivery}/redeliver`, undefined),
  deleted: (editor, path) => editor.requestInDocument('DELETE', path),
};

describe('a subscription', () => {
  /** Subscriptions and audit entries. `active` is omitted, because it changes with the creator's permissions. */
  async function readStoredState(book: Api): Promise<unknown> {
    const { webhooks } = (await book.requestInDocument('GET', '/webhooks')).body as unknown as {
      webhooks: readonly { id: number; url: string }[];
    };
    const auditEntries = (await book.listAuditEntries())['total'];
    return { webhooks: webhooks.map(({ id, url }) => ({ id, url })), audited: auditEntries };
  }

  /** Creates a subscription to an address without a listener, with a delivery that waits for its second attempt. */
  async function createFailingSubscription(api: Api): Promise<{ readonly path: string; readonly delivery: string }> {
    const { webhook } = (await api.post('/webhooks', { url: 'http://127.0.0.1:9/' })).body as Json;
    const path = `/webhooks/${webhook?.['id']}`;
    await api.post(`${path}/test`, undefined);
    for (;;) {
      const { deliveries } = (await api.requestInDocument('GET', `${path}/deliveries`)).body as Json;
      const delivery = deliveries?.['entries']?.[0];
      if ((delivery?.['state'] as unknown) === 'waiting' && Number(delivery?.['attempts']?.['length']) > 0) {
        return { path, delivery: `/deliveries/${delivery?.['deliveryId']}` };
      }
    }
  }

  for (const [operation, perform] of Object.entries(SUBSCRIPTION_OPERATIONS)) {
    for (const { name, end, status, body } of REVOCATIONS.slice(0, 2)) {
      it(`is not ${operation} if, just before the commit, ${name}`, async () => {
        const book = await world.createBook();
        const editor = await createEditor(book);
        const { path, delivery } = await createFailingSubscription(editor.api);
        const before = await readStoredState(book);
        interruption.beforeWriting('audit', () => end(book, editor));
        const answer = await perform(editor.api, path, delivery);
        assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
        assert.deepEqual(await readStoredState(book), before);
      });
    }

    it(`is ${operation} if the permissions of another user change just before the commit`, async () => {
      const book = await world.createBook();
      const editor = await createEditor(book);
      const { path, delivery } = await createFailingSubscription(editor.api);
      const stranger = await world.createUser();
      interruption.beforeWriting('audit', () => world.share(book.document, stranger.id, 'view'));
      assert.equal((await perform(editor.api, path, delivery)).status, 200);
    });
  }

  it('of another user is not deleted by an editor who has just become a viewer', async () => {
    const book = await world.createBook();
    const editor = await createEditor(book);
    const { webhook } = (await book.post('/webhooks', { url: 'https://hooks.example.com/' })).body as Json;
    interruption.beforeWriting('audit', () => world.share(book.document, user, 'view'));
    const answer = await editor.api.requestInDocument('DELETE', `/webhooks/${webhook?.['id']}`);
    assert.deepEqual([answer.status, answer.body], [403, { message: 'Insufficient permissions' }]);
    assert.equal(memberAt((await book.requestInDocument('GET', '/webhooks')).body, 'webhooks', 'length'), 1 as never);
  });

  it('is not created by a user whose plan has just changed to one without webhooks', async () => {
    const book = await world.createBook();
    const editor = await createEditor(book);
    interruption.beforeWriting('audit', () => setPlan(world.server.service.context, { user, plan: 'free' }));
    const answer = await editor.api.post('/webhooks', { url: 'https://hooks.example.com/' });
    assert.deepEqual([answer.status, answer.body], [403, ACCESS_DENIED]);
  });
});

describe('the name of a revision', () => {
  for (const { name, end, status, body } of REVOCATIONS.slice(0, 4)) {
    it(`is not set if, just before the commit, ${name}`, async () => {
      const book = await world.createBook();
      const editor = await createEditor(book);
      await book.put('A1', [[1]]);
      interruption.beforeWriting('commits', () => end(book, editor));
      const answer = await editor.api.requestInDocument('PUT', '/revisions/1', { body: { name: 'late' } });
      assert.deepEqual({ status: answer.status, body: answer.body }, { status, body });
      const { revisions } = (await book.requestInDocument('GET', '/revisions')).body as Json;
      assert.equal(revisions?.['entries']?.[0]?.['name'], undefined);
    });
  }
});

const HALF = 10;

/** Sends a PUT up to the middle of its body. */
async function startPut(
  api: Api,
  headers: Readonly<Record<string, string>> = {},
  value = 'late',
): Promise<StartedRequest> {
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
  // The service continues after it has checked the headers.
  sent.flushHeaders();
  const responsePromise = once(sent, 'response');
  await once(sent, 'continue');
  sent.write(body.slice(0, HALF));
  return { sent, rest: body.slice(HALF), responsePromise };
}

interface StartedRequest {
  readonly sent: ClientRequest;
  readonly rest: string;
  /** May resolve before the rest of the body is sent. */
  readonly responsePromise: Promise<unknown[]>;
}

async function finishRequest({ sent, rest, responsePromise }: StartedRequest) {
  sent.end(rest);
  const [response] = (await responsePromise) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += part;
  return { status: response.statusCode, body: JSON.parse(text) };
}
