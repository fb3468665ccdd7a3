import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { createTextArbitrary } from '../../../test/any-text.ts';
import { addOwner, createTemporaryFolder } from '../../server/test/documents/support.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import type { StoreLocation } from '../src/open/location.ts';
import { openPostgres } from '../src/postgres/database.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { migrate } from '../src/sqlite/migrate.ts';
import { HEAD, MAGIC, ROW, TABLE, VERSION } from '../src/transfer/archive.ts';
import { openArchive } from '../src/transfer/archive-reader.ts';
import { writeArchive } from '../src/transfer/archive-writer.ts';
import { compareAllRows, copyAllRows } from '../src/transfer/copy.ts';
import { openSource, openTarget } from '../src/transfer/open-transfer.ts';
import { decodeRow, encodeRow } from '../src/transfer/row-bytes.ts';
import { checkShapes } from '../src/transfer/table-shape.ts';
import { createSchema } from './postgres/server.ts';

const UNHEARD = (): void => {};
const COLUMNS = [
  { name: 'a', kind: 'number' },
  { name: 'b', kind: 'text' },
  { name: 'c', kind: 'bytes' },
] as const;

test('a row is restored from its bytes, and other bytes are refused', () => {
  const number = fc.oneof(fc.maxSafeInteger(), fc.constant(null));
  const text = fc.oneof(createTextArbitrary(), fc.constant(null));
  const bytes = fc.oneof(fc.uint8Array(), fc.constant(null));
  fc.assert(
    fc.property(fc.tuple(number, text, bytes), fc.nat(), fc.nat(255), (row, at, byte) => {
      const encoded = encodeRow(row);
      assert.deepEqual(decodeRow(encoded, COLUMNS), row);
      const changedBytes = Buffer.from(encoded);
      changedBytes[at % changedBytes.length] = byte;
      try {
        assert.deepEqual(encodeRow(decodeRow(changedBytes, COLUMNS)), changedBytes);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'DAMAGED');
      }
      assert.throws(() => decodeRow(encoded.subarray(0, -1), COLUMNS), { code: 'DAMAGED' });
      assert.throws(() => decodeRow(Buffer.concat([encoded, Buffer.of(0)]), COLUMNS), { code: 'DAMAGED' });
    }),
  );
});

test('a transfer contains all tables, which are the same in both databases', async (t) => {
  const folder = createTemporaryFolder(t);
  await openSqlite({ folder, writer: 'inline' }).close();
  const testSchema = await createSchema();
  t.after(() => testSchema.remove());
  await (await openPostgres({ url: testSchema.url, connections: 1 })).close();
  const locations: readonly StoreLocation[] = [
    { kind: 'sqlite', folder },
    { kind: 'postgres', url: testSchema.url, connections: 1 },
  ];
  const sources = await Promise.all(locations.map((location) => openSource(location, false)));
  // Registered first, because the schema must not be removed while a connection is open.
  await Promise.all(sources.map((source) => source.close()));
  const [sqlite, postgres] = sources;
  assert.deepEqual(sqlite?.tables, postgres?.tables);
  assert.deepEqual(sqlite?.migrations, postgres?.migrations);
  assert.ok(sqlite?.tables.every(({ key }) => key.length > 0));
  assert.deepEqual(
    sqlite?.tables.filter(({ serial }) => serial).map(({ name }) => name),
    ['workspaces', 'users', 'account_log', 'tokens', 'webhooks'],
  );
});

test('data of an older version is migrated', async (t) => {
  const folder = createTemporaryFolder(t);
  const connection = new SqliteConnection(join(folder, 'cellwire.db'));
  migrate(connection, MIGRATIONS.slice(0, 2));
  connection.runStatement("insert into workspaces (name, plan, created_at) values ('Old', 'free', 1)");
  connection.close();
  const testSchema = await createSchema();
  t.after(() => testSchema.remove());
  const source = await openSource({ kind: 'sqlite', folder }, true);
  const target = await openTarget({ kind: 'postgres', url: testSchema.url, connections: 1 });
  await target.prepare(source.migrations);
  await copyAllRows(source, target, UNHEARD);
  await compareAllRows(source, target, UNHEARD);
  await target.update();
  await target.finish();
  await source.close();
  const database = await openPostgres({ url: testSchema.url, connections: 1 });
  const rows = await database.read({ sql: 'select name from workspaces', parameters: [] });
  assert.deepEqual(rows, [{ name: 'Old' }]);
  await database.close();
});

test('a copy that differs in one value is detected', async (t) => {
  const [from, to] = [createTemporaryFolder(t), join(createTemporaryFolder(t), 'to')];
  const database = openSqlite({ folder: from, writer: 'inline' });
  await addOwner(database);
  await database.close();
  const source = await openSource({ kind: 'sqlite', folder: from }, true);
  const target = await openTarget({ kind: 'sqlite', folder: to });
  await target.prepare(source.migrations);
  await copyAllRows(source, target, UNHEARD);
  await target.write({ sql: "update users set name = 'X'", parameters: [] });
  await assert.rejects(compareAllRows(source, target, UNHEARD), {
    code: 'DIFFERENT',
    message: /users differs at id 1$/,
  });
  await target.write({ sql: "update users set name = 'O'", parameters: [] });
  await compareAllRows(source, target, UNHEARD);
  await target.write({ sql: "insert into meta (name, value) values ('a', 'b')", parameters: [] });
  await assert.rejects(compareAllRows(source, target, UNHEARD), { code: 'DIFFERENT' });
  await target.abandon();
  await source.close();
});

test('a file that cannot be written completely is removed, and the error has the reason', async (t) => {
  const folder = createTemporaryFolder(t);
  await openSqlite({ folder, writer: 'inline' }).close();
  const source = await openSource({ kind: 'sqlite', folder }, true);
  t.after(() => source.close());
  const path = join(createTemporaryFolder(t), 'a.backup');
  const brokenOff = {
    ...source,
    rows: async function* () {
      // More than one chunk, so that a part of the file is already on disk.
      for (let row = 0; row < 100; row++) yield [[randomBytes(20_000).toString('hex')]];
      throw new Error('The connection is gone');
    },
  };
  const head = { holds: 'installation', at: '', key: null } as const;
  await assert.rejects(writeArchive(path, brokenOff, head, UNHEARD), /The connection is gone/);
  assert.deepEqual(readdirSync(dirname(path)), []);
  await writeArchive(path, source, head, UNHEARD);
  assert.deepEqual(readdirSync(dirname(path)), ['a.backup']);
});

suite('a file made to do harm', () => {
  const record = (kind: number, content: Buffer, length = content.length): Buffer => {
    const head = Buffer.alloc(5);
    head.writeUInt8(kind, 0);
    head.writeUInt32LE(length, 1);
    return Buffer.concat([head, content]);
  };
  const file = (folder: string, ...records: readonly Buffer[]): string => {
    const path = join(folder, 'harm');
    writeFileSync(path, Buffer.concat([MAGIC, Buffer.of(VERSION), zstdCompressSync(Buffer.concat(records))]));
    return path;
  };
  const table = { name: 'meta', columns: [{ name: 'value', kind: 'text' }], key: [], serial: false };
  const head = (tables: readonly object[]): Buffer =>
    record(
      HEAD,
      Buffer.from(
        JSON.stringify({ holds: 'installation', at: '', migrations: [], tables, serials: {}, counts: {}, key: null }),
      ),
    );

  test('is refused before memory is allocated for its declared length', async (t) => {
    const folder = createTemporaryFolder(t);
    const wrong: readonly (readonly Buffer[])[] = [
      [record(HEAD, Buffer.alloc(0), 0xffff_ffff)],
      [record(HEAD, Buffer.from('{}'))],
      [record(HEAD, Buffer.from('['.repeat(100_000)))],
      [head([{ ...table, columns: [] }])],
      [head([{ ...table, columns: [{ name: 'value', kind: 'table' }] }])],
    ];
    for (const records of wrong) await assert.rejects(openArchive(file(folder, ...records)), { code: 'DAMAGED' });
  });

  test('must not exceed the limit of its content', async (t) => {
    const path = file(
      createTemporaryFolder(t),
      head([table]),
      record(TABLE, Buffer.from('meta')),
      ...Array.from({ length: 20 }, () => record(ROW, encodeRow(['x'.repeat(100_000)]))),
    );
    for (const bounds of [
      { rowBytes: 1_000, bytes: 10_000_000 },
      { rowBytes: 1_000_000, bytes: 1_000_000 },
    ]) {
      const archive = await openArchive(path, bounds);
      await assert.rejects(
        async () => {
          for await (const rows of archive.rows(archive.tables[0] ?? assert.fail())) assert.ok(rows.length > 0);
        },
        { code: 'DAMAGED' },
      );
      await archive.close();
    }
  });

  test('contains only tables of this version', async (t) => {
    const folder = createTemporaryFolder(t);
    await openSqlite({ folder, writer: 'inline' }).close();
    const source = await openSource({ kind: 'sqlite', folder }, true);
    const path = join(folder, 'a.backup');
    const tables = source.tables.map((table) =>
      table.name === 'meta' ? { ...table, name: 'meta" where 1=1 --' } : table,
    );
    const harmful = { ...source, tables, rows: async function* () {} };
    await writeArchive(path, harmful, { holds: 'installation', at: '', key: null }, UNHEARD);
    await source.close();
    const archive = await openArchive(path);
    const target = await openTarget({ kind: 'sqlite', folder: join(folder, 'to') });
    const targetTables = await target.prepare(archive.migrations);
    assert.throws(() => checkShapes(archive.tables, targetTables), { code: 'OTHER_SCHEMA' });
    await target.abandon();
    await archive.close();
  });
});
