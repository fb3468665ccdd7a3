import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { MIGRATIONS, type Migration } from '../src/migrations/migrations.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { FolderLock } from '../src/sqlite/folder-lock.ts';
import { isMigrated, migrate } from '../src/sqlite/migrate.ts';

const ONE: Migration = { id: 1, name: 'one', statements: () => ['create table a (x integer)'] };
const TWO: Migration = { id: 2, name: 'two', statements: () => ['create table b (x integer)'] };
const BROKEN: Migration = { id: 2, name: 'two', statements: () => ['create table b (x integer)', 'nonsense'] };
const EDITED: Migration = { id: 1, name: 'one', statements: () => ['create table a (y integer)'] };

function listTables(connection: SqliteConnection): readonly string[] {
  return connection
    .readRows("select name from sqlite_master where type = 'table' and name in ('a', 'b') order by 1")
    .map(({ name }) => String(name));
}

test('pending migrations run once, in order', (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'm.db'));
  migrate(connection, [ONE]);
  migrate(connection, [ONE]);
  assert.deepEqual(listTables(connection), ['a']);
  migrate(connection, [ONE, TWO]);
  assert.deepEqual(listTables(connection), ['a', 'b']);
  connection.close();
});

test('a migration that fails leaves nothing behind', (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'm.db'));
  assert.throws(() => migrate(connection, [ONE, BROKEN]));
  assert.deepEqual(listTables(connection), []);
  migrate(connection, [ONE, TWO]);
  assert.deepEqual(listTables(connection), ['a', 'b']);
  connection.close();
});

test('refuses a database of a newer version and an edited migration', (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'm.db'));
  migrate(connection, [ONE, TWO]);
  assert.throws(() => migrate(connection, [ONE]), { code: 'NEWER_SCHEMA' });
  assert.throws(() => migrate(connection, [EDITED, TWO]), { code: 'FOREIGN_SCHEMA' });
  connection.close();
});

test('migrations are numbered from 1 without a gap', () => {
  assert.deepEqual(
    MIGRATIONS.map(({ id }) => id),
    MIGRATIONS.map((_, i) => i + 1),
  );
});

test('a process that changes the schema uses the folder exclusively', (t) => {
  const folder = createTemporaryFolder(t);
  const [first, second] = [new FolderLock(folder), new FolderLock(folder)];
  assert.throws(() => first.runExclusively(() => assert.fail('not alone')), { code: 'IN_USE' });
  first.close();
  let ran = 0;
  second.runExclusively(() => ran++);
  assert.equal(ran, 1);
  second.close();
});

test('a database that an older version without this lock has open is not migrated', async (t) => {
  const folder = createTemporaryFolder(t);
  const older = new SqliteConnection(join(folder, 'cellwire.db'));
  older.db.pragma('journal_mode = WAL');
  migrate(older, MIGRATIONS.slice(0, 1));
  assert.throws(() => openSqlite({ folder, writer: 'inline' }), { code: 'IN_USE' });
  assert.equal(isMigrated(older, MIGRATIONS.slice(0, 1)), true);
  older.close();
  await openSqlite({ folder, writer: 'inline' }).close();
  const newer = new SqliteConnection(join(folder, 'cellwire.db'));
  assert.equal(isMigrated(newer, MIGRATIONS), true);
  newer.close();
});

test('each migration keeps the tables and columns that nodes of the previous version use', (t) => {
  const connection = new SqliteConnection(join(createTemporaryFolder(t), 'm.db'));
  let before: Schema = new Map();
  for (const count of MIGRATIONS.keys()) {
    migrate(connection, MIGRATIONS.slice(0, count + 1));
    const after = readSchema(connection);
    const name = MIGRATIONS[count]?.name;
    for (const [table, oldTable] of before) {
      const newTable = after.get(table);
      for (const [column, type] of oldTable.columns)
        assert.equal(newTable?.columns.get(column), type, `${name}: ${table}.${column}`);
      const newRequired = [...(newTable?.needed ?? [])].filter((column) => !oldTable.columns.has(column));
      assert.deepEqual(newRequired, [], `${name}: rows of ${table} without new columns are taken`);
      assert.deepEqual(newTable?.unique, oldTable.unique, `${name}: rows of ${table} are kept apart by what they were`);
    }
    before = after;
  }
  connection.close();
});

/** Columns by table. */
type Schema = ReadonlyMap<string, TableColumns>;

interface TableColumns {
  /** Types by column name. */
  readonly columns: ReadonlyMap<string, string>;
  /** Columns without a default that every new row must set. */
  readonly needed: ReadonlySet<string>;
  /** Columns of each unique index. */
  readonly unique: readonly string[];
}

function readSchema(connection: SqliteConnection): Schema {
  const names = connection
    .readRows("select name from sqlite_master where type = 'table'")
    .map(({ name }) => String(name));
  return new Map(
    names.map((name) => {
      const columns = connection.readRows(
        `select name, type, "notnull" as needed, dflt_value as given from pragma_table_info('${name}')`,
      );
      const unique = connection.readRows(
        `select (select group_concat(c.name) from pragma_index_info(i.name) c) as columns
         from pragma_index_list('${name}') i where i."unique" = 1 order by 1`,
      );
      const requiredColumns = columns.filter((column) => column['needed'] === 1 && column['given'] === null);
      return [
        name,
        {
          columns: new Map(columns.map((column) => [String(column['name']), String(column['type'])])),
          needed: new Set(requiredColumns.map((column) => String(column['name']))),
          unique: unique.map((index) => String(index['columns'])),
        },
      ];
    }),
  );
}
