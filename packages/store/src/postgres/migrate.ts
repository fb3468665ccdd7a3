import { StoreError } from '../database/database.ts';
import { POSTGRES_TYPES } from '../database/dialect.ts';
import { POSTGRES_LOCK_MS } from '../database/limits.ts';
import type { Migration } from '../migrations/migrations.ts';
import {
  CREATE_RECORD,
  type KnownMigration,
  type RecordedMigration,
  SELECT_RECORD,
  verifyRecord,
  withChecksums,
} from '../migrations/record.ts';
import type { PostgresConnection } from './connection.ts';
import { SCHEMA_LOCK, SCHEMA_UNLOCK } from './locks.ts';

const SCHEMA_STATE = `select current_setting('server_encoding') as encoding, current_user as name,
  coalesce(has_schema_privilege(current_schema(), 'create'), false)::text as mine`;
/** Tables that came with the record of migrations, and that this connection's user may not do everything with. */
const INACCESSIBLE_TABLE = `select c.relname as name, current_user as mine
  from pg_class c join pg_class record on record.relnamespace = c.relnamespace and record.relowner = c.relowner
  where record.oid = to_regclass('schema_migrations') and c.oid <> record.oid and c.relkind = 'r'
    and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
      and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
  order by c.relname limit 1`;
const SET_LOCK_TIMEOUT = "select set_config('lock_timeout', ?, false)";
const FIND_RECORD = "select to_regclass('schema_migrations')::text as name";

/**
 * Brings the schema up to the given migrations, one node at a time; does nothing, and takes no lock, when it is. Rejects
 * with `StoreError` where it was written by a newer version, where a migration that ran is not the one known here, where
 * the tables would be made in a database that does not keep all texts, and where they may not be made.
 */
export async function migrate(connection: PostgresConnection, migrations: readonly Migration[]): Promise<void> {
  const known = withChecksums(migrations);
  if (await isCurrent(connection, known)) return;
  await lockSchema(connection);
  try {
    if (!(await isCurrent(connection, known))) await migrateInTransaction(connection, known);
  } finally {
    if (!connection.isBroken) await connection.send(SCHEMA_UNLOCK);
  }
}

/**
 * Who migrates at the moment may take long over much data. What the migration itself then waits for (a table that is
 * being read for a backup) has its bound again, as everybody else waits behind it.
 */
async function lockSchema(connection: PostgresConnection): Promise<void> {
  await connection.send(SET_LOCK_TIMEOUT, ['0']);
  await connection.send(SCHEMA_LOCK);
  await connection.send(SET_LOCK_TIMEOUT, [String(POSTGRES_LOCK_MS)]);
}

/** Whether the database is up to date. Rejects as `migrate` does. */
export async function isMigrated(connection: PostgresConnection, migrations: readonly Migration[]): Promise<boolean> {
  if ((await readRecordIfPresent(connection)) === null) await verifySchema(connection);
  return isCurrent(connection, withChecksums(migrations));
}

async function migrateInTransaction(connection: PostgresConnection, known: readonly KnownMigration[]): Promise<void> {
  await connection.send('begin');
  try {
    await runMigrations(connection, known);
    await connection.send('commit');
  } catch (error) {
    if (!connection.isBroken) await connection.send('rollback');
    throw error;
  }
}

/** `migrate` within the transaction of who has the lock. */
export function migrateWithin(connection: PostgresConnection, migrations: readonly Migration[]): Promise<void> {
  return runMigrations(connection, withChecksums(migrations));
}

async function runMigrations(connection: PostgresConnection, known: readonly KnownMigration[]): Promise<void> {
  if ((await readRecordIfPresent(connection)) === null) await verifySchema(connection);
  await connection.send(CREATE_RECORD);
  const ran = await readRecord(connection);
  verifyRecord(ran, known);
  for (const { migration, checksum } of known.slice(ran.length)) {
    for (const statement of migration.statements(POSTGRES_TYPES)) await connection.send(statement);
    const { id, name } = migration;
    await connection.send('insert into schema_migrations (id, name, checksum) values (?, ?, ?)', [id, name, checksum]);
  }
}

/**
 * Rejects with `StoreError` where tables could not be made, or would be made in vain: of another encoding, texts of cells
 * would be refused one by one.
 */
async function verifySchema(connection: PostgresConnection): Promise<void> {
  const place = (await connection.send(SCHEMA_STATE)).rows[0];
  if (place?.['encoding'] !== 'UTF8') {
    const message = `The database keeps texts as ${place?.['encoding']}: make one with "create database … encoding 'UTF8' template template0"`;
    throw new StoreError(message, 'WRONG_ENCODING');
  }
  if (place['mine'] === 'true') return;
  const message = `The database has no schema in which its user ${place['name']} may create tables: grant create on one, and let it be the first of the user's search_path`;
  throw new StoreError(message, 'NO_RIGHTS');
}

/**
 * Rejects with `StoreError` where the tables are there and this connection's user may not read and write all of them, as
 * one that was made to look at them only: a service would start, and fail at each write.
 */
export async function verifyRights(connection: PostgresConnection): Promise<void> {
  const closed = (await connection.send(INACCESSIBLE_TABLE)).rows[0];
  if (closed === undefined) return;
  const message = `The database's user ${closed['mine']} may not read and write the table ${closed['name']}: connect as who owns the tables`;
  throw new StoreError(message, 'NO_RIGHTS');
}

/** The migrations that ran; null where there are no tables. */
export async function readRecordIfPresent(
  connection: PostgresConnection,
): Promise<readonly RecordedMigration[] | null> {
  const { rows } = await connection.send(FIND_RECORD);
  return rows[0]?.['name'] === null ? null : readRecord(connection);
}

async function isCurrent(connection: PostgresConnection, known: readonly KnownMigration[]): Promise<boolean> {
  const ran = await readRecordIfPresent(connection);
  if (ran === null) return false;
  verifyRecord(ran, known);
  return ran.length === known.length;
}

async function readRecord(connection: PostgresConnection): Promise<readonly RecordedMigration[]> {
  return (await connection.send(SELECT_RECORD)).rows as unknown as readonly RecordedMigration[];
}
