import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** The version of everything that decides access. What was derived from users, tokens, shares … holds while it stays. */
export const accessEpoch = prepare(() => sql.selectFrom('access_epoch').select('version').where('id', '=', 1));

/** Conflict: what decides access has changed since; who wanted the unit may not be allowed it any more. */
export const ACCESS_CHANGED = 'access changed';

/**
 * Holds while access is decided as at `version`. Belongs in every unit that somebody's rights allow, before a
 * `bumpAccessEpoch` of the same unit. Conflict `ACCESS_CHANGED`: ask for the rights again, then write again.
 */
export const accessUnchanged = prepareStatement(
  (p: { version: number }) =>
    sql.selectFrom('access_epoch').select('id').where('id', '=', 1).where('version', '=', p.version),
  { rows: 1, conflict: ACCESS_CHANGED },
);

/** Belongs in every unit that changes users, plans, tokens, shares, protections, or who may reach a document. */
export const bumpAccessEpoch = prepareStatement(() =>
  sql
    .updateTable('access_epoch')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', 1),
);
