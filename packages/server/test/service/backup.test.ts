import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { migrateInstallation } from '../../src/service/operator/migrate.ts';
import { createTemporaryFolder } from '../documents/support.ts';
import { type Api, type Json, memberAt, requireAccepted } from '../http/support.ts';
import {
  createBackup,
  createEmptyConfig,
  type DatabaseKind,
  openOnNewService,
  readReason,
  restoreBackup,
  startWorldOn,
  toInstallation,
} from './support.ts';

const KINDS: readonly (readonly [DatabaseKind, DatabaseKind])[] = [
  ['the embedded database', 'PostgreSQL'],
  ['PostgreSQL', 'the embedded database'],
];
const ignoreSteps = (): void => {};
const ROWS = 40;

/** The content of a document that users and programs can read. */
async function readVisibleContent(book: Api): Promise<Json> {
  return {
    cells: await book.cells('A1:C2'),
    last: await book.cells('A40:B40'),
    revisions: (await book.requestInDocument('GET', '/revisions?limit=5')).body,
    past: (await book.requestInDocument('GET', '/values/A1:C2?revision=1')).body,
    audit: (await book.listAuditEntries('?limit=3')) as unknown as Json,
    webhooks: (await book.requestInDocument('GET', '/webhooks')).body,
  } as unknown as Json;
}

/** Creates a document with formulas, history, a subscription, and a user who may only view it. */
async function createBook(world: Awaited<ReturnType<typeof startWorldOn>>): Promise<Api> {
  const book = await world.createBook({ title: 'Заказы' });
  await book.put('A1:C1', [[1, '=A1*2', 'текст']], { mode: 'USER_ENTERED' });
  await book.put('A2', [['=SUM(A1:B1)']], { mode: 'USER_ENTERED' });
  await book.put(
    'A3:B40',
    Array.from({ length: ROWS - 2 }, (_, i) => [i, i / 7]),
  );
  assert.equal((await book.post('/webhooks', { url: 'http://127.0.0.1:9/hook' })).status, 200);
  await world.addMember(book.document, 'view');
  return book;
}

for (const [from, to] of KINDS) {
  suite(`a backup of ${from}`, () => {
    test(`restores the same content, also into ${to}, with the same file permissions`, async (t) => {
      const world = await startWorldOn(t, from);
      const book = await createBook(world);
      const before = await readVisibleContent(book);
      const folder = createTemporaryFolder(t);
      const file = join(folder, 'all.backup');
      const backupResult = await createBackup(world.server.service.context.config, file);
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.deepEqual([backupResult.documents, backupResult.bytes, backupResult.key], [1, statSync(file).size, true]);
      assert.deepEqual(readdirSync(folder), ['all.backup']);
      for (const kind of [from, to]) {
        const config = await createEmptyConfig(
          t,
          kind,
          world.server.service.context.config,
          join(createTemporaryFolder(t), 'new', 'data'),
        );
        const { documents, rows, lost } = requireAccepted(await restoreBackup(config, file));
        assert.deepEqual([documents, rows, lost], [1, backupResult.rows, []]);
        const restoredBook = await openOnNewService(t, config, book);
        assert.deepEqual(await readVisibleContent(restoredBook), before);
        // New entries get new numbers, and the log continues.
        assert.equal((await restoredBook.put('A1', [[5]])).status, 200);
        assert.ok(
          Number(
            memberAt((await restoredBook.post('/webhooks', { url: 'http://127.0.0.1:9/two' })).body, 'webhook', 'id'),
          ) > 1,
        );
        assert.match(readReason(await restoreBackup(config, file)), /already|ends? (that|it)|runs on/);
      }
      assert.deepEqual(await readVisibleContent(book), before);
    });

    test('is consistent while others write', async (t) => {
      const world = await startWorldOn(t, from);
      const books = await Promise.all([world.createBook(), world.createBook()]);
      let isDone = false;
      let written = 0;
      const writing = Promise.all(
        books.map(async (book) => {
          while (!isDone) {
            assert.equal((await book.append('A1', [[1]])).status, 200);
            written++;
          }
        }),
      );
      const file = join(createTemporaryFolder(t), 'all.backup');
      while (written < 10) await new Promise((resolve) => setImmediate(resolve));
      await createBackup(world.server.service.context.config, file);
      isDone = true;
      await writing;
      const config = await createEmptyConfig(
        t,
        from,
        world.server.service.context.config,
        join(createTemporaryFolder(t), 'data'),
      );
      // Every document is opened with all of its log.
      assert.equal(requireAccepted(await restoreBackup(config, file)).documents, 2);
    });
  });

  suite(`moving from ${from} to ${to}`, () => {
    test('moves everything into an empty place once no service runs', async (t) => {
      const world = await startWorldOn(t, from);
      const book = await createBook(world);
      const before = await readVisibleContent(book);
      const { config } = world.server.service.context;
      const target = await createEmptyConfig(t, to, config, join(createTemporaryFolder(t), 'data'));
      const [here, restoredBook] = [toInstallation(config), toInstallation(target)];
      assert.match(readReason(await migrateInstallation(here.store, restoredBook.store, ignoreSteps)), /end (that|it)/);
      await world.server.close();
      requireAccepted(await migrateInstallation(here.store, restoredBook.store, ignoreSteps));
      assert.match(readReason(await migrateInstallation(here.store, restoredBook.store, ignoreSteps)), /already/);
      const moved = await openOnNewService(
        t,
        {
          ...target,
          dataFolder: to === 'PostgreSQL' ? config.dataFolder : target.dataFolder,
          secretsKey: readKey(config.dataFolder),
        },
        book,
      );
      assert.deepEqual(await readVisibleContent(moved), before);
    });
  });
}

function readKey(folder: string): string {
  return readFileSync(join(folder, 'keys', 'secrets.key')).toString('hex');
}

suite('a damaged backup', () => {
  test('is refused and changes nothing', async (t) => {
    const world = await startWorldOn(t, 'the embedded database');
    await world.createBook();
    const { config } = world.server.service.context;
    const folder = createTemporaryFolder(t);
    const file = join(folder, 'all.backup');
    await createBackup(config, file);
    const backupBytes = readFileSync(file);
    const flipByte = (at: number) => backupBytes.map((byte, i) => (i === at ? byte ^ 0x55 : byte));
    const damaged: readonly (readonly [string, Uint8Array])[] = [
      ['empty', new Uint8Array()],
      ['another file', Buffer.from('PK\x03\x04'.padEnd(500, 'x'))],
      ['cut short', backupBytes.subarray(0, -1)],
      ['cut in half', backupBytes.subarray(0, backupBytes.length / 2)],
      ['longer', Buffer.concat([backupBytes, Buffer.from('more')])],
      ['twice', Buffer.concat([backupBytes, backupBytes])],
      ...Array.from({ length: 24 }, (_, i) => Math.floor((i * backupBytes.length) / 24)).map(
        (at) => [`byte ${at}`, flipByte(at)] as const,
      ),
    ];
    const emptyConfig = { ...config, dataFolder: join(folder, 'data') };
    for (const [name, bytes] of damaged) {
      writeFileSync(file, bytes);
      assert.match(readReason(await restoreBackup(emptyConfig, file)), /damaged|version/, name);
      assert.ok(!existsSync(emptyConfig.dataFolder), name);
    }
  });

  test('a restore overwrites the remains of a killed restore, but no other data', async (t) => {
    const world = await startWorldOn(t, 'the embedded database');
    const { config } = world.server.service.context;
    const file = join(createTemporaryFolder(t), 'all.backup');
    await createBackup(config, file);
    const emptyConfig = { ...config, dataFolder: join(createTemporaryFolder(t), 'data') };
    mkdirSync(join(emptyConfig.dataFolder, 'restoring'), { recursive: true });
    writeFileSync(join(emptyConfig.dataFolder, 'restoring', 'cellwire.db'), 'half');
    requireAccepted(await restoreBackup(emptyConfig, file));
    assert.ok(!existsSync(join(emptyConfig.dataFolder, 'restoring')));
    const before = readFileSync(join(emptyConfig.dataFolder, 'cellwire.db'));
    assert.match(readReason(await restoreBackup(emptyConfig, file)), /already/);
    assert.deepEqual(readFileSync(join(emptyConfig.dataFolder, 'cellwire.db')), before);
    assert.match(readReason(await restoreBackup(emptyConfig, join(emptyConfig.dataFolder, 'none'))), /no such file/);
  });
});

suite('the key for secrets', () => {
  test('is in a backup unless the settings contain it; without it, a restore of unreadable secrets is refused', async (t) => {
    const world = await startWorldOn(t, 'the embedded database');
    const book = await createBook(world);
    const { config } = world.server.service.context;
    const folder = createTemporaryFolder(t);
    const file = join(folder, 'all.backup');
    const key = readKey(config.dataFolder);
    const createConfigAt = (name: string) => ({ ...config, dataFolder: join(folder, name) });
    assert.equal((await createBackup(config, file, true)).key, false);
    assert.match(readReason(await restoreBackup(createConfigAt('a'), file)), /key/);
    assert.ok(!existsSync(join(folder, 'a')));
    const other = { ...createConfigAt('b'), secretsKey: '00'.repeat(32) };
    assert.match(readReason(await restoreBackup(other, file)), /key/);
    assert.deepEqual(requireAccepted(await restoreBackup({ ...createConfigAt('c'), secretsKey: key }, file)).lost, []);
    const [lost] = requireAccepted(await restoreBackup(createConfigAt('d'), file, true)).lost;
    assert.equal(typeof lost, 'number');
    const restoredBook = await openOnNewService(t, createConfigAt('d'), book);
    assert.equal((await restoredBook.post(`/webhooks/${lost}/secret`, undefined)).status, 200);

    const apart = await createBackup({ ...config, secretsKey: key }, join(folder, 'apart.backup'));
    assert.equal(apart.key, false);
  });
});
