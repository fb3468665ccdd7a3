import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attemptsOf } from '@cellwire/store/accounts';
import { runMaintenanceRound } from '../../src/documents/maintenance.ts';
import { SESSION_IDLE_MS, SESSION_LIFE_MS } from '../../src/limits/console.ts';
import { createAccountKey } from '../../src/service/accounts/attempts.ts';
import { Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type Json, memberAt, ON_ONE_NODE, startWorld, type World } from './support.ts';

let now = Date.parse('2026-05-04T12:00:00Z');
let world: World;
let olga: Person;
let mia: Person;
before(async () => {
  world = await startWorld({ clock: () => now });
  olga = await createPerson(world);
  mia = await createPerson(world, { workspace: olga.workspace });
});
after(() => world.close());

const listRows = (list: Json) => list as unknown as Json[];
const listTexts = (list: Json, name: string) => listRows(list).map((row) => String(row[name]));

describe('the document log in the console', () => {
  it('contains browser edits and filters by user, origin, action and time', async () => {
    const id = await world.createDocument(String(olga.id));
    const api = world.apiFor(await world.createToken(String(olga.id)), id);
    const browser = await signInAs(world, olga);
    await world.share(id, String(mia.id), 'edit');
    const miaBrowser = await signInAs(world, mia);
    const write = (by: Browser, range: string) =>
      by.request('PUT', `/api/documents/${id}/values/${range}`, { body: { values: [[1]] } });
    await api.put('A1', [[1]]);
    now += 60_000;
    await write(browser, 'B1');
    await api.clear('A1');
    const middle = new Date(now).toISOString();
    now += 60_000;
    await write(miaBrowser, 'C1');
    const read = async (query: string) =>
      memberAt((await browser.request('GET', `/documents/${id}/log${query}`)).body, 'log');
    const all = await read('');
    assert.deepEqual(listTexts(memberAt(all, 'entries'), 'action'), [
      'update',
      'clear',
      'update',
      'update',
      'document.share',
    ]);
    assert.deepEqual(listTexts(memberAt(all, 'entries'), 'origin'), ['browser', 'api', 'browser', 'api', 'operator']);
    assert.deepEqual([all['total'], all['tokens']], [5, ['test token']]);
    assert.deepEqual(
      [all['actions'], all['origins']],
      [
        ['clear', 'document.share', 'update'],
        ['api', 'browser', 'operator'],
      ],
    );
    assert.deepEqual(all['users'], [
      { id: olga.id, name: olga.name },
      { id: mia.id, name: mia.name },
    ]);
    const cases: readonly [query: string, ranges: readonly string[]][] = [
      ['?origin=browser', ['Sheet1!C1', 'Sheet1!B1']],
      ['?action=clear', ['Sheet1!A1']],
      [`?user=${mia.id}`, ['Sheet1!C1']],
      ['?origin=operator', ['']],
      ['?token=test%20token', ['Sheet1!A1', 'Sheet1!A1']],
      [`?since=${middle}`, ['Sheet1!C1', 'Sheet1!A1', 'Sheet1!B1']],
      [`?until=${middle}`, ['Sheet1!A1', '']],
      ['?origin=browser&user=0', []],
      ['?offset=1&limit=2', ['Sheet1!A1', 'Sheet1!B1']],
    ];
    for (const [query, ranges] of cases) {
      const ranges_ = listRows(memberAt(await read(query), 'entries')).map((row) =>
        String(memberAt(row, 'properties')['range']),
      );
      assert.deepEqual(ranges_, ranges, query);
    }
    for (const query of ['?since=yesterday', '?user=me', '?limit=0']) {
      assert.equal((await browser.request('GET', `/documents/${id}/log${query}`)).status, 422, query);
    }
    const stranger = await signInAs(world, await createPerson(world));
    assert.equal((await stranger.request('GET', `/documents/${id}/log`)).status, 403);
  });
});

describe('the account log', () => {
  it('shows sign-ins and permission changes to the owner, other users only their own, and no secrets', async () => {
    const browser = await signInAs(world, olga);
    const { token } = (await browser.request('POST', '/tokens', { body: { name: 'import', scopes: ['sheets.read'] } }))
      .body;
    const { body } = await browser.request('POST', '/invitations', { body: { email: 'new@example.org' } });
    await new Browser(world.server.address).signIn({ ...mia, password: 'wrong horse' });
    await browser.request('PATCH', `/users/${mia.id}`, { body: { disabled: true } });
    await browser.request('PATCH', `/users/${mia.id}`, { body: { disabled: false } });
    const { log } = (await browser.request('GET', '/log?limit=6')).body;
    const expected = ['user.enable', 'user.disable', 'signIn.failed', 'invitation.create', 'token.create', 'signIn'];
    assert.deepEqual(listTexts(memberAt(log, 'entries'), 'action'), expected);
    const [enabled, , failed, , created] = listRows(memberAt(log, 'entries'));
    assert.deepEqual([enabled?.['userName'], enabled?.['subject']], [olga.name, mia.name]);
    assert.deepEqual([failed?.['userName'], failed?.['subject'], failed?.['address']], ['', mia.name, '127.0.0.1']);
    assert.equal(created?.['detail'], 'import');
    const all = JSON.stringify((await browser.request('GET', '/log?limit=200')).body);
    const secrets = [
      String(memberAt(token, 'secret')),
      String(memberAt(body, 'invitation')['link']).split('#')[1] ?? '',
      olga.password,
    ];
    for (const secret of [...secrets, 'wrong horse']) assert.equal(all.includes(secret), false, secret);
    const miaBrowser = await signInAs(world, mia);
    const own = (await miaBrowser.request('GET', '/log')).body['log'];
    for (const row of listRows(memberAt(own, 'entries')))
      assert.ok([row['userName'], row['subject']].map(String).includes(mia.name));
  });
});

describe('usage figures', () => {
  it('contain the last use and request count of tokens, without console requests', async () => {
    const person_ = await createPerson(world);
    const api = world.apiFor(await world.createToken(String(person_.id)));
    for (let i = 0; i < 3; i++) await api.request('GET', '/documents');
    const usedAt = now;
    world = await world.restart();
    const browser = await signInAs(world, person_);
    const { tokens } = (await browser.request('GET', '/tokens')).body;
    assert.equal(memberAt(tokens, 0)['lastUsedAt'], new Date(usedAt).toISOString());
    const usage = memberAt((await browser.request('GET', '/usage')).body, 'usage');
    const period = new Date(usedAt - (usedAt % (5 * 60_000))).toISOString();
    assert.deepEqual(usage['periods'], [{ at: period, requests: 3, refused: 0 }]);
    assert.deepEqual([usage['periodSeconds'], memberAt(usage, 'agentQuota')['unlimited']], [300, true]);
  });

  it('extends an active session until its maximum lifetime', async () => {
    const { cookie } = await signInAs(world, olga);
    const began = now;
    const requestStatus = async () => {
      // After a restart the service has another address.
      const browser = new Browser(world.server.address);
      browser.cookie = cookie;
      return (await browser.request('GET', '/me')).status;
    };
    while (now + SESSION_IDLE_MS - 1 < began + SESSION_LIFE_MS) {
      now += SESSION_IDLE_MS - 1;
      assert.equal(await requestStatus(), 200);
      world = await world.restart();
    }
    now = began + SESSION_LIFE_MS;
    assert.equal(await requestStatus(), 401);
  });
});

describe('the people of a document', () => {
  it('are listed to its owner', async () => {
    const id = await world.createDocument(String(olga.id));
    await world.share(id, String(mia.id), 'comment');
    const { shares } = (await (await signInAs(world, olga)).request('GET', `/documents/${id}/shares`)).body;
    assert.deepEqual(shares, [{ user: { id: mia.id, name: mia.name, email: mia.email }, role: 'comment' }]);
    const refused = await (await signInAs(world, mia)).request('GET', `/documents/${id}/shares`);
    assert.deepEqual([refused.status, refused.body], [403, { message: 'Insufficient permissions' }]);
  });

  it('see the positions of others, except on sheets hidden from them', ON_ONE_NODE, async () => {
    const id = await world.createDocument(String(olga.id));
    await world.share(id, String(mia.id), 'view');
    await world.protect(id, 'Sheet1', { hideValues: true });
    const [olgaBrowser, miaBrowser] = [await signInAs(world, olga), await signInAs(world, mia)];
    const reportPosition = (browser: Browser, tab: string, range: string | null) =>
      browser.request('PUT', `/documents/${id}/presence`, { body: { tab, range } });
    assert.deepEqual((await reportPosition(olgaBrowser, 'a', 'Sheet1!B2')).body, { present: [] });
    const hidden = memberAt((await reportPosition(miaBrowser, 'a', 'Sheet1!A1')).body, 'present');
    assert.deepEqual(
      listRows(hidden).map(({ range }) => range),
      [null],
    );
    const others = (await reportPosition(olgaBrowser, 'a', 'Sheet1!B3')).body['present'];
    assert.deepEqual(memberAt(others, 0)['user'], { id: mia.id, name: mia.name });
    assert.equal(memberAt(others, 0)['range'], 'Sheet1!A1');
    await reportPosition(miaBrowser, 'a', null);
    assert.deepEqual((await reportPosition(olgaBrowser, 'a', 'Sheet1!B3')).body, { present: [] });
    now += 30_000;
    assert.deepEqual((await reportPosition(miaBrowser, 'a', 'Sheet1!A1')).body, { present: [] });
    assert.equal((await reportPosition(miaBrowser, 'a', 'Nowhere!A1')).status, 404);
    const stranger = await signInAs(world, await createPerson(world));
    assert.equal((await reportPosition(stranger, 'a', 'A1')).status, 403);
  });
});

it('deletes expired log entries and sign-in attempts', async () => {
  const { context } = world.server.service;
  await new Browser(world.server.address).signIn({ email: 'nobody@example.org', password: 'wrong horse' });
  const key = createAccountKey('nobody@example.org');
  const readStoredAttempts = () => context.database.read(attemptsOf({ key }));
  const environment = { ...context, onError: assert.fail };
  const settings = { auditDays: 365, idempotencyMs: 1, history: { retentionDays: 1, maxRevisions: 1 }, trashDays: 30 };
  await runMaintenanceRound(environment, settings);
  assert.equal((await readStoredAttempts()).length, 1);
  now += 366 * 24 * 60 * 60 * 1000;
  await runMaintenanceRound(environment, settings);
  assert.equal((await readStoredAttempts()).length, 0);
  const { log } = (await (await signInAs(world, olga)).request('GET', '/log')).body;
  assert.deepEqual(listTexts(memberAt(log, 'entries'), 'action'), ['signIn']);
});
