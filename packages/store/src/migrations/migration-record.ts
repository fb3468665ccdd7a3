import { createHash } from 'node:crypto';
import { StoreError } from '../database/database.ts';
import { SQLITE_TYPES } from '../database/dialect.ts';
import type { Migration } from './migrations.ts';

/** Creates the record of executed migrations, before any migration runs. */
export const CREATE_RECORD = `create table if not exists schema_migrations (
  id integer not null primary key,
  name text not null,
  checksum text not null
)`;
export const SELECT_RECORD = 'select id, name, checksum from schema_migrations order by id';

/** A migration that this version contains. Its checksum does not depend on the database. */
export interface KnownMigration {
  readonly migration: Migration;
  readonly checksum: string;
}

export interface RecordedMigration {
  readonly id: number;
  readonly name: string;
  readonly checksum: string;
}

export function addChecksums(migrations: readonly Migration[]): readonly KnownMigration[] {
  return migrations.map((migration) => ({ migration, checksum: computeChecksum(migration) }));
}

/**
 * Throws `StoreError` if a newer version wrote the database, or if an executed migration differs from the migration in
 * this version.
 */
export function verifyRecord(recorded: readonly RecordedMigration[], knownMigrations: readonly KnownMigration[]): void {
  if (recorded.length > knownMigrations.length)
    throw new StoreError('The database was written by a newer version of Cellwire: use that version', 'NEWER_SCHEMA');
  recorded.forEach(({ id, name, checksum }, i) => {
    const expected = knownMigrations[i] as KnownMigration;
    if (expected.migration.id === id && expected.checksum === checksum) return;
    throw new StoreError(`Migration ${id} (${name}) differs from the one that ran on this database`, 'FOREIGN_SCHEMA');
  });
}

function computeChecksum(migration: Migration): string {
  const text = migration.statements(SQLITE_TYPES).join(';\n');
  return createHash('sha256').update(text).digest('hex');
}
