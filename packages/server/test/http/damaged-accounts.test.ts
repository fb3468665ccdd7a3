import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { SqlValue } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { damageColumn, findProblems, readRows } from '../../../store/test/damaged-rows.ts';
import { startReceiver } from '../notify/receiver.ts';
import { QUICK, toElements } from '../notify/support.ts';
import { Browser, createPerson, signInAs } from './browser.ts';
import { type Api, memberAt, startWorld, type World } from './support.ts';

/** A number of milliseconds that no date has. */
const AFTER_ALL_DATES = 9e15;
const MESSAGE = 'The token or its account is damaged in the database';

type DamagedTable = Parameters<typeof damageColumn>[1];

suite('damaged rows of accounts', { concurrency: false, timeout: 180_000 }, () => {
  let world: World;
  let sound: Api;

  before(async () => {
    world = await startWorld({ notifications: QUICK });
    sound = await world.createBook();
  });
  after(() => world.close());

  /** Flips a bit of the newest row, and lets the service read rights again. */
  async function damageNewest(table: DamagedTable, column: string, damaged?: SqlValue): Promise<void> {
    const { database } = world.server.service.context;
    const row = (await readRows(database, table)).toSorted((a, b) => Number(a['id']) - Number(b['id'])).at(-1);
    assert.ok(row !== undefined);
    await damageColumn(database, table, row, column, damaged);
    await database.write({ document: null, statements: [bumpAccessEpoch({})] });
  }

  async function createTokenOfNewUser(): Promise<{ readonly user: string; readonly api: Api }> {
    const { id: user } = await world.createUser();
    const api = world.apiFor(await world.createToken(user), await world.createDocument(user));
    assert.equal((await api.get('A1')).status, 200);
    return { user, api };
  }

  const CASES: readonly (readonly [table: DamagedTable, columns: readonly string[]])[] = [
    ['tokens', ['scopes', 'documents', 'expires_at', 'proposes', 'name', 'prefix', 'revoked_at', 'input_locale']],
    ['users', ['email', 'email_key', 'name', 'password_hash', 'password_once', 'disabled_at', 'created_at']],
    ['workspaces', ['plan', 'created_at']],
  ];
  for (const [table, columns] of CASES) {
    test(`a damaged row of ${table} makes its tokens invalid, and no others`, async () => {
      for (const column of columns) {
        const { api } = await createTokenOfNewUser();
        await damageNewest(table, column);
        for (const answer of [await api.get('A1'), await api.put('A1', [[1]]), await api.request('GET', '/documents')])
          assert.deepEqual([answer.status, answer.body['message']], [401, MESSAGE], `${table}.${column}`);
        assert.equal((await sound.put('A1', [[1]])).status, 200, `${table}.${column}`);
      }
    });
  }

  test('a damaged name of a workspace stops nobody', async () => {
    const { api } = await createTokenOfNewUser();
    await damageNewest('workspaces', 'name');
    assert.equal((await api.get('A1')).status, 200);
  });

  test('the list of tokens marks the damaged one, which can be revoked and replaced', async () => {
    const person = await createPerson(world);
    const browser = await signInAs(world, person);
    const create = async (name: string) => {
      const body = { name, scopes: ['sheets.read'], expiresAt: '2100-01-01T00:00:00Z' };
      const answer = await browser.request('POST', '/tokens', { body });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    await create('first');
    const second = await create('second');
    await damageNewest('tokens', 'scopes');
    await damageNewest('tokens', 'created_at', AFTER_ALL_DATES);
    const list = async () => toElements((await browser.request('GET', '/tokens')).body['tokens']);
    assert.deepEqual(
      (await list()).map((token) => [token['name'], token['damaged'] ?? false]),
      [
        ['second', true],
        ['first', false],
      ],
    );
    const id = memberAt(second, 'token', 'id');
    assert.equal((await browser.request('POST', `/tokens/${id}/rotate`)).status, 422);
    assert.equal((await browser.request('DELETE', `/tokens/${id}`)).status, 200);
    assert.notEqual((await list())[0]?.['revokedAt'], null);
  });

  test('a damaged user cannot sign in, and is marked among the members', async () => {
    const owner = await createPerson(world);
    const member = await createPerson(world, { workspace: owner.workspace });
    const session = await signInAs(world, member);
    await damageNewest('users', 'name');
    assert.equal((await session.request('GET', '/me')).status, 401);
    const again = new Browser(world.server.address);
    const answer = await again.signIn(member);
    assert.deepEqual([answer.status, answer.body['message']], [401, 'E-mail address or password is wrong']);
    const browser = await signInAs(world, owner);
    const { body } = await browser.request('GET', '/users');
    assert.deepEqual(
      toElements(body['users']).map((one) => [one['id'], one['damaged'] ?? false]),
      [
        [owner.id, false],
        [member.id, true],
      ],
    );
    // Changing the damaged name ends the damage.
    assert.equal((await browser.request('PATCH', `/users/${member.id}`, { body: { name: 'Mended' } })).status, 200);
    assert.equal((await again.signIn(member)).status, 200);
  });

  test('nobody manages a workspace whose owner is damaged', async () => {
    const owner = await createPerson(world);
    const browser = await signInAs(world, owner);
    assert.equal((await browser.request('PATCH', '/workspace', { body: { name: 'Before' } })).status, 200);
    await damageNewest('workspaces', 'owner_id');
    assert.equal((await browser.request('PATCH', '/workspace', { body: { name: 'After' } })).status, 403);
  });

  test('a damaged session is refused, and the list of sessions stays readable', async () => {
    const person = await createPerson(world);
    for (const column of ['expires_at', 'seen_at', 'created_at', 'agent']) {
      const browser = await signInAs(world, person);
      await damageNewest('sessions', column);
      assert.equal((await browser.request('GET', '/me')).status, 401, column);
    }
    const other = await signInAs(world, person);
    const { status, body } = await other.request('GET', '/sessions');
    assert.deepEqual([status, toElements(body['sessions']).length], [200, 5]);
  });

  test('a damaged invitation is refused and marked', async () => {
    const owner = await createPerson(world);
    const browser = await signInAs(world, owner);
    const created = await browser.request('POST', '/invitations', { body: { email: 'new@example.org' } });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    await damageNewest('invitations', 'email');
    const { body } = await browser.request('GET', '/invitations');
    assert.deepEqual(
      toElements(body['invitations']).map((one) => one['damaged']),
      [true],
    );
    const secret = /[\w-]{43}/.exec(String(memberAt(created.body, 'invitation', 'link')))?.[0] ?? '';
    const visitor = new Browser(world.server.address);
    const accepted = await visitor.request('POST', '/invitations/accept', {
      body: { invitation: secret, name: 'New', password: 'a long password' },
    });
    assert.deepEqual(
      [accepted.status, accepted.body['message']],
      [404, 'This invitation is damaged in the database; ask for another one'],
    );
  });

  test('a damaged subscription delivers nothing and is listed as damaged, until its url is set again', async (t) => {
    const book = await world.createBook();
    const [damaged, other] = [await startReceiver(t), await startReceiver(t)];
    assert.equal((await book.post('/webhooks', { url: other.url })).status, 200);
    const created = await book.post('/webhooks', { url: damaged.url });
    assert.equal(created.status, 200);
    const id = memberAt(created.body, 'webhook', 'id');
    await damageNewest('webhooks', 'url');
    const list = async () =>
      toElements((await book.requestInDocument('GET', '/webhooks')).body['webhooks']).map((one) => [
        one['active'],
        one['inactiveReason'],
      ]);
    assert.deepEqual(await list(), [
      [true, undefined],
      [false, 'damaged'],
    ]);
    assert.equal((await book.post(`/webhooks/${id}/test`, {})).status, 422);
    assert.equal((await book.put('A1', [[1]])).status, 200);
    await other.waitForRequests(1);
    const { body } = await book.requestInDocument('GET', `/webhooks/${id}/deliveries`);
    assert.equal(toElements(memberAt(body, 'deliveries', 'entries')).length, 0);
    assert.equal(
      (await book.requestInDocument('PATCH', `/webhooks/${id}`, { body: { url: damaged.url } })).status,
      200,
    );
    assert.deepEqual((await list())[1], [true, undefined]);
    assert.equal((await book.put('A1', [[2]])).status, 200);
    await damaged.waitForRequests(1);
  });

  test('the subscriptions of a damaged user or token deliver nothing, and stay', async (t) => {
    for (const table of ['users', 'tokens'] as const) {
      const { user, api } = await createTokenOfNewUser();
      const receiver = await startReceiver(t);
      assert.equal((await api.post('/webhooks', { url: receiver.url })).status, 200);
      const other = await startReceiver(t);
      const writer = await world.addMember(api.document, 'edit');
      assert.equal((await writer.api.post('/webhooks', { url: other.url })).status, 200);
      const { database } = world.server.service.context;
      const row = (await readRows(database, table)).find(
        (one) => String(one[table === 'users' ? 'id' : 'user_id']) === user,
      );
      assert.ok(row !== undefined);
      await damageColumn(database, table, row, 'name');
      await database.write({ document: null, statements: [bumpAccessEpoch({})] });
      assert.equal((await writer.api.put('A1', [[1]])).status, 200);
      await other.waitForRequests(1);
      assert.equal(receiver.received.length, 0);
      const { body } = await writer.api.requestInDocument('GET', '/webhooks');
      assert.deepEqual(
        toElements(body['webhooks']).map((one) => one['active']),
        [true, true],
      );
    }
  });

  test('a damaged proposal is listed as damaged and can be neither read nor applied', async () => {
    const book = await world.createBook();
    const propose = async (value: number) => {
      const answer = await book.requestInDocument('PUT', '/values/A1?propose=true', { body: { values: [[value]] } });
      assert.equal(answer.status, 202);
      return String(memberAt(answer.body, 'proposal', 'id'));
    };
    const { database } = world.server.service.context;
    for (const column of ['preview', 'counts', 'expires_at', 'base_revision', 'state', 'user_id']) {
      const [id, other] = [await propose(1), await propose(2)];
      const row = (await readRows(database, 'proposals')).find((one) => one['id'] === id);
      assert.ok(row !== undefined);
      await damageColumn(database, 'proposals', row, column);
      const { body } = await book.requestInDocument('GET', '/proposals');
      const marks = new Map(
        toElements(memberAt(body, 'proposals', 'entries')).map((one) => [String(one['id']), one['damaged'] ?? false]),
      );
      assert.deepEqual([marks.get(id), marks.get(other)], [true, false], column);
      for (const answer of [
        await book.requestInDocument('GET', `/proposals/${id}`),
        await book.post(`/proposals/${id}/apply`, {}),
      ])
        assert.deepEqual([answer.status, answer.body['message']], [503, 'Stored data is damaged'], column);
    }
    assert.ok((await findProblems(database)).length >= 6);
  });
});
