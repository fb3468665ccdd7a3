import { StoreError } from '../database/database.ts';
import { POSTGRES_TYPES } from '../database/dialect.ts';
import { POSTGRES_LOCK_MS } from '../database/limits.ts';
import type { Migration } from '../migrations/migrations.ts';
import { type Known, RECORD, RECORDED, type Recorded, verify, withChecksums } from '../migrations/record.ts';
import type { Link } from './link.ts';
import { SCHEMA_LOCK, SCHEMA_UNLOCK } from './locks.ts';

const PLACE = `select current_setting('server_encoding') as encoding, current_user as name,
  coalesce(has_schema_privilege(current_schema(), 'create'), false)::text as mine`;
/** Tables that came with the record of migrations, and that this connection's user may not do everything with. */
const CLOSED = `select c.relname as name, current_user as mine
  from pg_class c join pg_class record on record.relnamespace = c.relnamespace and record.relowner = c.relowner
  where record.oid = to_regclass('schema_migrations') and c.oid <> record.oid and c.relkind = 'r'
    and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
      and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
  order by c.relname limit 1`;
const LOCK_BOUND = "select set_config('lock_timeout', ?, false)";
const TABLE = "select to_regclass('schema_migrations')::text as name";

/**
 * Brings the schema up to the given migrations, one node at a time; does nothing, and takes no lock, when it is. Rejects
 * with `StoreError` where it was written by a newer version, where a migration that ran is not the one known here, where
 * the tables would be made in a database that does not keep all texts, and where they may not be made.
 */
export async function migrate(link: Link, migrations: readonly Migration[]): Promise<void> {
  const known = withChecksums(migrations);
  if (await isCurrent(link, known)) return;
  await waitForSchema(link);
  try {
    if (!(await isCurrent(link, known))) await run(link, known);
  } finally {
    if (!link.isBroken) await link.send(SCHEMA_UNLOCK);
  }
}

/**
 * Who migrates at the moment may take long over much data. What the migration itself then waits for (a table that is
 * being read for a backup) has its bound again, as everybody else waits behind it.
 */
async function waitForSchema(link: Link): Promise<void> {
  await link.send(LOCK_BOUND, ['0']);
  await link.send(SCHEMA_LOCK);
  await link.send(LOCK_BOUND, [String(POSTGRES_LOCK_MS)]);
}

/** Whether the database is up to date. Rejects as `migrate` does. */
export async function isMigrated(link: Link, migrations: readonly Migration[]): Promise<boolean> {
  if ((await recordOf(link)) === null) await verifyPlace(link);
  return isCurrent(link, withChecksums(migrations));
}

async function run(link: Link, known: readonly Known[]): Promise<void> {
  await link.send('begin');
  try {
    await runWithin(link, known);
    await link.send('commit');
  } catch (error) {
    if (!link.isBroken) await link.send('rollback');
    throw error;
  }
}

/** `migrate` within the transaction of who has the lock. */
export function migrateWithin(link: Link, migrations: readonly Migration[]): Promise<void> {
  return runWithin(link, withChecksums(migrations));
}

async function runWithin(link: Link, known: readonly Known[]): Promise<void> {
  if ((await recordOf(link)) === null) await verifyPlace(link);
  await link.send(RECORD);
  const ran = await recorded(link);
  verify(ran, known);
  for (const { migration, checksum } of known.slice(ran.length)) {
    for (const statement of migration.statements(POSTGRES_TYPES)) await link.send(statement);
    const { id, name } = migration;
    await link.send('insert into schema_migrations (id, name, checksum) values (?, ?, ?)', [id, name, checksum]);
  }
}

/**
 * Rejects with `StoreError` where tables could not be made, or would be made in vain: of another encoding, texts of cells
 * would be refused one by one.
 */
async function verifyPlace(link: Link): Promise<void> {
  const place = (await link.send(PLACE)).rows[0];
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
export async function verifyRights(link: Link): Promise<void> {
  const closed = (await link.send(CLOSED)).rows[0];
  if (closed === undefined) return;
  const message = `The database's user ${closed['mine']} may not read and write the table ${closed['name']}: connect as who owns the tables`;
  throw new StoreError(message, 'NO_RIGHTS');
}

/** The migrations that ran; null where there are no tables. */
export async function recordOf(link: Link): Promise<readonly Recorded[] | null> {
  const { rows } = await link.send(TABLE);
  return rows[0]?.['name'] === null ? null : recorded(link);
}

async function isCurrent(link: Link, known: readonly Known[]): Promise<boolean> {
  const ran = await recordOf(link);
  if (ran === null) return false;
  verify(ran, known);
  return ran.length === known.length;
}

async function recorded(link: Link): Promise<readonly Recorded[]> {
  return (await link.send(RECORDED)).rows as unknown as readonly Recorded[];
}
