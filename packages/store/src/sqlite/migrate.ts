import { SQLITE_TYPES } from '../database/dialect.ts';
import {
  addChecksums,
  CREATE_RECORD,
  type KnownMigration,
  type RecordedMigration,
  SELECT_RECORD,
  verifyRecord,
} from '../migrations/migration-record.ts';
import type { Migration } from '../migrations/migrations.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Migrates the database to the given migrations. If it is current, no lock is taken. Throws `StoreError` if a newer
 * version wrote it, or if an executed migration differs from this version's.
 */
export function migrate(connection: SqliteConnection, migrations: readonly Migration[]): void {
  const known = addChecksums(migrations);
  if (isCurrent(connection, known)) return;
  connection.db
    .transaction(() => {
      connection.db.exec(CREATE_RECORD);
      const ran = readRecord(connection);
      verifyRecord(ran, known);
      for (const { migration, checksum } of known.slice(ran.length)) {
        for (const statement of migration.statements(SQLITE_TYPES)) connection.db.exec(statement);
        connection.db
          .prepare('insert into schema_migrations (id, name, checksum) values (?, ?, ?)')
          .run(migration.id, migration.name, checksum);
      }
    })
    .immediate();
}

/** True if the schema is current. Throws as `migrate` does. */
export function isMigrated(connection: ReadableConnection, migrations: readonly Migration[]): boolean {
  return isCurrent(connection, addChecksums(migrations));
}

/** The methods of a connection that are needed to read the record of migrations. */
interface ReadableConnection {
  readRows(sql: string): readonly Readonly<Record<string, unknown>>[];
}

function isCurrent(connection: ReadableConnection, knownMigrations: readonly KnownMigration[]): boolean {
  const tables = connection.readRows("select 1 from sqlite_master where name = 'schema_migrations'");
  if (tables.length === 0) return false;
  const ran = readRecord(connection);
  verifyRecord(ran, knownMigrations);
  return ran.length === knownMigrations.length;
}

function readRecord(connection: ReadableConnection): readonly RecordedMigration[] {
  const rows = connection.readRows(SELECT_RECORD);
  return rows as unknown as readonly RecordedMigration[];
}
