import type { Statement, Unit } from '../database/database.ts';

/**
 * What units wait for each other by. The embedded database has one writer; here units of different documents run at
 * the same time, on any number of nodes, and those that could see half of each other take turns.
 */

/**
 * Units of one document, on whatever node: its row, held until the commit. Where there is no such row (a document being
 * made, or gone) nobody else works on what the unit changes, or works with guards of its own.
 */
const LOCK_DOCUMENT = 'select 1 as held from documents where id = ? for no key update';

/**
 * Rights: a unit that holds only while nobody's rights have changed shares this lock with its kind; one that changes
 * rights has it alone. So when a revocation is acknowledged no unit that was allowed before it can still be committed.
 * The table's own number is the key, as several installations may share a database by schemas.
 */
const ACCESS_KEY = "'access_epoch'::regclass::oid::bigint";
const ACCESS_LOCKS = {
  none: '',
  shared: `select pg_advisory_xact_lock_shared(${ACCESS_KEY})`,
  alone: `select pg_advisory_xact_lock(${ACCESS_KEY})`,
};

/**
 * Ends connections like this one on which a transaction was begun and the rest of it has not come for so many
 * milliseconds, as its node was stopped while it sent: nothing else of the server's bounds a wait in the middle of what
 * is sent at once, and its locks would be held for as long as that node stands still.
 */
export const END_STALLED_TRANSACTIONS = `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity
  where datname = current_database() and usename = current_user
    and application_name = current_setting('application_name')
    and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - cast(? as double precision) * interval '1 millisecond'`;

/** A transaction's number. */
export const TRANSACTION_ID = 'select pg_current_xact_id()::text as id';

/** What a transaction needs of rights. */
export type AccessLock = keyof typeof ACCESS_LOCKS;

/** The locks of a transaction, each in a statement of its own, in the order of every transaction: rights, then the document. */
export function lockStatements(document: string | null, access: AccessLock): readonly Omit<Statement, 'guard'>[] {
  const rights = access === 'none' ? [] : [{ sql: ACCESS_LOCKS[access], parameters: [] }];
  return document === null ? rights : [...rights, { sql: LOCK_DOCUMENT, parameters: [document] }];
}

/** What units need of rights is read from their texts, so that none can forget to say it. */
export function requiredAccessLock(units: readonly Unit[]): AccessLock {
  const texts = units.flatMap(({ statements }) => statements.map(({ sql }) => sql));
  if (texts.some(changesAccess)) return 'alone';
  return texts.some(usesAccess) ? 'shared' : 'none';
}

function changesAccess(sql: string): boolean {
  return sql.startsWith('update "access_epoch"');
}

function usesAccess(sql: string): boolean {
  return sql.includes('"access_epoch"');
}

/** Changing the schema: one node at a time. Taken before there is any table, so its key is a number of its own. */
export const SCHEMA_LOCK = "select pg_advisory_lock(hashtextextended('cellwire schema ' || current_schema(), 0))";
export const SCHEMA_UNLOCK = "select pg_advisory_unlock(hashtextextended('cellwire schema ' || current_schema(), 0))";

/** Held, together with others, by every node that serves, for as long as it listens to the others. */
const NODE_KEY = "hashtextextended('cellwire node ' || current_schema(), 0)";
export const NODE_LOCK = `select pg_advisory_lock_shared(${NODE_KEY})`;
/** Tells (`held`) whether no node serves, and keeps new ones from listening. */
export const NO_NODE_LOCK = `select pg_try_advisory_lock(${NODE_KEY})::text as held`;
