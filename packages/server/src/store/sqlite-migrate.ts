import { createHash } from 'node:crypto';
import { StoreError } from './database.ts';
import { SQLITE_TYPES } from './dialect.ts';
import type { Migration } from './migrations.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** The record of what ran; made by this file, before any migration. */
const RECORD = `create table if not exists schema_migrations (
  id integer not null primary key,
  name text not null,
  checksum text not null
)`;

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

function withChecksums(migrations: readonly Migration[]): readonly Known[] {
  return migrations.map((migration) => ({ migration, checksum: checksum(migration) }));
}

/** A connection, as far as it is read. */
interface Readable {
  all(sql: string): readonly Readonly<Record<string, unknown>>[];
}

interface Known {
  readonly migration: Migration;
  readonly checksum: string;
}

interface Recorded {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
}

function isCurrent(connection: Readable, known: readonly Known[]): boolean {
  const tables = connection.all("select 1 from sqlite_master where name = 'schema_migrations'");
  if (tables.length === 0) return false;
  const ran = recorded(connection);
  verify(ran, known);
  return ran.length === known.length;
}

function recorded(connection: Readable): readonly Recorded[] {
  const rows = connection.all('select id, name, checksum from schema_migrations order by id');
  return rows as unknown as readonly Recorded[];
}

function verify(ran: readonly Recorded[], known: readonly Known[]): void {
  if (ran.length > known.length)
    throw new StoreError(
      'The data folder was written by a newer version of Cellwire, which has to be used for it',
      'NEWER_SCHEMA',
    );
  ran.forEach(({ id, name, checksum }, i) => {
    const expected = known[i] as Known;
    if (expected.migration.id === id && expected.checksum === checksum) return;
    throw new StoreError(`Migration ${id} (${name}) is not the one that ran on this database`, 'FOREIGN_SCHEMA');
  });
}

function checksum(migration: Migration): string {
  const text = migration.statements(SQLITE_TYPES).join(';\n');
  return createHash('sha256').update(text).digest('hex');
}
