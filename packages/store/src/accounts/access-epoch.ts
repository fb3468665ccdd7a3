import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/**
 * The version of all access rights. Data derived from users, tokens or shares is valid while the version stays the
 * same.
 */
export const accessEpoch = prepareQuery(() => sql.selectFrom('access_epoch').select('version').where('id', '=', 1));

/** Conflict: access rights have changed since they were checked; the unit may no longer be permitted. */
export const ACCESS_CHANGED = 'access changed';

/**
 * Precondition: access rights have not changed since `version`. Every unit that depends on a caller's rights must
 * contain it before `bumpAccessEpoch`. On conflict `ACCESS_CHANGED` the caller checks the rights again and retries.
 */
export const accessUnchanged = prepareStatement(
  (p: { version: number }) =>
    sql.selectFrom('access_epoch').select('id').where('id', '=', 1).where('version', '=', p.version),
  { rows: 1, conflict: ACCESS_CHANGED },
);

/**
 * Increments the version of all access rights. Every unit that changes users, plans, tokens, shares, protections or
 * access to documents must contain this statement.
 */
export const bumpAccessEpoch = prepareStatement(() =>
  sql
    .updateTable('access_epoch')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', 1),
);
