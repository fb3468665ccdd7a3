import { StoreError } from '../database/database.ts';
import { POSTGRES_TYPES } from '../database/dialect.ts';
import { POSTGRES_LOCK_MS } from '../database/limits.ts';
import {
  addChecksums,
  CREATE_RECORD,
  type KnownMigration,
  type RecordedMigration,
  SELECT_RECORD,
  verifyRecord,
} from '../migrations/migration-record.ts';
import type { Migration } from '../migrations/migrations.ts';
import type { PostgresConnection } from './connection.ts';
import { SCHEMA_LOCK, SCHEMA_UNLOCK } from './locks.ts';

const SCHEMA_STATE = `select current_setting('server_encoding') as encoding, current_user as name,
  coalesce(has_schema_privilege(current_schema(), 'create'), false)::text as mine`;
/** Selects a table of the installation on which the connection's user lacks rights. */
const INACCESSIBLE_TABLE = `select c.relname as name, current_user as mine
  from pg_class c join pg_class record on record.relnamespace = c.relnamespace and record.relowner = c.relowner
  where record.oid = to_regclass('schema_migrations') and c.oid <> record.oid and c.relkind = 'r'
    and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
      and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
  order by c.relname limit 1`;
const SET_LOCK_TIMEOUT = "select set_config('lock_timeout', ?, false)";
const FIND_RECORD = "select to_regclass('schema_migrations')::text as name";

/**
 * Migrates the schema to the given migrations, one node at a time. If it is current, no lock is taken. Rejects with
 * `StoreError` if a newer version wrote the schema, if an executed migration differs from this version's, if the
 * database's encoding is not UTF-8, or if tables cannot be created.
 */
export async function migrate(connection: PostgresConnection, migrations: readonly Migration[]): Promise<void> {
  const known = addChecksums(migrations);
  if (await isCurrent(connection, known)) return;
  await lockSchema(connection);
  try {
    if (!(await isCurrent(connection, known))) await migrateInTransaction(connection, known);
  } finally {
    if (!connection.isBroken) await connection.sendStatement(SCHEMA_UNLOCK);
  }
}

/**
 * Waits without a time limit for another node's migration, which may take long. During the migration itself, locks have
 * a time limit again, because all other clients wait behind it.
 */
async function lockSchema(connection: PostgresConnection): Promise<void> {
  await connection.sendStatement(SET_LOCK_TIMEOUT, ['0']);
  await connection.sendStatement(SCHEMA_LOCK);
  await connection.sendStatement(SET_LOCK_TIMEOUT, [String(POSTGRES_LOCK_MS)]);
}

/** True if the schema is current. Rejects as `migrate` does. */
export async function isMigrated(connection: PostgresConnection, migrations: readonly Migration[]): Promise<boolean> {
  if ((await readRecordIfPresent(connection)) === null) await verifySchema(connection);
  return isCurrent(connection, addChecksums(migrations));
}

async function migrateInTransaction(
  connection: PostgresConnection,
  knownMigrations: readonly KnownMigration[],
): Promise<void> {
  await connection.sendStatement('begin');
  try {
    await runMigrations(connection, knownMigrations);
    await connection.sendStatement('commit');
  } catch (error) {
    if (!connection.isBroken) await connection.sendStatement('rollback');
    throw error;
  }
}

/** Migrates as `migrate` does, inside a transaction of a caller that holds the lock. */
export function migrateWithin(connection: PostgresConnection, migrations: readonly Migration[]): Promise<void> {
  return runMigrations(connection, addChecksums(migrations));
}

async function runMigrations(
  connection: PostgresConnection,
  knownMigrations: readonly KnownMigration[],
): Promise<void> {
  if ((await readRecordIfPresent(connection)) === null) await verifySchema(connection);
  await connection.sendStatement(CREATE_RECORD);
  const ran = await readRecord(connection);
  verifyRecord(ran, knownMigrations);
  for (const { migration, checksum } of knownMigrations.slice(ran.length)) {
    for (const statement of migration.statements(POSTGRES_TYPES)) await connection.sendStatement(statement);
    const { id, name } = migration;
    await connection.sendStatement('insert into schema_migrations (id, name, checksum) values (?, ?, ?)', [
      id,
      name,
      checksum,
    ]);
  }
}

/** Rejects with `StoreError` if tables cannot be created, or if the encoding would later reject texts of cells. */
async function verifySchema(connection: PostgresConnection): Promise<void> {
  const place = (await connection.sendStatement(SCHEMA_STATE)).rows[0];
  if (place?.['encoding'] !== 'UTF8') {
    const message = `The database keeps texts as ${place?.['encoding']}: create one with "create database … encoding 'UTF8' template template0"`;
    throw new StoreError(message, 'WRONG_ENCODING');
  }
  if (place['mine'] === 'true') return;
  const message = `The database has no schema in which its user ${place['name']} may create tables: grant create on one, and put it first in the user's search_path`;
  throw new StoreError(message, 'NO_RIGHTS');
}

/**
 * Rejects with `StoreError` if the connection's user may not read and write all tables, for example a read-only user.
 * Otherwise a service would start, and fail at each write.
 */
export async function verifyRights(connection: PostgresConnection): Promise<void> {
  const closed = (await connection.sendStatement(INACCESSIBLE_TABLE)).rows[0];
  if (closed === undefined) return;
  const message = `The database's user ${closed['mine']} may not read and write the table ${closed['name']}: connect as the owner of the tables`;
  throw new StoreError(message, 'NO_RIGHTS');
}

/** The executed migrations; null if there are no tables. */
export async function readRecordIfPresent(
  connection: PostgresConnection,
): Promise<readonly RecordedMigration[] | null> {
  const { rows } = await connection.sendStatement(FIND_RECORD);
  return rows[0]?.['name'] === null ? null : readRecord(connection);
}

async function isCurrent(connection: PostgresConnection, knownMigrations: readonly KnownMigration[]): Promise<boolean> {
  const ran = await readRecordIfPresent(connection);
  if (ran === null) return false;
  verifyRecord(ran, knownMigrations);
  return ran.length === knownMigrations.length;
}

async function readRecord(connection: PostgresConnection): Promise<readonly RecordedMigration[]> {
  return (await connection.sendStatement(SELECT_RECORD)).rows as unknown as readonly RecordedMigration[];
}
