import { SQLITE_TYPES } from '../database/dialect.ts';
import type { Migration } from '../migrations/migrations.ts';
import {
  CREATE_RECORD,
  type KnownMigration,
  type RecordedMigration,
  SELECT_RECORD,
  verifyRecord,
  withChecksums,
} from '../migrations/record.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Brings the database up to the given migrations; does nothing, and takes no lock, when it is. Throws `StoreError`
 * where it was written by a newer version, or where a migration that ran is not the one known here.
 */
export function migrate(connection: SqliteConnection, migrations: readonly Migration[]): void {
  const known = withChecksums(migrations);
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

/** Whether the database is up to date. Throws as `migrate` does. */
export function isMigrated(connection: ReadableConnection, migrations: readonly Migration[]): boolean {
  return isCurrent(connection, withChecksums(migrations));
}

/** A connection, as far as it is read. */
interface ReadableConnection {
  all(sql: string): readonly Readonly<Record<string, unknown>>[];
}

function isCurrent(connection: ReadableConnection, known: readonly KnownMigration[]): boolean {
  const tables = connection.all("select 1 from sqlite_master where name = 'schema_migrations'");
  if (tables.length === 0) return false;
  const ran = readRecord(connection);
  verifyRecord(ran, known);
  return ran.length === known.length;
}

function readRecord(connection: ReadableConnection): readonly RecordedMigration[] {
  const rows = connection.all(SELECT_RECORD);
  return rows as unknown as readonly RecordedMigration[];
}
