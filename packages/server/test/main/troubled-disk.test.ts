import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { COMMAND, type Installation, newInstallation } from './support.ts';

const DISK = 'size=24m';
/** Room that is left for what SQLite writes over old pages of its log. */
const LEFT_BYTES = 64 * 1024;
const WRITES = 12;

/** An installation whose data folder is a disk of its own; null where this user may not mount one. */
async function onDisk(t: TestContext): Promise<Installation | null> {
  const cellwire = await newInstallation();
  mkdirSync(cellwire.data, { mode: 0o700 });
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `${DISK},mode=0700`, 'none', cellwire.data]).status !== 0) {
    await cellwire.remove();
    // Mounting needs root, which continuous integration has.
    t.skip('this user may not mount a disk');
    return null;
  }
  t.after(async () => {
    spawnSync('umount', ['-l', cellwire.data]);
    await cellwire.remove();
  });
  return cellwire;
}

function remount(cellwire: Installation, mode: 'ro' | 'rw'): void {
  assert.equal(spawnSync('mount', ['-o', `remount,${mode}`, cellwire.data]).status, 0);
}

test('on a disk that has become read-only doctor says so, and a backup can be made and restored', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await onDisk(t);
  if (cellwire === null) return;
  const there = await newInstallation();
  t.after(() => there.remove());
  const { id: owner } = await cellwire.json('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  await cellwire.json('document', 'create', '--owner', String(owner), '--title', 'Orders');
  const file = (name: string) => join(cellwire.folder, name);
  remount(cellwire, 'ro');
  const { code, stdout } = await cellwire.run('doctor', '--json');
  const checks = JSON.parse(stdout).checks as readonly { name: string; ok: boolean; message: string }[];
  assert.equal(code, 1);
  assert.match(checks.find(({ name }) => name === 'data folder')?.message ?? '', /read-only.*cellwire backup works/);
  assert.ok(checks.find(({ name }) => name === 'database')?.ok);
  assert.equal((await cellwire.json('backup', '--to', file('closed.backup'))).documents, 1);
  const refused = await cellwire.run('document', 'list', '--owner', String(owner));
  assert.match(refused.stderr, /read-only: cellwire doctor/);

  // As a service leaves its files when its disk becomes read-only under it.
  remount(cellwire, 'rw');
  const serving = await cellwire.serve();
  await cellwire.json('document', 'create', '--owner', String(owner), '--title', 'In the log');
  await serving.end('SIGKILL');
  assert.ok(existsSync(join(cellwire.data, 'cellwire.db-wal')));
  remount(cellwire, 'ro');
  assert.equal((await cellwire.json('backup', '--to', file('open.backup'))).documents, 2);
  assert.equal((await there.json('restore', '--from', file('open.backup'))).documents, 2);
  remount(cellwire, 'rw');
});

test('a full disk is one line in the log, however many writes it refuses', WITH_FOLDER, async (t) => {
  const cellwire = await onDisk(t);
  if (cellwire === null) return;
  const config = join(cellwire.folder, 'config.json');
  writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
  const env = { ...cellwire.env, CELLWIRE_LOG_LEVEL: 'error', CELLWIRE_CONFIG: config };
  const child = spawn(process.execPath, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exit = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  let address: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    address = /^listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) break;
  }
  const [token, document] = ['token', 'document'].map(
    (label) => new RegExp(`^ *${label} +(\\S+)`, 'm').exec(printed)?.[1],
  );
  const { bavail, bsize } = statfsSync(cellwire.data);
  writeFileSync(join(cellwire.data, 'filler'), Buffer.alloc(bavail * bsize - LEFT_BYTES));
  const text = Array.from({ length: 400 }, (_, i) => [`${'x'.repeat(400)} ${i} ${Math.random()}`]);
  for (let i = 0; i < WRITES; i++) {
    const answer = await fetch(`${address}/api/v1/documents/${document}/values/H1`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ values: text }),
    });
    assert.ok(answer.status === 200 || answer.status === 503, String(answer.status));
    if (i === WRITES - 1) assert.equal(answer.status, 503);
    await answer.text();
  }
  child.kill('SIGTERM');
  await exit;
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const told = lines.filter(({ msg }) => msg === 'no room on the disk');
  assert.equal(told.length, 1, log);
  assert.equal(told[0].err, undefined);
});

test('serve clears what a killed restore has left', WITH_FOLDER, async (t) => {
  const cellwire = await newInstallation();
  t.after(() => cellwire.remove());
  const left = join(cellwire.data, 'restoring');
  mkdirSync(left, { recursive: true });
  writeFileSync(join(left, 'cellwire.db'), 'half of it');
  const serving = await cellwire.serve();
  assert.ok(!existsSync(left));
  await serving.end('SIGTERM');
});

test('an upload is answered 503 where the disk for temporary files is full, and a killed one is cleared at the next start', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await newInstallation();
  const temporary = join(cellwire.folder, 'temporary');
  mkdirSync(temporary);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', temporary]).status !== 0) {
    await cellwire.remove();
    // Mounting needs root, which continuous integration has.
    return t.skip('this user may not mount a disk');
  }
  t.after(async () => {
    spawnSync('umount', ['-l', temporary]);
    await cellwire.remove();
  });
  const settings = cellwire.with({ TMPDIR: temporary });
  const serving = await settings.serve();
  t.after(() => serving.signal('SIGKILL'));
  const token = serving.given('token');
  const upload = (body: string) =>
    fetch(`${serving.address}/api/v1/documents?title=Rows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
      body,
    });
  const answer = await upload('a,b\n'.repeat(600_000));
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  assert.equal(typeof ((await answer.json()) as { message: string }).message, 'string');
  assert.equal((await upload('a,b\n1,2\n')).status, 200);
  assert.equal(readdirSync(temporary).length, 1);
  await serving.end('SIGKILL');
  const again = await settings.serve();
  t.after(() => again.signal('SIGKILL'));
  assert.deepEqual(readdirSync(temporary), []);
});
