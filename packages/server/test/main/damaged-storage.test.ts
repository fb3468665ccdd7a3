import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { WITH_FOLDER } from '../../../store/test/postgres/folder-databases.ts';
import { COMMAND, createInstallation, type Installation, type LocalService } from './support.ts';

const ROWS = 600;

interface CreatedDocuments {
  readonly token: string;
  readonly ids: readonly string[];
}

/** Number of documents of the installation that the tests copy. */
const DOCUMENTS = 7;

let original: Installation;
let created: CreatedDocuments;
before(async () => {
  original = await createInstallation();
  created = await createDocuments(original, DOCUMENTS);
});
after(() => original.remove());

/** A copy of an installation with documents whose service was killed. */
async function copyOriginal(): Promise<Installation> {
  const cellwire = await createInstallation();
  cpSync(original.data, cellwire.data, { recursive: true });
  return cellwire;
}

/** Creates documents with chunks, a checkpoint and a log. */
async function createDocuments(cellwire: Installation, count: number): Promise<CreatedDocuments> {
  const { id: user } = await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const scopes = 'sheets.read,sheets.write';
  const { token } = await cellwire.runForJson(
    'token',
    'create',
    '--user',
    String(user),
    '--name',
    'T',
    '--scopes',
    scopes,
  );
  const file = join(cellwire.folder, 'rows.csv');
  writeFileSync(file, Array.from({ length: ROWS }, (_, row) => `${row},text ${row}\n`).join(''));
  const ids: string[] = [];
  for (let i = 0; i < count; i++)
    ids.push(
      (await cellwire.runForJson('document', 'create', '--owner', String(user), '--title', `Book ${i}`, '--from', file))
        .id,
    );
  const service = await cellwire.serve();
  for (const id of ids)
    assert.equal((await service.call(token, 'PUT', `/documents/${id}/values/D1`, { values: [[1]] })).status, 200);
  await service.end('SIGKILL');
  return { token, ids };
}

/** Flips one bit of a stored column. */
function flipBit(cellwire: Installation, table: string, column: string, document: string, offset: number): void {
  const database = new Database(join(cellwire.data, 'cellwire.db'));
  const where = `${table === 'documents' ? 'id' : 'document_id'} = ? and ${column} is not null`;
  const { bytes: stored } = database
    .prepare(`select ${column} as bytes from ${table} where ${where} limit 1`)
    .get(document) as { bytes: Buffer | string };
  const bytes = Buffer.from(stored);
  const position = offset < 0 ? bytes.length + offset : offset;
  bytes[position] = (bytes[position] as number) ^ 1;
  const value = typeof stored === 'string' ? bytes.toString('latin1') : bytes;
  database.prepare(`update ${table} set ${column} = ? where ${where} and ${column} = ?`).run(value, document, stored);
  database.close();
}

/** Positions of flipped bits: table, column, and offset from the start or the end. */
const DAMAGE_SITES = [
  ['chunks', 'bytes', 5],
  ['chunks', 'bytes', -1],
  ['chunks', 'bytes', -12],
  ['checkpoints', 'meta', 3],
  ['commits', 'delta', 4],
  ['commits', 'delta', -7],
] as const;

suite('damaged stored bytes', {
  concurrency: false,
  ...WITH_FOLDER,
  timeout: 180_000,
}, () => {
  let cellwire: Installation;
  let damaged: readonly string[];
  let sound: string;
  let service: LocalService;

  before(async () => {
    cellwire = await copyOriginal();
    const config = join(cellwire.folder, 'config.json');
    writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
    cellwire = cellwire.addEnvironment({ CELLWIRE_CONFIG: config });
    damaged = created.ids.slice(0, DAMAGE_SITES.length);
    sound = created.ids[DAMAGE_SITES.length] as string;
    DAMAGE_SITES.forEach(([table, column, offset], i) => {
      flipBit(cellwire, table, column, damaged[i] as string, offset);
    });
    service = await cellwire.serveInProcess();
  });
  after(async () => {
    await service.end();
    await cellwire.remove();
  });

  test('make only their document unavailable, for reads and writes', async () => {
    for (const id of damaged) {
      const read = await service.call(created.token, 'GET', `/documents/${id}/values/A1:B3`);
      assert.deepEqual([read.status, read.body.message], [503, 'Document is damaged'], id);
      const write = await service.call(created.token, 'PUT', `/documents/${id}/values/A1`, { values: [[2]] });
      assert.deepEqual([write.status, write.body.message], [503, 'Document is damaged'], id);
    }
    assert.equal((await service.call(created.token, 'GET', `/documents/${sound}/values/A1:B3`)).status, 200);
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    assert.match(metrics, new RegExp(`^cellwire_damaged_documents ${damaged.length}$`, 'm'));
  });

  test('are reported by doctor, which reports no intact document', async () => {
    const { code, stdout } = await cellwire.runCommand('doctor', '--json');
    const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'documents');
    assert.equal(code, 1);
    assert.deepEqual(check.documents.toSorted(), damaged.toSorted());
  });

  test('prevent a backup, unless they are skipped', async () => {
    const file = join(cellwire.folder, 'all.backup');
    const refused = await cellwire.runCommand('backup', '--to', file, '--json');
    assert.equal(refused.code, 1);
    const result = JSON.parse(refused.stdout);
    assert.deepEqual(
      result.damaged.map(({ document }: { document: string }) => document).toSorted(),
      damaged.toSorted(),
    );
    for (const id of damaged) assert.ok(refused.stderr.includes(id));
    assert.ok(!existsSync(file));

    const skipped = await cellwire.runCommand('backup', '--to', file, '--skip-damaged', '--json');
    assert.equal(skipped.code, 1);
    assert.equal(JSON.parse(skipped.stdout).documents, 1);
    const verified = await cellwire.runForJson('backup', 'verify', file);
    assert.deepEqual(verified, { file, documents: 1, sound: true, problems: [], damagedRows: [] });
    const targetInstallation = await createInstallation();
    const { documents, problems } = await targetInstallation.runForJson('restore', '--from', file);
    assert.deepEqual([documents, problems], [1, []]);
    await targetInstallation.remove();
  });
});

test('doctor also checks undo data and changed areas, and undo refuses damaged data', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const { token, ids } = created;
  const [undo = '', areas = '', sound = ''] = ids;
  flipBit(cellwire, 'commits', 'inverse', undo, 3);
  flipBit(cellwire, 'commits', 'areas', areas, 14);
  const { stdout } = await cellwire.runCommand('doctor', '--json');
  const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'documents');
  assert.deepEqual(check.documents.toSorted(), [undo, areas].toSorted());
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  const refused = await service.call(token, 'POST', `/documents/${undo}/revisions/1/undo`);
  assert.deepEqual([refused.status, refused.body.message], [503, 'Document is damaged']);
  assert.equal((await service.call(token, 'GET', `/documents/${undo}/values/A1`)).status, 200);
  assert.equal((await service.call(token, 'POST', `/documents/${sound}/revisions/1/undo`)).status, 200);
});

/** Columns outside the stored pieces, each with a request that reads it. */
const DAMAGED_COLUMNS = [
  ['documents', 'head', '/values/A1'],
  ['documents', 'title', ''],
  ['commits', 'head', '/revisions'],
  ['commits', 'parent', '/changes?since=0'],
  ['commits', 'areas', '/changes?since=0'],
  ['checkpoints', 'document_id', '/values/A1'],
] as const;

test('changed columns of documents and commits are found by doctor, by backup and when they are read', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const { token, ids } = created;
  DAMAGED_COLUMNS.forEach(([table, column], i) => {
    flipBit(cellwire, table, column, ids[i] as string, -5);
  });
  const damaged = ids.slice(0, DAMAGED_COLUMNS.length);
  const { stdout } = await cellwire.runCommand('doctor', '--json');
  const { documents } = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'documents');
  const refused = await cellwire.runCommand('backup', '--to', join(cellwire.folder, 'all.backup'), '--json');
  const named = JSON.parse(refused.stdout).damaged.map(({ document }: { document: string }) => document);
  for (const list of [documents, named]) assert.deepEqual(new Set(damaged).difference(new Set(list)), new Set());
  const service = await cellwire.serveInProcess();
  t.after(() => service.end());
  for (const [i, [table, column, path]] of DAMAGED_COLUMNS.entries()) {
    const { status, body } = await service.call(token, 'GET', `/documents/${ids[i]}${path}`);
    assert.deepEqual([status, body.message], [503, 'Document is damaged'], `${table}.${column}`);
  }
  assert.equal((await service.call(token, 'GET', `/documents/${ids.at(-1)}/values/A1`)).status, 200);
});

test('doctor finds a share whose document id is damaged', { ...WITH_FOLDER }, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const document = created.ids[0] as string;
  await cellwire.runForJson('user', 'create', '--email', 'ben@example.com', '--name', 'Ben');
  await cellwire.runForJson('document', 'share', '--document', document, '--user', 'ben@example.com', '--role', 'view');
  flipBit(cellwire, 'shares', 'document_id', document, -5);
  const { stdout } = await cellwire.runCommand('doctor', '--json');
  const { documents } = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'documents');
  const [damaged, ...others] = documents as readonly string[];
  assert.deepEqual(others, []);
  assert.equal(damaged?.slice(0, -5), document.slice(0, -5));
  assert.notEqual(damaged, document);
});

/** Length of the checksums of a stored piece. */
const TRAILER_BYTES = 16;

test('data of an older version is served without checksums, and doctor --repair adds them', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const { token, ids } = created;
  const [id = ''] = ids;
  const database = new Database(join(cellwire.data, 'cellwire.db'));
  const pieces = [
    ['chunks', 'bytes'],
    ['checkpoints', 'meta'],
    ['commits', 'delta'],
    ['commits', 'inverse'],
  ];
  for (const [table, column] of pieces)
    database
      .prepare(`update ${table} set ${column} = substr(${column}, 1, length(${column}) - ${TRAILER_BYTES})`)
      .run();
  database.prepare('update commits set facts_sum = null, changes_sum = null').run();
  database.prepare('update documents set title_sum = null').run();
  database.close();
  const first = await cellwire.serve();
  const path = `/documents/${id}/values/A1:D3`;
  const before = await first.call(token, 'GET', path);
  assert.equal(before.status, 200);
  assert.equal((await first.call(token, 'PUT', `/documents/${id}/values/E1`, { values: [[1]] })).status, 200);
  const repaired = await cellwire.runCommand('doctor', '--repair', '--json');
  assert.equal(repaired.code, 0, repaired.stdout);
  await first.end('SIGKILL');
  flipBit(cellwire, 'chunks', 'bytes', id, 9);
  flipBit(cellwire, 'documents', 'title', ids.at(-1) as string, 1);
  const { stdout } = await cellwire.runCommand('doctor', '--json');
  const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'documents');
  assert.deepEqual(check.documents.toSorted(), [id, ids.at(-1)].toSorted());
  const second = await cellwire.serveInProcess();
  t.after(() => second.end());
  assert.equal((await second.call(token, 'GET', path)).body.message, 'Document is damaged');
});

test('a start that finds acknowledged commits missing reports it in the log, in /metrics and by doctor', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const { token, ids } = created;
  const [id = '', other = ''] = ids;
  const database = new Database(join(cellwire.data, 'cellwire.db'));
  database.pragma('wal_checkpoint(truncate)');
  database.close();
  const service = await cellwire.serve();
  assert.equal((await service.call(token, 'PUT', `/documents/${id}/values/E1`, { values: [[1]] })).status, 200);
  const file = join(cellwire.data, 'newest-commits.json');
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('"revision":2')) await delay(20);
  assert.equal(statSync(file).mode & 0o077, 0);
  await service.end('SIGKILL');
  for (const name of ['cellwire.db-wal', 'cellwire.db-shm']) rmSync(join(cellwire.data, name));
  const check = async () => {
    const { stdout } = await cellwire.runCommand('doctor', '--json');
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'newest commits');
  };
  assert.deepEqual((await check()).documents, [id]);
  const restarted = await cellwire.serveInProcess();
  assert.match(await (await fetch(`${restarted.address}/metrics`)).text(), /^cellwire_lost_commits_documents 1$/m);
  assert.equal((await restarted.call(token, 'PUT', `/documents/${other}/values/E1`, { values: [[1]] })).status, 200);
  await restarted.end();
  assert.deepEqual((await check()).documents, [id]);
  await cellwire.runCommand('doctor', '--repair');
  assert.equal((await check()).ok, true);
});

test('a document can be restored from a backup while the service runs, replacing a damaged one', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await copyOriginal();
  t.after(() => cellwire.remove());
  const { token, ids } = created;
  const [id = '', other = ''] = ids;
  const file = join(cellwire.folder, 'all.backup');
  await cellwire.runForJson('backup', '--to', file);
  flipBit(cellwire, 'chunks', 'bytes', id, 5);
  const service = await cellwire.serve();
  t.after(() => service.sendSignal('SIGKILL'));
  const path = `/documents/${id}/values/A1:D2`;
  assert.equal((await service.call(token, 'GET', path)).status, 503);
  const countDamaged = async () => {
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    return /^cellwire_damaged_documents (\d+)$/m.exec(metrics)?.[1];
  };
  assert.equal(await countDamaged(), '1');
  assert.equal((await service.call(token, 'PUT', `/documents/${other}/values/E1`, { values: [[1]] })).status, 200);
  const refused = await cellwire.runCommand('restore', '--from', file, '--document', id, '--json');
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /--replace/);
  const restored = await cellwire.runForJson('restore', '--from', file, '--document', id, '--replace');
  assert.deepEqual(restored, { documents: 1, problems: [] });
  const read = await service.call(token, 'GET', path);
  assert.equal(read.status, 200);
  assert.equal(read.body.values.cells[0][3].v, 1);
  assert.equal(await countDamaged(), '0');
  assert.equal((await service.call(token, 'PUT', `/documents/${id}/values/E1`, { values: [[2]] })).status, 200);
  assert.equal((await service.call(token, 'GET', `/documents/${other}/values/E1`)).body.values.cells[0][0].v, 1);
  assert.equal((await cellwire.runCommand('doctor')).code, 0);
});

test('a backup can be written to standard output', async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const file = join(cellwire.folder, 'piped.backup');
  const { stderr, status } = spawnSync(
    'sh',
    ['-c', `"${process.execPath}" "${COMMAND}" backup --to - --json > "${file}"`],
    {
      env: cellwire.env,
    },
  );
  assert.equal(status, 0);
  assert.deepEqual(JSON.parse(stderr.toString()).damaged, []);
  assert.equal((await cellwire.runForJson('backup', 'verify', file)).sound, true);
});

test('keys without a database are not accepted as a new installation, unless requested', {
  ...WITH_FOLDER,
}, async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const database = join(cellwire.data, 'cellwire.db');
  for (const removeDatabase of [() => rmSync(database), () => writeFileSync(database, '')]) {
    removeDatabase();
    for (const args of [['serve'], ['user', 'list']]) {
      const { code, stderr } = await cellwire.runCommand(...args);
      assert.equal(code, 1);
      assert.match(stderr, /has no database, or an empty one, beside .*secrets\.key/);
    }
  }
  const child = spawn(process.execPath, [COMMAND, 'serve', '--new-installation'], {
    env: cellwire.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exit = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('listening on')) break;
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null]);
});

test('backup verify reports an invalid file', async (t) => {
  const cellwire = await createInstallation();
  t.after(() => cellwire.remove());
  await cellwire.runForJson('user', 'create', '--email', 'anna@example.com', '--name', 'Anna');
  const file = join(cellwire.folder, 'not-a.backup');
  const { code, stdout } = await cellwire.runCommand(
    'backup',
    'verify',
    join(cellwire.folder, 'none.backup'),
    '--json',
  );
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).sound, false);
  assert.equal((await cellwire.runCommand('backup')).code, 2);
  assert.ok(!existsSync(file));
});
