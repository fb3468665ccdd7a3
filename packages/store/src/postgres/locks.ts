import type { Statement, Unit } from '../database/database.ts';

/**
 * Locks of units. The embedded database has one writer. On PostgreSQL, units of different documents run concurrently on
 * any number of nodes, and conflicting units wait for each other.
 */

/**
 * Locks the row of a document until the commit, for units of one document on all nodes. If there is no such row, the
 * document is being created or was deleted. Other units that change the same rows then have guards of their own.
 */
const LOCK_DOCUMENT = 'select 1 as held from documents where id = ? for no key update';

/**
 * Lock of access rights. Units that depend on unchanged rights share it; a unit that changes rights holds it
 * exclusively. After a revocation is acknowledged, no unit can commit that was permitted before. The key is the table's
 * object id, because several installations may share a database in different schemas.
 */
const ACCESS_KEY = "'access_epoch'::regclass::oid::bigint";
const ACCESS_LOCKS = {
  none: '',
  shared: `select pg_advisory_xact_lock_shared(${ACCESS_KEY})`,
  alone: `select pg_advisory_xact_lock(${ACCESS_KEY})`,
};

/**
 * Ends connections of this application that have an open transaction and received no data for the given time in
 * milliseconds, because their node was suspended while sending. The server has no other limit for such a wait between
 * pipelined statements, and would keep the locks until the node continues.
 */
export const END_STALLED_TRANSACTIONS = `select count(pg_terminate_backend(pid)) as ended from pg_stat_activity
  where datname = current_database() and usename = current_user
    and application_name = current_setting('application_name')
    and state = 'active' and wait_event = 'ClientRead'
    and state_change < clock_timestamp() - cast(? as double precision) * interval '1 millisecond'`;

/** Selects the id of the current transaction. */
export const TRANSACTION_ID = 'select pg_current_xact_id()::text as id';

/** The access lock that a transaction needs. */
type AccessLock = keyof typeof ACCESS_LOCKS;

/**
 * Statements that take the locks of a transaction. Every transaction locks in the same order: rights, then the
 * document.
 */
export function lockStatements(document: string | null, access: AccessLock): readonly Omit<Statement, 'guard'>[] {
  const rights = access === 'none' ? [] : [{ sql: ACCESS_LOCKS[access], parameters: [] }];
  return document === null ? rights : [...rights, { sql: LOCK_DOCUMENT, parameters: [document] }];
}

/** Determines the access lock from the SQL of the units, so that no unit can omit it. */
export function findRequiredLock(units: readonly Unit[]): AccessLock {
  const texts = units.flatMap(({ statements }) => statements.map(({ sql }) => sql));
  if (texts.some(changesAccessRights)) return 'alone';
  return texts.some(dependsOnAccessRights) ? 'shared' : 'none';
}

/** True if the statement raises the access epoch. */
function changesAccessRights(sql: string): boolean {
  return sql.startsWith('update "access_epoch"');
}

/** True if the statement reads or raises the access epoch. */
function dependsOnAccessRights(sql: string): boolean {
  return sql.includes('"access_epoch"');
}

/**
 * Lock for schema changes, which only one node makes at a time. It is taken before any table exists, so its key is a
 * hash of a name.
 */
export const SCHEMA_LOCK = "select pg_advisory_lock(hashtextextended('cellwire schema ' || current_schema(), 0))";
export const SCHEMA_UNLOCK = "select pg_advisory_unlock(hashtextextended('cellwire schema ' || current_schema(), 0))";

/** Lock that every serving node shares while it listens to the other nodes. */
const NODE_KEY = "hashtextextended('cellwire node ' || current_schema(), 0)";
export const NODE_LOCK = `select pg_advisory_lock_shared(${NODE_KEY})`;
/**
 * Returns in `alone` whether no other session holds the lock of nodes. The calling session holds it too, which
 * does not conflict with the attempt.
 */
export const IS_ONLY_NODE = `select (case when pg_try_advisory_lock(${NODE_KEY})
  then pg_advisory_unlock(${NODE_KEY}) else false end)::text as alone`;
/** Returns in `held` whether no node is serving. If so, prevents new nodes from listening. */
export const NO_NODE_LOCK = `select pg_try_advisory_lock(${NODE_KEY})::text as held`;
