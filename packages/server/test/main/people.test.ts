import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ON_POSTGRES } from '../../../store/test/postgres/folder-databases.ts';
import { main } from '../../src/main/main.ts';
import type { Terminal } from '../../src/main/terminal.ts';
import { type Installation, type Json, newInstallation } from './support.ts';

async function installation(t: TestContext): Promise<Installation> {
  const here = await newInstallation();
  t.after(() => here.remove());
  return here;
}

function person(here: Installation, name: string, more: readonly string[] = []): Promise<Json> {
  return here.json('user', 'create', '--email', `${name.toLowerCase()}@example.com`, '--name', name, ...more);
}

test('a user gets another name and address, and the list shows who is disabled', async (t) => {
  const here = await installation(t);
  const { id } = await person(here, 'Anna');
  await person(here, 'Ben');
  assert.deepEqual(await here.json('user', 'rename', '--user', 'anna@example.com', '--name', ' Anna Berg '), {
    id,
    name: 'Anna Berg',
  });
  assert.deepEqual(await here.json('user', 'email', '--user', `${id}`, '--email', 'a.berg@example.com'), {
    id,
    email: 'a.berg@example.com',
  });
  const taken = await here.run('user', 'email', '--user', `${id}`, '--email', 'BEN@example.com');
  assert.deepEqual([taken.code, /already a user/.test(taken.stderr)], [1, true]);
  await here.json('user', 'disable', '--user', 'ben@example.com');
  const { users, nextCursor } = await here.json('user', 'list');
  assert.deepEqual(
    users.map((one: Json) => [one.name, one.disabled, one.lastSignInAt]),
    [
      ['Anna Berg', false, null],
      ['Ben', true, null],
    ],
  );
  assert.equal(nextCursor, null);
});

test('lists of the command line have pages', async (t) => {
  const here = await installation(t);
  for (const name of ['Anna', 'Ben', 'Cem']) await person(here, name);
  const titles = ['One', 'Two', 'Three'];
  for (const title of titles) {
    await here.json('document', 'create', '--owner', 'anna@example.com', '--title', title);
    await here.json('token', 'create', '--user', 'anna@example.com', '--name', title, '--scopes', 'sheets.read');
  }
  const lists: readonly (readonly [key: string, command: readonly string[]])[] = [
    ['users', ['user', 'list']],
    ['workspaces', ['workspace', 'list']],
    ['documents', ['document', 'list']],
    ['tokens', ['token', 'list', '--user', 'anna@example.com']],
    ['entries', ['audit']],
  ];
  for (const [key, command] of lists) {
    const all = (await here.json(...command))[key];
    const paged: Json[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await here.json(...command, '--limit', '2', ...(cursor === null ? [] : ['--cursor', cursor]));
      assert.ok(page[key].length <= 2);
      paged.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(paged, all, key);
    assert.ok(paged.length >= 3, key);
    assert.equal((await here.run(...command, '--cursor', 'nonsense')).code, 1, key);
  }
  const { documents } = await here.json('document', 'list');
  const { id, owner, revisionId, deletedAt } = documents[0];
  assert.deepEqual([typeof id, owner, revisionId, deletedAt], ['string', 1, '0', null]);
  assert.deepEqual((await here.json('document', 'list', '--owner', 'ben@example.com')).documents, []);
});

test('workspaces are listed with their users, and renamed', async (t) => {
  const here = await installation(t);
  await person(here, 'Anna');
  await person(here, 'Ben', ['--workspace', 'Anna']);
  assert.deepEqual(
    (await here.json('workspace', 'list')).workspaces.map(({ name, users }: Json) => [name, users]),
    [['Anna', 2]],
  );
  assert.deepEqual(await here.json('workspace', 'rename', '--workspace', '1', '--name', 'Sales'), {
    id: 1,
    name: 'Sales',
  });
  assert.equal((await here.run('workspace', 'rename', '--workspace', '9', '--name', 'x')).code, 1);
});

test('what the command line does to documents and users is recorded as the operator’s', async (t) => {
  const here = await installation(t);
  await person(here, 'Anna');
  await person(here, 'Ben');
  const { id, sheets } = await here.json(...['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders']);
  const on = ['--document', id];
  await here.json('document', 'share', ...on, '--user', 'ben@example.com', '--role', 'edit');
  await here.json('sheet', 'protect', ...on, '--sheet', sheets[0], '--lock');
  await here.json('sheet', 'unprotect', ...on, '--sheet', sheets[0]);
  await here.json('user', 'disable', '--user', 'ben@example.com');
  await here.json('document', 'delete', ...on);
  const ofDocument = await here.json('audit', ...on);
  assert.deepEqual(
    ofDocument.entries.map(({ action, origin }: Json) => [action, origin]),
    ['document.delete', 'sheet.unprotect', 'sheet.protect', 'document.share', 'document.create'].map((action) => [
      action,
      'operator',
    ]),
  );
  const ofBen = await here.json('audit', '--user', 'ben@example.com');
  assert.ok(ofBen.entries.some(({ action, origin }: Json) => action === 'user.disable' && origin === 'operator'));
  const all = await here.json('audit');
  assert.ok(all.entries.length > ofDocument.entries.length);
  const times = all.entries.map(({ createdAt }: Json) => createdAt);
  assert.deepEqual(times, times.toSorted().reverse());
});

test('a password comes by standard input', async (t) => {
  const here = await installation(t);
  let stdout = '';
  const terminal: Terminal = {
    env: here.env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => {} },
    stdin: Readable.from(['a password ', 'of ours\r\nmore']),
  };
  const create = ['user', 'create', '--email', 'anna@example.com', '--name', 'Anna', '--password-stdin', '--json'];
  await main(create, terminal);
  assert.equal(JSON.parse(stdout).password, 'a password of ours');
});

/** Files of the data folder in which a text stands. */
async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    if ((await readFile(file)).includes(text)) found.push(file);
  }
  return found;
}

test('an erased user is a number in every record, and what they wrote stays', async (t) => {
  const here = await installation(t);
  const name = 'Zebulon Quirk';
  const email = 'zebulon@quirk.example';
  const { id } = await here.json('user', 'create', '--email', email, '--name', name);
  const heir = await person(here, 'Anna');
  const { id: document } = await here.json('document', 'create', '--owner', email, '--title', 'Orders');
  const { token } = await here.json(
    'token',
    'create',
    '--user',
    email,
    '--name',
    `${name} reads`,
    '--scopes',
    'sheets.read,sheets.write',
  );
  const serving = await here.serve();
  const written = await serving.call(token, 'PUT', `/documents/${document}/values/A1`, { values: [['kept']] });
  assert.equal(written.status, 200);
  const proposing = `/documents/${document}/values/A2?propose=true`;
  assert.equal((await serving.call(token, 'PUT', proposing, { values: [['wanted']] })).status, 202);

  const refused = await here.run('user', 'erase', '--user', email, '--yes');
  assert.deepEqual([refused.code, /--transfer-to/.test(refused.stderr)], [1, true]);
  const undecided = await here.run('user', 'erase', '--user', email);
  assert.deepEqual([undecided.code, undecided.stdout], [2, '']);
  assert.match(undecided.stderr, /Erased user[\s\S]*Its 1 document must be given to somebody/);
  const asked = await here.run('user', 'erase', '--user', email, '--transfer-to', 'anna@example.com');
  assert.deepEqual([asked.code, asked.stdout, /Erased user/.test(asked.stderr)], [2, '', true]);

  const erased = await here.json('user', 'erase', '--user', email, '--transfer-to', 'anna@example.com', '--yes');
  assert.deepEqual(erased, { id, erased: true, documents: { transferred: 1, deleted: 0 } });
  assert.equal((await serving.call(token, 'GET', `/documents/${document}`)).status, 401);
  await serving.end('SIGTERM');
  const again = await here.serve();
  const other = await here.json(
    'token',
    'create',
    '--user',
    'anna@example.com',
    '--name',
    'all',
    '--scopes',
    'sheets.read',
  );
  const { body } = await again.call(other.token, 'GET', `/documents/${document}/revisions`);
  assert.equal(body.revisions.entries[0].userName, `Erased user ${id}`);
  const { entries } = await here.json('audit', '--document', document);
  const [own] = entries.filter(({ action }: Json) => action === 'update');
  assert.deepEqual([own.userId, own.userName], [id, `Erased user ${id}`]);
  const { documents } = await here.json('document', 'list');
  assert.equal(documents[0].owner, heir.id);
  const { users } = await here.json('user', 'list');
  assert.deepEqual([users[0].name, users[0].disabled], [`Erased user ${id}`, true]);
  await again.end('SIGTERM');
  if (ON_POSTGRES) return;
  for (const text of [name, email, 'Zebulon']) assert.deepEqual(await filesWith(here.data, text), [], text);
});

test('documents in the bin of an erased user go to the heir, or for good', async (t) => {
  const here = await installation(t);
  const heir = await person(here, 'Anna');
  for (const [name, ...way] of [
    ['Hans', '--transfer-to', 'anna@example.com'],
    ['Otto', '--delete-documents'],
  ]) {
    const { id } = await here.json('user', 'create', '--email', `${name}@example.com`, '--name', String(name));
    const made = await here.json('document', 'create', '--owner', String(id), '--title', String(name));
    await here.json('document', 'delete', '--document', made.id);
    const trashed = await here.json('document', 'list', '--deleted', '--owner', String(id));
    assert.deepEqual(
      trashed.documents.map((one: Json) => [one.id, typeof one.deletedAt]),
      [[made.id, 'string']],
    );
    const { documents } = await here.json('user', 'erase', '--user', String(id), ...way, '--yes');
    const isHandedOn = way.length === 2;
    assert.deepEqual(documents, isHandedOn ? { transferred: 1, deleted: 0 } : { transferred: 0, deleted: 1 });
    const restored = await here.run('document', 'restore', '--document', made.id, '--json');
    assert.equal(restored.code, isHandedOn ? 0 : 1, restored.stderr);
    if (isHandedOn) assert.deepEqual(JSON.parse(restored.stdout), { id: made.id, title: name });
  }
  const { documents } = await here.json('document', 'list', '--owner', 'anna@example.com');
  assert.deepEqual(
    documents.map((one: Json) => [one.title, one.owner, one.deletedAt]),
    [['Hans', heir.id, null]],
  );
});

test('what is kept of a user is exported into one file for its reader alone', async (t) => {
  const here = await installation(t);
  await person(here, 'Anna');
  await here.json('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const made = await here.json(
    'token',
    'create',
    '--user',
    'anna@example.com',
    '--name',
    'x',
    '--scopes',
    'sheets.read',
  );
  const to = join(here.folder, 'anna.zip');
  const exported = await here.json('user', 'export', '--user', 'anna@example.com', '--to', to);
  assert.deepEqual(exported, { file: to, documents: 1, auditEntries: 0, comments: 0 });
  assert.equal((await stat(to)).mode & 0o777, 0o600);
  const text = execFileSync('unzip', ['-p', to], { encoding: 'utf8' });
  assert.match(text, /anna@example\.com/);
  assert.doesNotMatch(text, /hash|scrypt/);
  assert.equal(text.includes(made.token), false);
  assert.equal((await here.run('user', 'export', '--user', 'anna@example.com', '--to', to)).code, 1);
});
