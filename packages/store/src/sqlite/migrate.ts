import { SQLITE_TYPES } from '../database/dialect.ts';
import type { Migration } from '../migrations/migrations.ts';
import { type Known, RECORD, RECORDED, type Recorded, verify, withChecksums } from '../migrations/record.ts';
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
      connection.db.exec(RECORD);
      const ran = recorded(connection);
      verify(ran, known);
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
export function isMigrated(connection: Readable, migrations: readonly Migration[]): boolean {
  return isCurrent(connection, withChecksums(migrations));
}

/** A connection, as far as it is read. */
interface Readable {
  all(sql: string): readonly Readonly<Record<string, unknown>>[];
}

function isCurrent(connection: Readable, known: readonly Known[]): boolean {
  const tables = connection.all("select 1 from sqlite_master where name = 'schema_migrations'");
  if (tables.length === 0) return false;
  const ran = recorded(connection);
  verify(ran, known);
  return ran.length === known.length;
}

function recorded(connection: Readable): readonly Recorded[] {
  const rows = connection.all(RECORDED);
  return rows as unknown as readonly Recorded[];
}
