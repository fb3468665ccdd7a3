import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { INVITATION_LIFE_MS } from '../../src/limits/console.ts';
import { Browser, type Person, person, signedIn } from './browser.ts';
import { type Answer, type Json, startWorld, type World } from './support.ts';

let now = Date.parse('2026-05-04T12:00:00Z');
let world: World;
/** The owner of a workspace, and a member. */
let olga: Person;
let mia: Person;
let owner: Browser;
let member: Browser;

before(async () => {
  world = await startWorld({ clock: () => now });
  olga = await person(world);
  mia = await person(world, { workspace: olga.workspace });
  owner = await signedIn(world, olga);
  member = await signedIn(world, mia);
});
after(() => world.close());

const FORBIDDEN = { message: 'Insufficient permissions' };
const GONE = { message: 'This invitation is not valid any more' };

async function invited(email: string): Promise<{ readonly id: number; readonly secret: string }> {
  const { status, body } = await owner.ask('POST', '/invitations', { body: { email } });
  assert.equal(status, 200);
  const link = String(body['invitation']['link']);
  assert.ok(link.startsWith(`${world.server.address}/invite#`), link);
  return { id: Number(body['invitation']['id']), secret: new URL(link).hash.slice(1) };
}

function accept(invitation: string, name = 'Nina', password = 'long enough'): Promise<Answer & { browser: Browser }> {
  const browser = new Browser(world.server.address);
  const asked = browser.ask('POST', '/invitations/accept', { body: { invitation, name, password } });
  return asked.then((answer) => ({ ...answer, browser }));
}

describe('the users of a workspace', () => {
  it('are listed to each of them, and nobody else', async () => {
    const stranger = await signedIn(world, await person(world));
    const { users } = (await member.ask('GET', '/users')).body;
    const rows = users as unknown as Json[];
    assert.deepEqual(
      rows.map((row) => [row['id'], row['owner'], row['disabled'], typeof row['lastSignInAt']]),
      [
        [olga.id, true, false, 'string'],
        [mia.id, false, false, 'string'],
      ],
    );
    assert.doesNotMatch(JSON.stringify((await stranger.ask('GET', '/users')).body), new RegExp(mia.email));
  });

  it('are managed by its owner alone, who manages nobody else', async () => {
    const other = await person(world);
    const stranger = await signedIn(world, other);
    const asked: readonly [method: string, path: string, body?: object][] = [
      ['PATCH', `/users/${mia.id}`, { disabled: true }],
      ['POST', `/users/${mia.id}/password`],
      ['POST', `/users/${mia.id}/transfer`, { to: olga.id }],
      ['GET', '/invitations'],
      ['POST', '/invitations', { email: 'x@example.org' }],
      ['DELETE', '/invitations/1'],
    ];
    for (const [method, path, body] of asked) {
      const refused = await member.ask(method, path, { body });
      assert.deepEqual([refused.status, refused.body], [403, FORBIDDEN], `${method} ${path}`);
    }
    for (const [method, path, body] of asked.slice(0, 3)) {
      assert.equal((await stranger.ask(method, path, { body })).status, 404, `${method} ${path}`);
    }
    assert.equal((await member.ask('GET', '/me')).status, 200);
  });

  it('who are disabled are out at once, with sessions and tokens, until they are enabled', async () => {
    const who = await person(world, { workspace: olga.workspace });
    const browser = await signedIn(world, who);
    const api = world.api(await world.token(String(who.id)));
    assert.equal((await api.request('GET', '/documents')).status, 200);
    const disabled = await owner.ask('PATCH', `/users/${who.id}`, { body: { disabled: true } });
    assert.deepEqual([disabled.status, disabled.body['user']['disabled']], [200, true]);
    assert.equal((await browser.ask('GET', '/me')).status, 401);
    assert.equal((await api.request('GET', '/documents')).status, 401);
    assert.equal((await browser.signIn(who)).status, 401);
    await owner.ask('PATCH', `/users/${who.id}`, { body: { disabled: false } });
    assert.equal((await browser.ask('GET', '/me')).status, 401);
    assert.equal((await browser.signIn(who)).status, 200);
    assert.equal((await api.request('GET', '/documents')).status, 200);
    const self = await owner.ask('PATCH', `/users/${olga.id}`, { body: { disabled: true } });
    assert.equal(self.status, 422);
  });

  it('who lost their password get a one-time one, and their sessions end', async () => {
    const who = await person(world, { workspace: olga.workspace });
    const browser = await signedIn(world, who);
    const { password } = (await owner.ask('POST', `/users/${who.id}/password`)).body;
    assert.equal((await browser.ask('GET', '/me')).status, 401);
    assert.equal((await browser.signIn(who)).status, 401);
    const { body } = await browser.signIn({ ...who, password: String(password) });
    assert.equal(body['me']['mustChangePassword'], true);
  });

  it('hand on their documents, whose hidden sheets are seen by the new owner', async () => {
    const leaving = await person(world, { workspace: olga.workspace });
    const id = await world.document(String(leaving.id));
    const kept = world.api(await world.token(String(leaving.id)), id);
    await kept.put('Sheet1!A1', [['secret']]);
    await kept.addSheet('Open');
    await kept.put('Open!A1', [['=Sheet1!A1']]);
    await world.share(id, String(mia.id), 'edit');
    const mine = world.api(await world.token(String(mia.id)), id);
    await mine.put('Open!B1', [['=Sheet1!A1']]);
    await world.protect(id, 'Sheet1', { hideValues: true });
    assert.equal((await mine.cell('Open!B1'))['v'], '#REF!');
    const given = await owner.ask('POST', `/users/${leaving.id}/transfer`, { body: { to: mia.id } });
    assert.deepEqual([given.status, given.body], [200, { transferred: 1, remaining: 0 }]);
    assert.equal((await kept.get('Sheet1!A1')).status, 403);
    // The owner's formulas are the document's; the new one's own see what an owner sees.
    for (const cell of ['Sheet1!A1', 'Open!A1', 'Open!B1']) {
      assert.equal((await mine.cell(cell))['v'], 'secret', cell);
    }
    const { document } = (await mine.here('GET', '')).body;
    assert.equal(document['permission'], 'owner');
    const actions = (await mine.audit())['entries'] as unknown as Json[];
    assert.ok(!actions.some(({ action }) => String(action) === 'document.transfer'));
    const again = await owner.ask('POST', `/users/${leaving.id}/transfer`, { body: { to: mia.id } });
    assert.deepEqual(again.body, { transferred: 0, remaining: 0 });
    const nowhere = await owner.ask('POST', `/users/${leaving.id}/transfer`, { body: { to: leaving.id } });
    assert.equal(nowhere.status, 422);
  });
});

describe('an invitation', () => {
  it('makes one user of whoever has its link, once', async () => {
    const { secret } = await invited('Nina@example.org');
    const browser = new Browser(world.server.address);
    const look = await browser.ask('POST', '/invitations/look', { body: { invitation: secret } });
    assert.equal(look.body['invitation']['email'], 'Nina@example.org');
    assert.equal(look.body['invitation']['workspace'], olga.name);
    const [first, second] = await Promise.all([accept(secret), accept(secret)]);
    const [joined, late] = first.status === 200 ? [first, second] : [second, first];
    assert.deepEqual([joined.status, late.status, late.body], [200, 404, GONE]);
    assert.equal(joined.body['me']['workspace']['id'], olga.workspace);
    assert.equal(joined.body['me']['workspace']['owner'], false);
    assert.equal((await joined.browser.ask('GET', '/api/documents')).status, 200);
    assert.equal((await accept(secret)).status, 404);
    const known = await owner.ask('POST', '/invitations', { body: { email: 'nina@example.org' } });
    assert.deepEqual([known.status, Object.keys(known.body['errors'])], [422, ['email']]);
  });

  it('can be taken back, and ends by itself', async () => {
    const back = await invited('back@example.org');
    const listed = (await owner.ask('GET', '/invitations')).body['invitations'] as unknown as Json[];
    assert.deepEqual([listed[0]?.['email'], listed[0]?.['invitedBy']], ['back@example.org', olga.name]);
    assert.doesNotMatch(JSON.stringify(listed), new RegExp(back.secret));
    assert.equal((await owner.ask('DELETE', `/invitations/${back.id}`)).status, 200);
    assert.equal((await owner.ask('DELETE', `/invitations/${back.id}`)).status, 404);
    assert.deepEqual((await accept(back.secret)).body, GONE);
    const late = await invited('late@example.org');
    now += INVITATION_LIFE_MS;
    assert.deepEqual((await accept(late.secret)).body, GONE);
    owner = await signedIn(world, olga);
    member = await signedIn(world, mia);
  });

  it('is not used up by what is wrong', async () => {
    const { secret } = await invited('careful@example.org');
    assert.equal((await accept(secret, ' ')).status, 422);
    for (const bad of ['short', 'Careful@example.org', 'password123', 'Qwertyuiop']) {
      assert.equal((await accept(secret, 'Careful', bad)).status, 422);
    }
    for (const other of ['', 'x'.repeat(43), `${secret}x`]) assert.equal((await accept(other)).status, 404);
    assert.equal((await accept(secret)).status, 200);
  });

  it('is linked under the public address, whichever address its owner uses', async () => {
    const behind = await startWorld({ publicUrl: 'http://cells.example.com' });
    try {
      const browser = await signedIn(behind, await person(behind));
      const { body } = await browser.ask('POST', '/invitations', { body: { email: 'nina@example.org' } });
      assert.match(String(body['invitation']['link']), /^http:\/\/cells\.example\.com\/invite#/);
    } finally {
      await behind.close();
    }
  });

  it('does not tell who is in other workspaces, and makes nobody twice', async () => {
    const elsewhere = await person(world);
    const { secret } = await invited(elsewhere.email);
    const { status, body } = await accept(secret);
    assert.deepEqual([status, Object.keys(body['errors'])], [422, ['email']]);
  });
});

describe('one’s own tokens', () => {
  const scopes = ['sheets.read'];
  const create = (browser: Browser, body: object) =>
    browser.ask('POST', '/tokens', { body: { name: 'import', scopes, ...body } });

  it('are shown once, told by their beginning, and revoked at once', async () => {
    const { status, body } = await create(owner, {});
    assert.equal(status, 200);
    const { secret, ...token } = body['token'] as unknown as Record<string, string>;
    assert.equal(secret?.startsWith(String(token['prefix'])), true);
    const list = (await owner.ask('GET', '/tokens')).body;
    assert.deepEqual(list['tokens'][0], token);
    assert.equal(list['limit'], 200);
    assert.deepEqual(list['scopes'][0], { name: 'sheets.read', allows: 'read documents and cells' });
    const api = world.api(String(secret));
    assert.deepEqual((await api.request('GET', '/userinfo')).body, { scopes });
    assert.equal((await member.ask('DELETE', `/tokens/${token['id']}`)).status, 404);
    const revoked = await owner.ask('DELETE', `/tokens/${token['id']}`);
    assert.equal(typeof revoked.body['token']['revokedAt'], 'string');
    assert.equal((await api.request('GET', '/userinfo')).status, 401);
    assert.equal((await owner.ask('POST', `/tokens/${token['id']}/rotate`)).status, 422);
  });

  it('get another secret and stay what they are', async () => {
    const id = await world.document(String(olga.id));
    const before_ = (await create(owner, { documents: [id], expiresAt: '2099-01-01T00:00:00Z' })).body['token'];
    const after_ = (await owner.ask('POST', `/tokens/${before_['id']}/rotate`)).body['token'];
    assert.notEqual(after_['secret'], before_['secret']);
    const same = ({ id: number, name, scopes: has, documents, expiresAt }: Json) => [
      number,
      name,
      has,
      documents,
      expiresAt,
    ];
    assert.deepEqual(same(after_), same(before_));
    assert.equal((await world.api(String(before_['secret'])).request('GET', '/documents')).status, 401);
    assert.equal((await world.api(String(after_['secret'])).request('GET', '/documents')).status, 200);
    assert.equal((await member.ask('POST', `/tokens/${before_['id']}/rotate`)).status, 404);
  });

  it('need a name, known scopes, documents that one may open, and a time to come', async () => {
    const others = await world.document(String(mia.id));
    const cases: readonly [field: string, body: object][] = [
      ['name', { name: ' ' }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: ['sheets.everything'] }],
      ['documents', { documents: [] }],
      ['documents', { documents: [others] }],
      ['expiresAt', { expiresAt: 'tomorrow' }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ];
    for (const [field, body] of cases) {
      const answer = await create(owner, body);
      assert.deepEqual([answer.status, Object.keys(answer.body['errors'])], [422, [field]], JSON.stringify(body));
    }
  });

  it('are no more than the plan allows, however many are asked for at once', async () => {
    const { id } = await world.user('free');
    const made = await Promise.allSettled(Array.from({ length: 4 }, () => world.token(id)));
    assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 2);
  });
});

describe('a document that every user may open', () => {
  it('says so to its owner, who alone may begin and end it', async () => {
    const document = await world.document(String(olga.id), { title: 'Open' });
    const shared = async () => (await owner.ask('GET', `/documents/${document}/shares`)).body['anyone'] as unknown;
    const share = (browser: Browser, role: string) =>
      browser.ask('PUT', `/documents/${document}/anyone`, { body: { role } });
    const seenByMia = async () => (await member.ask('GET', `/documents/${document}/shares`)).status;
    assert.equal(await shared(), null);
    assert.equal((await share(member, 'edit')).status, 403);
    assert.equal((await share(owner, 'view')).status, 200);
    assert.equal(await shared(), 'view');
    assert.equal(await seenByMia(), 403, 'the owner alone sees shares');
    assert.equal((await share(owner, 'admin')).status, 422);
    assert.equal((await share(owner, 'none')).status, 200);
    assert.equal(await shared(), null);
  });
});

describe('an invitation to a document', () => {
  async function invitedTo(document: string, email: string, role: string) {
    const answer = await owner.ask('POST', `/documents/${document}/invitations`, { body: { email, role } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { link, id } = answer.body['invitation'];
    return { id: Number(id), secret: new URL(String(link)).hash.slice(1) };
  }
  const rolesOf = async (browser: Browser) =>
    ((await browser.ask('GET', '/api/documents')).body['documents'] as unknown as Json[])
      .map(({ title, permission }) => `${title} ${permission}`)
      .sort();
  const lookAt = async (secret: string) =>
    (await new Browser(world.server.address).ask('POST', '/invitations/look', { body: { invitation: secret } })).body;

  it('gives its role to the user whom it makes, as do others of the same address', async () => {
    const [orders, stock] = [
      await world.document(String(olga.id), { title: 'Orders' }),
      await world.document(String(olga.id), { title: 'Stock' }),
    ];
    const first = await invitedTo(orders, 'Vera@example.org', 'view');
    const replaced = await invitedTo(orders, 'vera@example.org', 'edit');
    const second = await invitedTo(stock, 'vera@example.org', 'comment');
    assert.deepEqual(await lookAt(first.secret), { message: 'This invitation was withdrawn' });
    assert.equal((await lookAt(replaced.secret))['invitation']?.['document'], 'Orders');
    const { shares, invitations } = (await owner.ask('GET', `/documents/${orders}/shares`)).body;
    assert.deepEqual(shares, []);
    assert.equal((invitations as unknown as Json[]).length, 1);
    const joined = await accept(replaced.secret, 'Vera');
    assert.equal(joined.status, 200);
    assert.deepEqual(await rolesOf(joined.browser), ['Orders edit', 'Stock comment']);
    assert.deepEqual(await lookAt(second.secret), { message: 'This invitation has been used already' });
    assert.equal((await owner.ask('GET', `/documents/${orders}/shares`)).body['shares'][0]['role'], 'edit');
  });

  it('is the owner’s to make and withdraw, as far as the operator allows', async () => {
    const document = await world.document(String(mia.id), { title: 'Mia’s' });
    const body = { email: 'walter@example.org', role: 'view' };
    const refused = await member.ask('POST', `/documents/${document}/invitations`, { body });
    assert.deepEqual([refused.status, refused.body], [403, FORBIDDEN]);
    const own = await world.document(String(olga.id), { title: 'Olga’s' });
    assert.equal((await member.ask('POST', `/documents/${own}/invitations`, { body })).status, 403);
    const known = await owner.ask('POST', `/documents/${own}/invitations`, { body: { ...body, email: mia.email } });
    assert.deepEqual(Object.keys(known.body['errors']), ['email']);
    const { id, secret } = await invitedTo(own, 'walter@example.org', 'view');
    assert.equal((await owner.ask('DELETE', `/documents/${document}/invitations/${id}`)).status, 403);
    assert.equal((await owner.ask('DELETE', `/documents/${own}/invitations/${id}`)).status, 200);
    assert.deepEqual(await lookAt(secret), { message: 'This invitation was withdrawn' });
    const open = await startWorld({ invitations: 'members' });
    try {
      const boss = await person(open);
      const worker = await person(open, { workspace: boss.workspace });
      const workers = await signedIn(open, worker);
      const shared = await open.document(String(worker.id), { title: 'Work' });
      assert.equal((await workers.ask('POST', `/documents/${shared}/invitations`, { body })).status, 200);
    } finally {
      await open.close();
    }
  });

  it('makes a user also if the document is gone, and says when it has expired', async () => {
    const document = await world.document(String(olga.id), { title: 'Short' });
    const { secret } = await invitedTo(document, 'xenia@example.org', 'edit');
    await owner.ask('DELETE', `/api/documents/${document}`);
    const joined = await accept(secret, 'Xenia');
    assert.deepEqual([joined.status, await rolesOf(joined.browser)], [200, []]);
    await owner.ask('POST', `/trash/${document}/restore`);
    assert.deepEqual(await rolesOf(joined.browser), ['Short edit']);
    const late = await invited('yuri@example.org');
    now += INVITATION_LIFE_MS;
    assert.deepEqual(await lookAt(late.secret), { message: 'This invitation has expired' });
  });
});
