import { prepare, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Conflict: too much was tried in the running window. */
export const TOO_MANY_ATTEMPTS = 'too many attempts';

/**
 * Counts one attempt under a key, while fewer than `limit` (at least 1) are counted since the window's first one;
 * `over`: windows that began then or earlier are over. One that seems to begin after `now` has a clock of its own.
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

export const attemptsOf = prepare((p: { key: string }) =>
  sql.selectFrom('sign_in_attempts').select(['key', 'started_at', 'count']).where('key', '=', p.key),
);

/** The attempt was a good one. */
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

/** Those of an account, and of each network at it: their keys begin with `key`, which has no mark of a pattern in it. */
export const forgetAccountAttempts = prepareStatement((p: { key: string }) =>
  sql.deleteFrom('sign_in_attempts').where('key', 'like', `${p.key}%`),
);

/** Windows that began before `before` count for nothing any more. */
export const deleteOldAttempts = prepareStatement((p: { before: number; limit: number }) =>
  sql
    .deleteFrom('sign_in_attempts')
    .where('key', 'in', (eb) =>
      eb.selectFrom('sign_in_attempts').select('key').where('started_at', '<', p.before).limit(p.limit),
    ),
);

/** Writes a row as it is. */
export const touchAttempt = prepareStatement((p: { key: string }) =>
  sql
    .updateTable('sign_in_attempts')
    .set((eb) => ({ count: eb.ref('count') }))
    .where('key', '=', p.key),
);
