/**
 * What units wait for each other by. The embedded database has one writer; here units of different documents run at
 * the same time, on any number of nodes, and those that could see half of each other take turns.
 */

/**
 * Units of one document, on whatever node: its row, held until the commit. Where there is no such row (a document being
 * made, or gone) nobody else works on what the unit changes, or works with guards of its own.
 */
export const DOCUMENT_LOCK = 'select id from documents where id = ? for no key update';

/**
 * Rights: a unit that holds only while nobody's rights have changed shares this lock with its kind; one that changes
 * rights has it alone. So when a revocation is acknowledged no unit that was allowed before it can still be committed.
 * The table's own number is the key, as several installations may share a database by schemas.
 */
const ACCESS_KEY = "'access_epoch'::regclass::oid::bigint";
export const ACCESS_SHARED = `select 1 as locked from pg_advisory_xact_lock_shared(${ACCESS_KEY})`;
export const ACCESS_ALONE = `select 1 as locked from pg_advisory_xact_lock(${ACCESS_KEY})`;

/** Changing the schema: one node at a time. Taken before there is any table, so its key is a number of its own. */
export const SCHEMA_LOCK = "select pg_advisory_lock(hashtextextended('cellwire schema ' || current_schema(), 0))";
export const SCHEMA_UNLOCK = "select pg_advisory_unlock(hashtextextended('cellwire schema ' || current_schema(), 0))";
