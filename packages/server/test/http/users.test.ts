import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { INVITATION_LIFE_MS } from '../../src/limits/console.ts';
import { Browser, createPerson, type Person, signInAs } from './browser.ts';
import { type ApiResponse, type Json, memberAt, startWorld, type World } from './support.ts';

let now = Date.parse('2026-05-04T12:00:00Z');
let world: World;
/** The owner of a workspace, and a member. */
let olga: Person;
let mia: Person;
let owner: Browser;
let member: Browser;

before(async () => {
  world = await startWorld({ clock: () => now });
  olga = await createPerson(world);
  mia = await createPerson(world, { workspace: olga.workspace });
  owner = await signInAs(world, olga);
  member = await signInAs(world, mia);
});
after(() => world.close());

const FORBIDDEN = { message: 'Insufficient permissions' };
const INVITATION_INVALID = { message: 'This invitation is not valid any more' };

async function createInvitation(email: string): Promise<{ readonly id: number; readonly secret: string }> {
  const { status, body } = await owner.request('POST', '/invitations', { body: { email } });
  assert.equal(status, 200);
  const link = String(memberAt(body, 'invitation')['link']);
  assert.ok(link.startsWith(`${world.server.address}/invite#`), link);
  return { id: Number(memberAt(body, 'invitation')['id']), secret: new URL(link).hash.slice(1) };
}

function acceptInvitation(
  invitation: string,
  name = 'Nina',
  password = 'long enough',
): Promise<ApiResponse & { browser: Browser }> {
  const browser = new Browser(world.server.address);
  const acceptance = browser.request('POST', '/invitations/accept', { body: { invitation, name, password } });
  return acceptance.then((answer) => ({ ...answer, browser }));
}

describe('the users of a workspace', () => {
  it('are listed to each other, and to nobody else', async () => {
    const stranger = await signInAs(world, await createPerson(world));
    const { users } = (await member.request('GET', '/users')).body;
    const rows = users as unknown as Json[];
    assert.deepEqual(
      rows.map((row) => [row['id'], row['owner'], row['disabled'], typeof row['lastSignInAt']]),
      [
        [olga.id, true, false, 'string'],
        [mia.id, false, false, 'string'],
      ],
    );
    assert.doesNotMatch(JSON.stringify((await stranger.request('GET', '/users')).body), new RegExp(mia.email));
  });

  it('are managed by the owner of the workspace only', async () => {
    const invalidSecret = await createPerson(world);
    const stranger = await signInAs(world, invalidSecret);
    const managementRequests: readonly [method: string, path: string, body?: object][] = [
      ['PATCH', `/users/${mia.id}`, { disabled: true }],
      ['POST', `/users/${mia.id}/password`],
      ['POST', `/users/${mia.id}/transfer`, { to: olga.id }],
      ['GET', '/invitations'],
      ['POST', '/invitations', { email: 'x@example.org' }],
      ['DELETE', '/invitations/1'],
    ];
    for (const [method, path, body] of managementRequests) {
      const refused = await member.request(method, path, { body });
      assert.deepEqual([refused.status, refused.body], [403, FORBIDDEN], `${method} ${path}`);
    }
    for (const [method, path, body] of managementRequests.slice(0, 3)) {
      assert.equal((await stranger.request(method, path, { body })).status, 404, `${method} ${path}`);
    }
    assert.equal((await member.request('GET', '/me')).status, 200);
  });

  it('lose sessions and tokens immediately when disabled, and regain access when enabled', async () => {
    const account = await createPerson(world, { workspace: olga.workspace });
    const browser = await signInAs(world, account);
    const api = world.apiFor(await world.createToken(String(account.id)));
    assert.equal((await api.request('GET', '/documents')).status, 200);
    const disabled = await owner.request('PATCH', `/users/${account.id}`, { body: { disabled: true } });
    assert.deepEqual([disabled.status, memberAt(disabled.body, 'user')['disabled']], [200, true]);
    assert.equal((await browser.request('GET', '/me')).status, 401);
    assert.equal((await api.request('GET', '/documents')).status, 401);
    assert.equal((await browser.signIn(account)).status, 401);
    await owner.request('PATCH', `/users/${account.id}`, { body: { disabled: false } });
    assert.equal((await browser.request('GET', '/me')).status, 401);
    assert.equal((await browser.signIn(account)).status, 200);
    assert.equal((await api.request('GET', '/documents')).status, 200);
    const self = await owner.request('PATCH', `/users/${olga.id}`, { body: { disabled: true } });
    assert.equal(self.status, 422);
  });

  it('get a one-time password from the owner, which ends their sessions', async () => {
    const account = await createPerson(world, { workspace: olga.workspace });
    const browser = await signInAs(world, account);
    const { password } = (await owner.request('POST', `/users/${account.id}/password`)).body;
    assert.equal((await browser.request('GET', '/me')).status, 401);
    assert.equal((await browser.signIn(account)).status, 401);
    const { body } = await browser.signIn({ ...account, password: String(password) });
    assert.equal(memberAt(body, 'me')['mustChangePassword'], true);
  });

  it('transfer their documents, and the new owner sees hidden sheets', async () => {
    const leaving = await createPerson(world, { workspace: olga.workspace });
    const id = await world.createDocument(String(leaving.id));
    const leavingApi = world.apiFor(await world.createToken(String(leaving.id)), id);
    await leavingApi.put('Sheet1!A1', [['secret']]);
    await leavingApi.addSheet('Open');
    await leavingApi.put('Open!A1', [['=Sheet1!A1']]);
    await world.share(id, String(mia.id), 'edit');
    const newOwnerApi = world.apiFor(await world.createToken(String(mia.id)), id);
    await newOwnerApi.put('Open!B1', [['=Sheet1!A1']]);
    await world.protect(id, 'Sheet1', { hideValues: true });
    assert.equal((await newOwnerApi.cell('Open!B1'))['v'], '#REF!');
    const transfer = await owner.request('POST', `/users/${leaving.id}/transfer`, { body: { to: mia.id } });
    assert.deepEqual([transfer.status, transfer.body], [200, { transferred: 1, remaining: 0 }]);
    assert.equal((await leavingApi.get('Sheet1!A1')).status, 403);
    // The former owner's formulas belong to the document. The new owner's formulas see what an owner sees.
    for (const cell of ['Sheet1!A1', 'Open!A1', 'Open!B1']) {
      assert.equal((await newOwnerApi.cell(cell))['v'], 'secret', cell);
    }
    const document = memberAt((await newOwnerApi.requestInDocument('GET', '')).body, 'document');
    assert.equal(document['permission'], 'owner');
    const actions = (await newOwnerApi.listAuditEntries())['entries'] as unknown as Json[];
    assert.ok(!actions.some(({ action }) => String(action) === 'document.transfer'));
    const again = await owner.request('POST', `/users/${leaving.id}/transfer`, { body: { to: mia.id } });
    assert.deepEqual(again.body, { transferred: 0, remaining: 0 });
    const nowhere = await owner.request('POST', `/users/${leaving.id}/transfer`, { body: { to: leaving.id } });
    assert.equal(nowhere.status, 422);
  });
});

describe('an invitation', () => {
  it('creates one user, once', async () => {
    const { secret } = await createInvitation('Nina@example.org');
    const browser = new Browser(world.server.address);
    const lookup = await browser.request('POST', '/invitations/look', { body: { invitation: secret } });
    assert.equal(memberAt(lookup.body, 'invitation')['email'], 'Nina@example.org');
    assert.equal(memberAt(lookup.body, 'invitation')['workspace'], olga.name);
    const [first, second] = await Promise.all([acceptInvitation(secret), acceptInvitation(secret)]);
    const [joined, refusedSecond] = first.status === 200 ? [first, second] : [second, first];
    assert.deepEqual([joined.status, refusedSecond.status, refusedSecond.body], [200, 404, INVITATION_INVALID]);
    assert.equal(memberAt(joined.body, 'me', 'workspace')['id'], olga.workspace);
    assert.equal(memberAt(joined.body, 'me', 'workspace')['owner'], false);
    assert.equal((await joined.browser.request('GET', '/api/documents')).status, 200);
    assert.equal((await acceptInvitation(secret)).status, 404);
    const known = await owner.request('POST', '/invitations', { body: { email: 'nina@example.org' } });
    assert.deepEqual([known.status, Object.keys(memberAt(known.body, 'errors'))], [422, ['email']]);
  });

  it('can be revoked, and expires', async () => {
    const withdrawn = await createInvitation('back@example.org');
    const invitationList = (await owner.request('GET', '/invitations')).body['invitations'] as unknown as Json[];
    assert.deepEqual([invitationList[0]?.['email'], invitationList[0]?.['invitedBy']], ['back@example.org', olga.name]);
    assert.doesNotMatch(JSON.stringify(invitationList), new RegExp(withdrawn.secret));
    assert.equal((await owner.request('DELETE', `/invitations/${withdrawn.id}`)).status, 200);
    assert.equal((await owner.request('DELETE', `/invitations/${withdrawn.id}`)).status, 404);
    assert.deepEqual((await acceptInvitation(withdrawn.secret)).body, INVITATION_INVALID);
    const late = await createInvitation('late@example.org');
    now += INVITATION_LIFE_MS;
    assert.deepEqual((await acceptInvitation(late.secret)).body, INVITATION_INVALID);
    owner = await signInAs(world, olga);
    member = await signInAs(world, mia);
  });

  it('is not used up by invalid input', async () => {
    const { secret } = await createInvitation('careful@example.org');
    assert.equal((await acceptInvitation(secret, ' ')).status, 422);
    for (const weakPassword of ['short', 'Careful@example.org', 'password123', 'Qwertyuiop']) {
      assert.equal((await acceptInvitation(secret, 'Careful', weakPassword)).status, 422);
    }
    for (const invalidSecret of ['', 'x'.repeat(43), `${secret}x`])
      assert.equal((await acceptInvitation(invalidSecret)).status, 404);
    assert.equal((await acceptInvitation(secret)).status, 200);
  });

  it("links to the public address, independent of the owner's address", async () => {
    const publicWorld = await startWorld({ publicUrl: 'http://cells.example.com' });
    try {
      const browser = await signInAs(publicWorld, await createPerson(publicWorld));
      const { body } = await browser.request('POST', '/invitations', { body: { email: 'nina@example.org' } });
      assert.match(String(memberAt(body, 'invitation')['link']), /^http:\/\/cells\.example\.com\/invite#/);
    } finally {
      await publicWorld.close();
    }
  });

  it('does not reveal users of other workspaces, and creates no duplicate', async () => {
    const otherUser = await createPerson(world);
    const { secret } = await createInvitation(otherUser.email);
    const { status, body } = await acceptInvitation(secret);
    assert.deepEqual([status, Object.keys(memberAt(body, 'errors'))], [422, ['email']]);
  });
});

describe('the tokens of a user', () => {
  const scopes = ['sheets.read'];
  const create = (browser: Browser, body: object) =>
    browser.request('POST', '/tokens', { body: { name: 'import', scopes, ...body } });

  it('are shown once, listed by their prefix, and revoked immediately', async () => {
    const { status, body } = await create(owner, {});
    assert.equal(status, 200);
    const { secret, ...token } = body['token'] as unknown as Record<string, string>;
    assert.equal(secret?.startsWith(String(token['prefix'])), true);
    const list = (await owner.request('GET', '/tokens')).body;
    assert.deepEqual(memberAt(list, 'tokens')[0], token);
    assert.equal(list['limit'], 200);
    assert.deepEqual(memberAt(list, 'scopes')[0], { name: 'sheets.read', allows: 'read documents and cells' });
    const api = world.apiFor(String(secret));
    assert.deepEqual((await api.request('GET', '/userinfo')).body, { scopes });
    assert.equal((await member.request('DELETE', `/tokens/${token['id']}`)).status, 404);
    const revoked = await owner.request('DELETE', `/tokens/${token['id']}`);
    assert.equal(typeof memberAt(revoked.body, 'token')['revokedAt'], 'string');
    assert.equal((await api.request('GET', '/userinfo')).status, 401);
    assert.equal((await owner.request('POST', `/tokens/${token['id']}/rotate`)).status, 422);
  });

  it('keep their settings after rotation', async () => {
    const id = await world.createDocument(String(olga.id));
    const created = await create(owner, { documents: [id], expiresAt: '2099-01-01T00:00:00Z' });
    const original = memberAt(created.body, 'token');
    const rotated = memberAt((await owner.request('POST', `/tokens/${original['id']}/rotate`)).body, 'token');
    assert.notEqual(rotated['secret'], original['secret']);
    const listSettings = ({ id: number, name, scopes: has, documents, expiresAt }: Json) => [
      number,
      name,
      has,
      documents,
      expiresAt,
    ];
    assert.deepEqual(listSettings(rotated), listSettings(original));
    assert.equal((await world.apiFor(String(original['secret'])).request('GET', '/documents')).status, 401);
    assert.equal((await world.apiFor(String(rotated['secret'])).request('GET', '/documents')).status, 200);
    assert.equal((await member.request('POST', `/tokens/${original['id']}/rotate`)).status, 404);
  });

  it('need a name, known scopes, accessible documents, and a future expiry time', async () => {
    const otherDocument = await world.createDocument(String(mia.id));
    const cases: readonly [field: string, body: object][] = [
      ['name', { name: ' ' }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: ['sheets.everything'] }],
      ['documents', { documents: [] }],
      ['documents', { documents: [otherDocument] }],
      ['expiresAt', { expiresAt: 'tomorrow' }],
      ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ];
    for (const [field, body] of cases) {
      const answer = await create(owner, body);
      assert.deepEqual(
        [answer.status, Object.keys(memberAt(answer.body, 'errors'))],
        [422, [field]],
        JSON.stringify(body),
      );
    }
  });

  it('are limited by the plan, also for simultaneous requests', async () => {
    const { id } = await world.createUser('free');
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => world.createToken(id)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2);
  });
});

describe('a document shared with every user', () => {
  it('is marked for its owner, who alone can start and end the share', async () => {
    const document = await world.createDocument(String(olga.id), { title: 'Open' });
    const readSharedWithAnyone = async () =>
      (await owner.request('GET', `/documents/${document}/shares`)).body['anyone'] as unknown;
    const share = (browser: Browser, role: string) =>
      browser.request('PUT', `/documents/${document}/anyone`, { body: { role } });
    const readStatusForMia = async () => (await member.request('GET', `/documents/${document}/shares`)).status;
    assert.equal(await readSharedWithAnyone(), null);
    assert.equal((await share(member, 'edit')).status, 403);
    assert.equal((await share(owner, 'view')).status, 200);
    assert.equal(await readSharedWithAnyone(), 'view');
    assert.equal(await readStatusForMia(), 403, 'the owner alone sees shares');
    assert.equal((await share(owner, 'admin')).status, 422);
    assert.equal((await share(owner, 'none')).status, 200);
    assert.equal(await readSharedWithAnyone(), null);
  });
});

describe('an invitation to a document', () => {
  async function inviteToDocument(document: string, email: string, role: string) {
    const answer = await owner.request('POST', `/documents/${document}/invitations`, { body: { email, role } });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { link, id } = memberAt(answer.body, 'invitation');
    return { id: Number(id), secret: new URL(String(link)).hash.slice(1) };
  }
  const readRoles = async (browser: Browser) =>
    ((await browser.request('GET', '/api/documents')).body['documents'] as unknown as Json[])
      .map(({ title, permission }) => `${title} ${permission}`)
      .sort();
  const lookUp = async (secret: string) =>
    (await new Browser(world.server.address).request('POST', '/invitations/look', { body: { invitation: secret } }))
      .body;

  it('grants its role to the new user, together with other invitations to the same address', async () => {
    const [orders, stock] = [
      await world.createDocument(String(olga.id), { title: 'Orders' }),
      await world.createDocument(String(olga.id), { title: 'Stock' }),
    ];
    const first = await inviteToDocument(orders, 'Vera@example.org', 'view');
    const replaced = await inviteToDocument(orders, 'vera@example.org', 'edit');
    const second = await inviteToDocument(stock, 'vera@example.org', 'comment');
    assert.deepEqual(await lookUp(first.secret), { message: 'This invitation was withdrawn' });
    assert.equal((await lookUp(replaced.secret))['invitation']?.['document'], 'Orders');
    const { shares, invitations } = (await owner.request('GET', `/documents/${orders}/shares`)).body;
    assert.deepEqual(shares, []);
    assert.equal((invitations as unknown as Json[]).length, 1);
    const joined = await acceptInvitation(replaced.secret, 'Vera');
    assert.equal(joined.status, 200);
    assert.deepEqual(await readRoles(joined.browser), ['Orders edit', 'Stock comment']);
    assert.deepEqual(await lookUp(second.secret), { message: 'This invitation has been used already' });
    assert.equal(
      memberAt((await owner.request('GET', `/documents/${orders}/shares`)).body, 'shares', 0)['role'],
      'edit',
    );
  });

  it("is created and revoked by the owner only, within the operator's settings", async () => {
    const document = await world.createDocument(String(mia.id), { title: 'Mia’s' });
    const body = { email: 'walter@example.org', role: 'view' };
    const refused = await member.request('POST', `/documents/${document}/invitations`, { body });
    assert.deepEqual([refused.status, refused.body], [403, FORBIDDEN]);
    const own = await world.createDocument(String(olga.id), { title: 'Olga’s' });
    assert.equal((await member.request('POST', `/documents/${own}/invitations`, { body })).status, 403);
    const known = await owner.request('POST', `/documents/${own}/invitations`, { body: { ...body, email: mia.email } });
    assert.deepEqual(Object.keys(memberAt(known.body, 'errors')), ['email']);
    const { id, secret } = await inviteToDocument(own, 'walter@example.org', 'view');
    assert.equal((await owner.request('DELETE', `/documents/${document}/invitations/${id}`)).status, 403);
    assert.equal((await owner.request('DELETE', `/documents/${own}/invitations/${id}`)).status, 200);
    assert.deepEqual(await lookUp(secret), { message: 'This invitation was withdrawn' });
    const membersWorld = await startWorld({ invitations: 'members' });
    try {
      const boss = await createPerson(membersWorld);
      const worker = await createPerson(membersWorld, { workspace: boss.workspace });
      const workerBrowser = await signInAs(membersWorld, worker);
      const shared = await membersWorld.createDocument(String(worker.id), { title: 'Work' });
      assert.equal((await workerBrowser.request('POST', `/documents/${shared}/invitations`, { body })).status, 200);
    } finally {
      await membersWorld.close();
    }
  });

  it('creates a user even if the document is deleted, and reports when it has expired', async () => {
    const document = await world.createDocument(String(olga.id), { title: 'Short' });
    const { secret } = await inviteToDocument(document, 'xenia@example.org', 'edit');
    await owner.request('DELETE', `/api/documents/${document}`);
    const joined = await acceptInvitation(secret, 'Xenia');
    assert.deepEqual([joined.status, await readRoles(joined.browser)], [200, []]);
    await owner.request('POST', `/trash/${document}/restore`);
    assert.deepEqual(await readRoles(joined.browser), ['Short edit']);
    const late = await createInvitation('yuri@example.org');
    now += INVITATION_LIFE_MS;
    assert.deepEqual(await lookUp(late.secret), { message: 'This invitation has expired' });
  });
});
