import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: the current window has too many attempts. */
export const TOO_MANY_ATTEMPTS = 'too many attempts';

/**
 * Counts one attempt under a key unless the window already has `limit` (at least 1) attempts. A window that began at
 * `over` or earlier has expired; the attempt then starts a new window. A window may begin after `now`, because the
 * clocks of nodes differ.
 */
export const countAttempt = prepareStatement(
  (p: { key: string; now: number; over: number; limit: number }) =>
    sql
      .insertInto('sign_in_attempts')
      .values({ key: p.key, started_at: p.now, count: 1 })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet(({ eb }) => ({
            count: eb
              .case()
              .when('sign_in_attempts.started_at', '<=', p.over)
              .then(1)
              .else(eb('sign_in_attempts.count', '+', 1))
              .end(),
            started_at: eb
              .case()
              .when('sign_in_attempts.started_at', '<=', p.over)
              .then(eb.ref('excluded.started_at'))
              .else(eb.ref('sign_in_attempts.started_at'))
              .end(),
          }))
          .where(({ or, eb }) =>
            or([eb('sign_in_attempts.started_at', '<=', p.over), eb('sign_in_attempts.count', '<', p.limit)]),
          ),
      ),
  { rows: 1, conflict: TOO_MANY_ATTEMPTS },
);

export const attemptsOf = prepareQuery((p: { key: string }) =>
  sql.selectFrom('sign_in_attempts').select(['key', 'started_at', 'count']).where('key', '=', p.key),
);

/** Subtracts an attempt that succeeded. */
export const withdrawAttempt = prepareStatement((p: { key: string }) =>
  sql
    .updateTable('sign_in_attempts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('key', '=', p.key)
    .where('count', '>', 0),
);

export const forgetAttempts = prepareStatement((p: { key: string }) =>
  sql.deleteFrom('sign_in_attempts').where('key', '=', p.key),
);

/**
 * Deletes the attempts of an account, from all networks. Their keys begin with `key`, which must contain no wildcard.
 */
export const forgetAccountAttempts = prepareStatement((p: { key: string }) =>
  sql.deleteFrom('sign_in_attempts').where('key', 'like', `${p.key}%`),
);

/** Deletes windows that began before `before` and have expired. */
export const deleteOldAttempts = prepareStatement((p: { before: number; limit: number }) =>
  sql
    .deleteFrom('sign_in_attempts')
    .where('key', 'in', (eb) =>
      eb.selectFrom('sign_in_attempts').select('key').where('started_at', '<', p.before).limit(p.limit),
    ),
);

/** Locks a row without changing it. */
export const touchAttempt = prepareStatement((p: { key: string }) =>
  sql
    .updateTable('sign_in_attempts')
    .set((eb) => ({ count: eb.ref('count') }))
    .where('key', '=', p.key),
);
