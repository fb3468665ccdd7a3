import { POSTGRES_LOCK_MS } from '../../limits/limits.ts';
import { StoreError } from '../database.ts';
import { POSTGRES_TYPES } from '../dialect.ts';
import { type Known, RECORD, RECORDED, type Recorded, verify, withChecksums } from '../migration-record.ts';
import type { Migration } from '../migrations.ts';
import type { Link } from './link.ts';
import { SCHEMA_LOCK, SCHEMA_UNLOCK } from './locks.ts';

const ENCODING = "select current_setting('server_encoding') as encoding";
const LOCK_BOUND = "select set_config('lock_timeout', ?, false)";
const TABLE = "select to_regclass('schema_migrations')::text as name";

/**
 * Brings the schema up to the given migrations, one node at a time; does nothing, and takes no lock, when it is. Rejects
 * with `StoreError` where it was written by a newer version, where a migration that ran is not the one known here, and
 * where the tables would be made in a database that does not keep all texts.
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
export function isMigrated(link: Link, migrations: readonly Migration[]): Promise<boolean> {
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
  await link.send(RECORD);
  const ran = await recorded(link);
  verify(ran, known);
  if (ran.length === 0) await verifyEncoding(link);
  for (const { migration, checksum } of known.slice(ran.length)) {
    for (const statement of migration.statements(POSTGRES_TYPES)) await link.send(statement);
    const { id, name } = migration;
    await link.send('insert into schema_migrations (id, name, checksum) values (?, ?, ?)', [id, name, checksum]);
  }
}

/** Of another encoding, texts of cells would be refused one by one. */
async function verifyEncoding(link: Link): Promise<void> {
  const encoding = (await link.send(ENCODING)).rows[0]?.['encoding'];
  if (encoding === 'UTF8') return;
  const message = `The database keeps texts as ${encoding}: make one with "create database … encoding 'UTF8' template template0"`;
  throw new StoreError(message, 'WRONG_ENCODING');
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
