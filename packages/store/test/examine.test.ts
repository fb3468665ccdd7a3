import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../server/test/documents/support.ts';
import { unfinishedDocuments } from '../src/documents/unfinished.ts';
import { examineSqlite } from '../src/examine/sqlite.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { SqliteConnection } from '../src/sqlite/connection.ts';
import { openSqlite } from '../src/sqlite/database.ts';
import { migrate } from '../src/sqlite/migrate.ts';

/** The files of a folder, without the contents of SQLite's shared memory, because readers modify them. */
function readFolder(folder: string): Record<string, string> {
  const bytes = (name: string) => (name.endsWith('-shm') ? '' : readFileSync(join(folder, name), 'latin1'));
  return Object.fromEntries(readdirSync(folder).map((name) => [name, bytes(name)]));
}

/** Examines a folder's database, and checks that the folder has not changed. */
function examineUnchanged(folder: string) {
  const before = readFolder(folder);
  try {
    return examineSqlite(folder, (database) => {
      const current = database.isCurrent();
      return [database.findProblems(), current, ...(current ? database.read(unfinishedDocuments({})) : [])];
    });
  } finally {
    assert.ok(JSON.stringify(readFolder(folder)) === JSON.stringify(before), 'examining changed the folder');
  }
}

function changeSchema(folder: string, change: (connection: SqliteConnection) => void): void {
  const connection = new SqliteConnection(join(folder, 'cellwire.db'));
  connection.db.pragma('journal_mode = WAL');
  change(connection);
  connection.close();
}

test('examining a folder without a database does not create one', (t) => {
  assert.equal(examineUnchanged(createTemporaryFolder(t)), null);
});

test('an open and a closed database can be examined', async (t) => {
  const folder = createTemporaryFolder(t);
  const database = openSqlite({ folder, writer: 'inline' });
  assert.deepEqual(examineUnchanged(folder), [[], true]);
  await database.close();
  assert.deepEqual(examineUnchanged(folder), [[], true]);
  assert.ok(!readdirSync(folder).includes('cellwire.db-wal'));
});

test('examining an older schema does not migrate it', (t) => {
  const folder = createTemporaryFolder(t);
  changeSchema(folder, (connection) => migrate(connection, MIGRATIONS.slice(0, 1)));
  assert.deepEqual(examineUnchanged(folder), [[], false]);
  changeSchema(folder, (connection) => assert.equal(connection.readRows('select * from schema_migrations').length, 1));
});

test('a newer schema is reported', (t) => {
  const folder = createTemporaryFolder(t);
  changeSchema(folder, (connection) => {
    migrate(connection, MIGRATIONS);
    connection.runStatement("insert into schema_migrations (id, name, checksum) values (9999, 'later', '')");
  });
  assert.throws(() => examineUnchanged(folder), { name: 'StoreError', code: 'NEWER_SCHEMA' });
});
