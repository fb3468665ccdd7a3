import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { ON_POSTGRES } from '../../../store/test/postgres/folder-databases.ts';
import { runProgram } from '../../src/main/main.ts';
import type { Terminal } from '../../src/main/terminal.ts';
import { createInstallation, type Installation, type Json } from './support.ts';

async function setUpInstallation(t: TestContext): Promise<Installation> {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  return cellwire;
}

function createPerson(cellwire: Installation, name: string, extraOptions: readonly string[] = []): Promise<Json> {
  return cellwire.runForJson(
    'user',
    'create',
    '--email',
    `${name.toLowerCase()}@example.com`,
    '--name',
    name,
    ...extraOptions,
  );
}

test('a user gets a new name and address, and the list shows disabled users', async (t) => {
  const cellwire = await setUpInstallation(t);
  const { id } = await createPerson(cellwire, 'Anna');
  await createPerson(cellwire, 'Ben');
  assert.deepEqual(await cellwire.runForJson('user', 'rename', '--user', 'anna@example.com', '--name', ' Anna Berg '), {
    id,
    name: 'Anna Berg',
  });
  assert.deepEqual(await cellwire.runForJson('user', 'email', '--user', `${id}`, '--email', 'a.berg@example.com'), {
    id,
    email: 'a.berg@example.com',
  });
  const conflict = await cellwire.runCommand('user', 'email', '--user', `${id}`, '--email', 'BEN@example.com');
  assert.deepEqual([conflict.code, /already a user/.test(conflict.stderr)], [1, true]);
  await cellwire.runForJson('user', 'disable', '--user', 'ben@example.com');
  const { users, nextCursor } = await cellwire.runForJson('user', 'list');
  assert.deepEqual(
    users.map((one: Json) => [one.name, one.disabled, one.lastSignInAt]),
    [
      ['Anna Berg', false, null],
      ['Ben', true, null],
    ],
  );
  assert.equal(nextCursor, null);
});

test('lists on the command line have pages', async (t) => {
  const cellwire = await setUpInstallation(t);
  for (const name of ['Anna', 'Ben', 'Cem']) await createPerson(cellwire, name);
  const titles = ['One', 'Two', 'Three'];
  for (const title of titles) {
    await cellwire.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', title);
    await cellwire.runForJson(
      'token',
      'create',
      '--user',
      'anna@example.com',
      '--name',
      title,
      '--scopes',
      'sheets.read',
    );
  }
  const lists: readonly (readonly [key: string, command: readonly string[]])[] = [
    ['users', ['user', 'list']],
    ['workspaces', ['workspace', 'list']],
    ['documents', ['document', 'list']],
    ['tokens', ['token', 'list', '--user', 'anna@example.com']],
    ['entries', ['audit']],
  ];
  for (const [key, command] of lists) {
    const all = (await cellwire.runForJson(...command))[key];
    const collected: Json[] = [];
    let cursor: string | null = null;
    do {
      const page: Json = await cellwire.runForJson(
        ...command,
        '--limit',
        '2',
        ...(cursor === null ? [] : ['--cursor', cursor]),
      );
      assert.ok(page[key].length <= 2);
      collected.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(collected, all, key);
    assert.ok(collected.length >= 3, key);
    assert.equal((await cellwire.runCommand(...command, '--cursor', 'nonsense')).code, 1, key);
  }
  const { documents } = await cellwire.runForJson('document', 'list');
  const { id, owner, revisionId, deletedAt } = documents[0];
  assert.deepEqual([typeof id, owner, revisionId, deletedAt], ['string', 1, '0', null]);
  assert.deepEqual((await cellwire.runForJson('document', 'list', '--owner', 'ben@example.com')).documents, []);
});

test('workspaces are listed with their users, and renamed', async (t) => {
  const cellwire = await setUpInstallation(t);
  await createPerson(cellwire, 'Anna');
  await createPerson(cellwire, 'Ben', ['--workspace', 'Anna']);
  assert.deepEqual(
    (await cellwire.runForJson('workspace', 'list')).workspaces.map(({ name, users }: Json) => [name, users]),
    [['Anna', 2]],
  );
  assert.deepEqual(await cellwire.runForJson('workspace', 'rename', '--workspace', '1', '--name', 'Sales'), {
    id: 1,
    name: 'Sales',
  });
  assert.equal((await cellwire.runCommand('workspace', 'rename', '--workspace', '9', '--name', 'x')).code, 1);
});

test('command line actions on documents and users are logged with the origin operator', async (t) => {
  const cellwire = await setUpInstallation(t);
  await createPerson(cellwire, 'Anna');
  await createPerson(cellwire, 'Ben');
  const { id, sheets } = await cellwire.runForJson(
    ...['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders'],
  );
  const documentOption = ['--document', id];
  await cellwire.runForJson('document', 'share', ...documentOption, '--user', 'ben@example.com', '--role', 'edit');
  await cellwire.runForJson('sheet', 'protect', ...documentOption, '--sheet', sheets[0], '--lock');
  await cellwire.runForJson('sheet', 'unprotect', ...documentOption, '--sheet', sheets[0]);
  await cellwire.runForJson('user', 'disable', '--user', 'ben@example.com');
  await cellwire.runForJson('document', 'delete', ...documentOption);
  const documentLog = await cellwire.runForJson('audit', ...documentOption);
  assert.deepEqual(
    documentLog.entries.map(({ action, origin }: Json) => [action, origin]),
    ['document.delete', 'sheet.unprotect', 'sheet.protect', 'document.share', 'document.create'].map((action) => [
      action,
      'operator',
    ]),
  );
  const userLog = await cellwire.runForJson('audit', '--user', 'ben@example.com');
  assert.ok(userLog.entries.some(({ action, origin }: Json) => action === 'user.disable' && origin === 'operator'));
  const all = await cellwire.runForJson('audit');
  assert.ok(all.entries.length > documentLog.entries.length);
  const times = all.entries.map(({ createdAt }: Json) => createdAt);
  assert.deepEqual(times, times.toSorted().reverse());
});

test('a password can be read from standard input', async (t) => {
  const cellwire = await setUpInstallation(t);
  let stdout = '';
  const terminal: Terminal = {
    env: cellwire.env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: () => {} },
    stdin: Readable.from(['a password ', 'of ours\r\nmore']),
  };
  const create = ['user', 'create', '--email', 'anna@example.com', '--name', 'Anna', '--password-stdin', '--json'];
  await runProgram(create, terminal);
  assert.equal(JSON.parse(stdout).password, 'a password of ours');
});

/** Files of the data folder that contain a text. */
async function findFilesContaining(folder: string, text: string): Promise<readonly string[]> {
  const matches: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    if ((await readFile(file)).includes(text)) matches.push(file);
  }
  return matches;
}

test('an erased user becomes a number in every record, and their cells stay', async (t) => {
  const cellwire = await setUpInstallation(t);
  const name = 'Zebulon Quirk';
  const email = 'zebulon@quirk.example';
  const { id } = await cellwire.runForJson('user', 'create', '--email', email, '--name', name);
  const heir = await createPerson(cellwire, 'Anna');
  const { id: document } = await cellwire.runForJson('document', 'create', '--owner', email, '--title', 'Orders');
  const { token } = await cellwire.runForJson(
    'token',
    'create',
    '--user',
    email,
    '--name',
    `${name} reads`,
    '--scopes',
    'sheets.read,sheets.write',
  );
  await cellwire.runForJson(
    'google-key',
    'create',
    '--user',
    email,
    '--name',
    name,
    '--out',
    join(cellwire.folder, 'key'),
  );
  await cellwire.runForJson('user', 'create', '--email', 'ian@example.com', '--name', 'Ian', '--workspace', name);
  const service = await cellwire.serveInProcess();
  const written = await service.call(token, 'PUT', `/documents/${document}/values/A1`, { values: [['kept']] });
  assert.equal(written.status, 200);
  const proposing = `/documents/${document}/values/A2?propose=true`;
  assert.equal((await service.call(token, 'PUT', proposing, { values: [['wanted']] })).status, 202);

  const refused = await cellwire.runCommand('user', 'erase', '--user', email, '--yes');
  assert.deepEqual([refused.code, /--transfer-to/.test(refused.stderr)], [1, true]);
  const withoutDecision = await cellwire.runCommand('user', 'erase', '--user', email);
  assert.deepEqual([withoutDecision.code, withoutDecision.stdout], [2, '']);
  assert.match(withoutDecision.stderr, /Erased user[\s\S]*For 1 document of the user, choose --transfer-to/);
  const unconfirmed = await cellwire.runCommand('user', 'erase', '--user', email, '--transfer-to', 'anna@example.com');
  assert.deepEqual([unconfirmed.code, unconfirmed.stdout, /Erased user/.test(unconfirmed.stderr)], [2, '', true]);

  const erased = await cellwire.runForJson(
    'user',
    'erase',
    '--user',
    email,
    '--transfer-to',
    'anna@example.com',
    '--yes',
  );
  assert.deepEqual(erased, { id, erased: true, documents: { transferred: 1, deleted: 0 } });
  assert.equal((await service.call(token, 'GET', `/documents/${document}`)).status, 401);
  await service.end();
  const restarted = await cellwire.serveInProcess();
  const other = await cellwire.runForJson(
    'token',
    'create',
    '--user',
    'anna@example.com',
    '--name',
    'all',
    '--scopes',
    'sheets.read',
  );
  const { body } = await restarted.call(other.token, 'GET', `/documents/${document}/revisions`);
  assert.equal(body.revisions.entries[0].userName, `Erased user ${id}`);
  const { entries } = await cellwire.runForJson('audit', '--document', document);
  const [own] = entries.filter(({ action }: Json) => action === 'update');
  assert.deepEqual([own.userId, own.userName], [id, `Erased user ${id}`]);
  const { documents } = await cellwire.runForJson('document', 'list');
  assert.equal(documents[0].owner, heir.id);
  const { users } = await cellwire.runForJson('user', 'list');
  assert.deepEqual([users[0].name, users[0].disabled], [`Erased user ${id}`, true]);
  await restarted.end();
  if (ON_POSTGRES) return;
  for (const text of [name, email, 'Zebulon', 'zebulon'])
    assert.deepEqual(await findFilesContaining(cellwire.data, text), [], text);
});

test('erasing a user with a short name leaves the names of others', async (t) => {
  const cellwire = await setUpInstallation(t);
  await createPerson(cellwire, 'Alpine');
  await createPerson(cellwire, 'Al');
  await createPerson(cellwire, 'Alma', ['--workspace', 'Al']);
  await cellwire.runForJson('user', 'create', '--email', 'other@example.com', '--name', 'Al');
  await cellwire.runForJson('workspace', 'rename', '--workspace', '2', '--name', 'Al & Alma');
  await cellwire.runForJson('user', 'erase', '--user', 'al@example.com', '--yes');
  const { workspaces } = await cellwire.runForJson('workspace', 'list');
  assert.deepEqual(
    workspaces.map(({ name }: Json) => name),
    ['Alpine', 'Erased user 2 & Alma', 'Al'],
  );
});

test('the log skips as many entries as requested', async (t) => {
  const cellwire = await setUpInstallation(t);
  await createPerson(cellwire, 'Anna');
  const { id, sheets } = await cellwire.runForJson(
    ...['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders'],
  );
  const documentOption = ['--document', id];
  for (const role of ['--lock', '--hide-values'])
    await cellwire.runForJson('sheet', 'protect', ...documentOption, '--sheet', sheets[0], role);
  for (const selection of [[], documentOption, ['--user', 'anna@example.com']]) {
    const all = (await cellwire.runForJson('audit', ...selection)).entries;
    assert.ok(all.length >= 3);
    assert.deepEqual((await cellwire.runForJson('audit', ...selection, '--offset', '2')).entries, all.slice(2));
    assert.deepEqual(
      (await cellwire.runForJson('audit', ...selection, '--offset', '1', '--limit', '1')).entries,
      all.slice(1, 2),
    );
    assert.deepEqual((await cellwire.runForJson('audit', ...selection, '--offset', '9')).entries, []);
  }
});

test('options that have no effect are refused', async (t) => {
  const cellwire = await setUpInstallation(t);
  for (const options of [['--replace'], ['--document', 'x', '--without-key']]) {
    const { code, stderr } = await cellwire.runCommand('restore', '--from', 'none.backup', ...options);
    assert.deepEqual([code, /error: option/.test(stderr)], [2, true], options.join(' '));
  }
  const create = ['document', 'create', '--owner', 'anna@example.com', '--title', 'Orders'];
  const bundle = ['--from', 'orders.cellwire'];
  for (const [words, ...options] of [
    [create, '--keep-id'],
    [create, '--keep-id', '--from', 'orders.csv'],
    [create, ...bundle, '--locale', 'de-DE'],
    [create, ...bundle, '--delimiter', ';'],
    [['document', 'export', '--document', 'x', '--to', 'orders.cellwire'], '--sheet', 'Data'],
    [['document', 'export', '--document', 'x', '--to', 'orders.cellwire'], '--force'],
  ] as const) {
    const { code, stderr } = await cellwire.runCommand(...words, ...options);
    assert.deepEqual([code, /error: option '--.*cellwire file/.test(stderr)], [2, true], options.join(' '));
  }
});

test('trashed documents of an erased user are transferred or purged', async (t) => {
  const cellwire = await setUpInstallation(t);
  const heir = await createPerson(cellwire, 'Anna');
  for (const [name, ...choice] of [
    ['Hans', '--transfer-to', 'anna@example.com'],
    ['Otto', '--delete-documents'],
  ]) {
    const { id } = await cellwire.runForJson(
      'user',
      'create',
      '--email',
      `${name}@example.com`,
      '--name',
      String(name),
    );
    const created = await cellwire.runForJson('document', 'create', '--owner', String(id), '--title', String(name));
    await cellwire.runForJson('document', 'delete', '--document', created.id);
    const trashed = await cellwire.runForJson('document', 'list', '--deleted', '--owner', String(id));
    assert.deepEqual(
      trashed.documents.map((one: Json) => [one.id, typeof one.deletedAt]),
      [[created.id, 'string']],
    );
    const { documents } = await cellwire.runForJson('user', 'erase', '--user', String(id), ...choice, '--yes');
    const isTransferred = choice.length === 2;
    assert.deepEqual(documents, isTransferred ? { transferred: 1, deleted: 0 } : { transferred: 0, deleted: 1 });
    const restored = await cellwire.runCommand('document', 'restore', '--document', created.id, '--json');
    assert.equal(restored.code, isTransferred ? 0 : 1, restored.stderr);
    if (isTransferred) assert.deepEqual(JSON.parse(restored.stdout), { id: created.id, title: name });
  }
  const { documents } = await cellwire.runForJson('document', 'list', '--owner', 'anna@example.com');
  assert.deepEqual(
    documents.map((one: Json) => [one.title, one.owner, one.deletedAt]),
    [['Hans', heir.id, null]],
  );
});

test('the data of a user is exported into one private file', async (t) => {
  const cellwire = await setUpInstallation(t);
  await createPerson(cellwire, 'Anna');
  await cellwire.runForJson('document', 'create', '--owner', 'anna@example.com', '--title', 'Orders');
  const token = await cellwire.runForJson(
    'token',
    'create',
    '--user',
    'anna@example.com',
    '--name',
    'x',
    '--scopes',
    'sheets.read',
  );
  const to = join(cellwire.folder, 'anna.zip');
  const exported = await cellwire.runForJson('user', 'export', '--user', 'anna@example.com', '--to', to);
  assert.deepEqual(exported, { file: to, documents: 1, auditEntries: 0, comments: 0 });
  assert.equal((await stat(to)).mode & 0o777, 0o600);
  const text = execFileSync('unzip', ['-p', to], { encoding: 'utf8' });
  assert.match(text, /anna@example\.com/);
  assert.doesNotMatch(text, /hash|scrypt/);
  assert.equal(text.includes(token.token), false);
  assert.equal((await cellwire.runCommand('user', 'export', '--user', 'anna@example.com', '--to', to)).code, 1);
});
