import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { exportPerson } from '../../src/service/operator/export-person.ts';
import { isRefusal } from '../../src/service/refusal.ts';
import { Browser, createPerson, type Person, signInAs } from './browser.ts';
import { sendHttp } from './send.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

suite('the owner of a workspace in the console', { concurrency: false }, () => {
  let world: World;
  let [olga, mia, noah]: Person[] = [];
  let owner: Browser;
  const folder = mkdtempSync(join(tmpdir(), 'cellwire-members-'));

  before(async () => {
    world = await startWorld();
    olga = await createPerson(world);
    mia = await createPerson(world, { workspace: olga.workspace });
    noah = await createPerson(world, { workspace: olga.workspace });
    owner = await signInAs(world, olga);
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  const listPeople = () => [olga, mia, noah] as [Person, Person, Person];

  test('changes the name and address of a member, who then signs in with the new address', async () => {
    const [, member] = listPeople();
    const body = { name: 'Mia Other', email: 'mia.other@example.com' };
    const { status, body: answer } = await owner.request('PATCH', `/users/${member.id}`, { body });
    assert.deepEqual(
      [status, memberAt(answer, 'user')['name'], memberAt(answer, 'user')['email']],
      [200, body.name, body.email],
    );
    const again = new Browser(world.server.address);
    assert.equal((await again.signIn({ email: body.email, password: member.password })).status, 200);
    assert.equal((await new Browser(world.server.address).signIn(member)).status, 401);
    const duplicateEmail = await owner.request('PATCH', `/users/${member.id}`, { body: { email: olga?.email } });
    assert.equal(duplicateEmail.status, 422);
    const empty = await owner.request('PATCH', `/users/${member.id}`, { body: { name: ' ' } });
    assert.equal(empty.status, 422);
  });

  test('renames the workspace and sees its documents and the actions of one user', async () => {
    assert.equal((await owner.request('PATCH', '/workspace', { body: { name: 'Newly named' } })).status, 200);
    const { body: me } = await owner.request('GET', '/me');
    assert.equal(memberAt(me, 'me', 'workspace')['name'], 'Newly named');
    assert.match(String(memberAt(me, 'me', 'build')['version']), /^\d+\.\d+\.\d+/);
    const [, , other] = listPeople();
    const otherBrowser = await signInAs(world, other);
    const created = await otherBrowser.request('POST', '/api/documents', { body: { title: 'Of Noah' } });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const { body: documentList } = await owner.request('GET', '/workspace/documents');
    const rows = documentList['documents'] as unknown as Json[];
    assert.deepEqual(
      rows.map((row) => [row['title'], row['owner']]),
      [['Of Noah', other.name]],
    );
    const { body: answer } = await owner.request('GET', `/log?user=${other.id}`);
    const entries = memberAt(answer, 'log')['entries'] as unknown as Json[];
    assert.ok(entries.length > 0);
    for (const entry of entries)
      assert.ok([entry['userName'], entry['subject']].some((name) => `${name}` === other.name));
    assert.equal((await owner.request('GET', '/log?user=x')).status, 422);
  });

  test('downloads the stored data of a member', async () => {
    const [, , other] = listPeople();
    const answer = await owner.request('GET', `/users/${other.id}/export`, {}).catch((error: unknown) => String(error));
    // The response is a .zip file, which the helper cannot parse as JSON.
    assert.match(String(answer), /PK/);
  });

  test('finds in the export of a member the invitations that the member sent', async () => {
    const [boss, member] = listPeople();
    assert.equal((await owner.request('POST', '/invitations', { body: { email: 'nina@example.org' } })).status, 200);
    const readInvitees = async (person: Person) => {
      const to = join(folder, `${person.id}.zip`);
      const exported = await exportPerson(world.server.service.context, { user: String(person.id), to });
      assert.ok(!isRefusal(exported));
      const list = JSON.parse(execFileSync('unzip', ['-p', to, 'invitations.json'], { encoding: 'utf8' })) as Json[];
      return list.map((invitation) => invitation['email']);
    };
    assert.deepEqual(await readInvitees(boss), ['nina@example.org']);
    assert.deepEqual(await readInvitees(member), []);
  });

  test('erases a member, whose documents are transferred or deleted', async () => {
    const [boss, member, other] = listPeople();
    const wrongHeir = await owner.request('POST', `/users/${other.id}/erase`, { body: { to: 999_999 } });
    assert.equal(wrongHeir.status, 422);
    assert.equal((await owner.request('POST', `/users/${boss.id}/erase`, { body: { to: null } })).status, 422);
    const { status, body } = await owner.request('POST', `/users/${other.id}/erase`, { body: { to: member.id } });
    assert.deepEqual([status, body], [200, { documents: { transferred: 1, deleted: 0 } }]);
    const visibleText =
      JSON.stringify((await owner.request('GET', '/users')).body) +
      JSON.stringify((await owner.request('GET', '/log')).body);
    assert.ok(!visibleText.includes(other.email));
    assert.match(visibleText, new RegExp(`Erased user ${other.id}`));
    const deleted = await owner.request('POST', `/users/${member.id}/erase`, { body: { to: null } });
    assert.deepEqual(deleted.body, { documents: { transferred: 0, deleted: 1 } });
  });

  test('is the only user with these rights, in this workspace only', async () => {
    const [boss] = listPeople();
    const stranger = await createPerson(world);
    const member = await createPerson(world, { workspace: boss.workspace });
    const ownerRequests = [
      ['PATCH', { name: 'X' }, ''],
      ['POST', { to: null }, '/erase'],
      ['GET', undefined, '/export'],
    ] as const;
    for (const [method, body, path] of ownerRequests) {
      const options = body === undefined ? {} : { body };
      const byMember = await (await signInAs(world, member)).request(method, `/users/${boss.id}${path}`, options);
      assert.equal(byMember.status, 403, path);
      const elsewhere = await owner.request(method, `/users/${stranger.id}${path}`, options);
      assert.equal(elsewhere.status, 404, path);
    }
    const browser = await signInAs(world, member);
    assert.equal((await browser.request('GET', '/workspace/documents')).status, 403);
    assert.equal((await browser.request('PATCH', '/workspace', { body: { name: 'X' } })).status, 403);
    const own = memberAt((await browser.request('GET', `/log?user=${boss.id}`)).body, 'log')[
      'entries'
    ] as unknown as Json[];
    for (const entry of own) assert.ok([entry['userName'], entry['subject']].some((name) => `${name}` === member.name));
    const nobody = await sendHttp(`${world.server.address}/console/users/${boss.id}/export`);
    assert.equal(nobody.status, 401);
  });
});
