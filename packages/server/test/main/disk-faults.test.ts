import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { COMMAND, createInstallation, type Installation } from './support.ts';

const DISK = 'size=24m';
/** Remaining space for overwriting old pages of the SQLite log. */
const FREE_BYTES = 64 * 1024;
const WRITES = 12;

/** Creates an installation whose data folder is a separate disk; null if this user cannot mount one. */
async function installOnDisk(t: TestContext): Promise<Installation | null> {
  const cellwire = await createInstallation();
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

test('on a read-only disk, doctor reports it, and backups can be made and restored', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await installOnDisk(t);
  if (cellwire === null) return;
  const target = await createInstallation();
  t.after(() => target.remove());
  const { id: owner } = await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  await cellwire.runForJson('document', 'create', '--owner', String(owner), '--title', 'Orders');
  const resolveFile = (name: string) => join(cellwire.folder, name);
  remount(cellwire, 'ro');
  const { code, stdout } = await cellwire.runCommand('doctor', '--json');
  const checks = JSON.parse(stdout).checks as readonly { name: string; ok: boolean; message: string }[];
  assert.equal(code, 1);
  assert.match(checks.find(({ name }) => name === 'data folder')?.message ?? '', /read-only.*cellwire backup works/);
  assert.ok(checks.find(({ name }) => name === 'database')?.ok);
  assert.equal((await cellwire.runForJson('backup', '--to', resolveFile('closed.backup'))).documents, 1);
  const refused = await cellwire.runCommand('document', 'list', '--owner', String(owner));
  assert.match(refused.stderr, /read-only: cellwire doctor/);

  // The files of a service whose disk becomes read-only at runtime.
  remount(cellwire, 'rw');
  const service = await cellwire.serve();
  await cellwire.runForJson('document', 'create', '--owner', String(owner), '--title', 'In the log');
  await service.end('SIGKILL');
  assert.ok(existsSync(join(cellwire.data, 'cellwire.db-wal')));
  remount(cellwire, 'ro');
  assert.equal((await cellwire.runForJson('backup', '--to', resolveFile('open.backup'))).documents, 2);
  assert.equal((await target.runForJson('restore', '--from', resolveFile('open.backup'))).documents, 2);
  remount(cellwire, 'rw');
});

test('a full disk is logged once, even if it refuses many writes', WITH_FOLDER, async (t) => {
  const cellwire = await installOnDisk(t);
  if (cellwire === null) return;
  const config = join(cellwire.folder, 'config.json');
  writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
  const env = { ...cellwire.env, CELLWIRE_LOG_LEVEL: 'error', CELLWIRE_CONFIG: config };
  const child = spawn(process.execPath, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const closed = once(child, 'close');
  t.after(() => child.kill('SIGKILL'));
  let printed = '';
  let address: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    printed += `${line}\n`;
    address = /^listening on (\S+)$/.exec(line)?.[1];
    if (address !== undefined) break;
  }
  child.stdout.resume();
  const [token, document] = ['token', 'document'].map(
    (label) => new RegExp(`^ *${label} +(\\S+)`, 'm').exec(printed)?.[1],
  );
  const { bavail, bsize } = statfsSync(cellwire.data);
  writeFileSync(join(cellwire.data, 'filler'), Buffer.alloc(bavail * bsize - FREE_BYTES));
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
  const answer = await fetch(`${address}/google/v4/spreadsheets/${document}/values/H1:H400?valueInputOption=RAW`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ values: text }),
  });
  assert.equal(answer.status, 503, await answer.text());
  child.kill('SIGTERM');
  // The end of the process can be reported before the last lines of its log.
  await closed;
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const diskLines = lines.filter(({ msg }) => msg === 'no room on the disk');
  assert.equal(diskLines.length, 1, log);
  assert.deepEqual(
    lines.filter(({ err }) => err !== undefined),
    [],
    'a stack trace',
  );
});

test('a command on a full disk says what to do', WITH_FOLDER, async (t) => {
  const cellwire = await installOnDisk(t);
  if (cellwire === null) return;
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.org', '--name', 'Anna');
  const { bavail, bsize } = statfsSync(cellwire.data);
  writeFileSync(join(cellwire.data, 'filler'), Buffer.alloc(bavail * bsize));
  const user = ['user', 'create', '--email', 'ben@example.org', '--name', 'Ben'];
  for (const command of [user, ['serve'], ['backup', '--to', join(cellwire.folder, 'full.backup')]]) {
    const { code, stderr } = await cellwire.runCommand(...command);
    assert.equal(code, 1, command.join(' '));
    assert.match(stderr, /^error: The disk of the data folder is full\. Free space on it/m);
  }
});

test('serve deletes the remains of a killed restore', WITH_FOLDER, async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  const remains = join(cellwire.data, 'restoring');
  mkdirSync(remains, { recursive: true });
  writeFileSync(join(remains, 'cellwire.db'), 'half of it');
  const service = await cellwire.serve();
  assert.ok(!existsSync(remains));
  await service.end('SIGTERM');
});

test('an upload gets 503 if the disk for temporary files is full, and a killed upload is deleted at the next start', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await createInstallation();
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
  const settings = cellwire.addEnvironment({ TMPDIR: temporary });
  const service = await settings.serve();
  t.after(() => service.sendSignal('SIGKILL'));
  const token = service.readFirstStartValue('token');
  const upload = (body: string) =>
    fetch(`${service.address}/api/v1/documents?title=Rows`, {
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
  await service.end('SIGKILL');
  const restarted = await settings.serve();
  t.after(() => restarted.sendSignal('SIGKILL'));
  assert.deepEqual(readdirSync(temporary), []);
});
