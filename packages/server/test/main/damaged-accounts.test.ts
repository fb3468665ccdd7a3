import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '@cellwire/store';
import { bumpAccessEpoch } from '@cellwire/store/accounts';
import { damageColumn, readRows } from '../../../store/test/damaged-rows.ts';
import { createInstallation, type Installation } from './support.ts';

/** Flips a bit of the first row of a table, while the service runs. */
async function damageFirst({ location }: Installation, table: 'tokens' | 'users', column: string): Promise<void> {
  const database = await openStore(location, 'command');
  const row = (await readRows(database, table)).find(({ id }) => id === 1);
  assert.ok(row !== undefined);
  await damageColumn(database, table, row, column);
  await database.write({ document: null, statements: [bumpAccessEpoch({})] });
  await database.close();
}

async function runDoctor(cellwire: Installation, ...options: readonly string[]) {
  const { code, stdout } = await cellwire.runCommand('doctor', ...options, '--json');
  const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'accounts');
  return { code, ok: check.ok, rows: check.rows ?? [], message: check.message };
}

test('the log, doctor, the lists and backups name damaged accounts, and commands mend them', {
  timeout: 120_000,
}, async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  const { id: user } = await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const createToken = async (name: string): Promise<string> => {
    const options = ['--user', String(user), '--name', name, '--scopes', 'sheets.read'];
    return (await cellwire.runForJson('token', 'create', ...options)).token;
  };
  const [damaged, other] = [await createToken('CI'), await createToken('Other')];
  assert.deepEqual(await runDoctor(cellwire), {
    ...{ code: 0, ok: true, rows: [], message: 'no account, subscription or proposal is damaged' },
  });
  const service = await cellwire.serve({ isLogKept: true });
  t.after(() => service.sendSignal('SIGKILL'));
  const list = async (token: string) => (await service.call(token, 'GET', '/documents')).status;
  assert.equal(await list(damaged), 200);

  await damageFirst(cellwire, 'tokens', 'scopes');
  assert.deepEqual([await list(damaged), await list(other)], [401, 200]);
  await service.waitForLogLine(
    /"reason":"token 1 \(CI\) of user 1 is damaged: its user, scopes[^"]*","msg":"a stored row/,
  );
  await service.waitForLogLine(/"reason":"damaged","user":1,"tokenName":"CI"[^\n]*"msg":"token refused"/);
  const found = await runDoctor(cellwire);
  assert.deepEqual([found.code, found.rows], [1, ['tokens:1']]);
  assert.match(found.message, /^token 1 \(CI\) of user 1 is damaged: .*; revoke it and create another one/);
  const { tokens } = await cellwire.runForJson('token', 'list', '--user', String(user));
  assert.deepEqual(
    tokens.map((one: { readonly damaged?: true }) => one.damaged ?? false),
    [true, false],
  );

  const file = join(cellwire.folder, 'all.backup');
  const backup = await cellwire.runCommand('backup', '--to', file, '--json');
  assert.equal(backup.code, 1);
  assert.deepEqual(
    JSON.parse(backup.stdout).damagedRows.map(({ key }: { readonly key: readonly number[] }) => key),
    [[1]],
  );
  assert.match(backup.stderr, /token 1 \(CI\)/);
  assert.ok(existsSync(file));
  const verified = await cellwire.runCommand('backup', 'verify', file, '--json');
  assert.deepEqual([verified.code, JSON.parse(verified.stdout).sound], [1, false]);
  const target = await createInstallation();
  t.after(() => target.remove());
  const restored = await target.runCommand('restore', '--from', file, '--json');
  assert.deepEqual([restored.code, JSON.parse(restored.stdout).damagedRows.length], [1, 1]);
  assert.deepEqual((await runDoctor(target)).rows, ['tokens:1']);

  assert.equal((await cellwire.runCommand('doctor', '--accept', 'tokens:9')).code, 1);
  assert.equal((await cellwire.runCommand('doctor', '--accept', 'passwords:1')).code, 1);
  assert.equal((await runDoctor(cellwire)).ok, false);
  assert.deepEqual(await runDoctor(cellwire, '--accept', 'tokens:1'), {
    ...{ code: 0, ok: true, rows: [], message: 'no account, subscription or proposal is damaged' },
  });

  await damageFirst(cellwire, 'users', 'disabled_at');
  assert.equal(await list(other), 401);
  assert.deepEqual((await runDoctor(cellwire)).rows, ['users:1']);
  const { users } = await cellwire.runForJson('user', 'list');
  assert.deepEqual(
    users.map((one: { readonly damaged?: true }) => one.damaged ?? false),
    [true],
  );
  await cellwire.runForJson('user', 'enable', '--user', String(user));
  assert.equal(await list(other), 200);
  assert.equal((await runDoctor(cellwire)).ok, true);
});

test('accounts of an older version work without checksums, and doctor --repair adds them', async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  const { id: user } = await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const options = ['--user', String(user), '--name', 'CI', '--scopes', 'sheets.read'];
  const { token } = await cellwire.runForJson('token', 'create', ...options);
  const database = await openStore(cellwire.location, 'command');
  const statements = ['facts_sum', 'name_sum', 'secret_sum', 'revoked_sum'].map((sum) => ({
    sql: `update tokens set ${sum} = null`,
    parameters: [],
  }));
  await database.write({ document: null, statements });
  await database.close();
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const list = async () => (await service.call(token, 'GET', '/documents')).status;
  assert.equal(await list(), 200);
  assert.equal((await runDoctor(cellwire, '--repair')).ok, true);
  assert.equal(await list(), 200);
  await damageFirst(cellwire, 'tokens', 'scopes');
  assert.equal(await list(), 401);
});
