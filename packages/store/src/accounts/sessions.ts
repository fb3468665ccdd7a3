import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** A session by its hash, with the user, plan and workspace that identify the caller. */
export const sessionByHash = prepareCheckedQuery(['sessions', 'users', 'workspaces'], (p: { hash: string }) =>
  sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'sessions.id',
      'sessions.seen_at',
      'sessions.expires_at',
      'users.id as user_id',
      'users.name as user_name',
      'users.password_once',
      'users.disabled_at',
      'workspaces.plan',
    ])
    .where('sessions.hash', '=', p.hash),
);

export const sessionById = prepareQuery((p: { id: number }) =>
  sql.selectFrom('sessions').select(['id', 'created_at', 'seen_at', 'expires_at']).where('id', '=', p.id),
);

/** Sessions of a user, most recently used first. */
export const sessionsOfUser = prepareCheckedQuery(['sessions'], (p: { user_id: number }) =>
  sql
    .selectFrom('sessions')
    .select(['id', 'created_at', 'seen_at', 'expires_at', 'address', 'agent'])
    .where('user_id', '=', p.user_id)
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc'),
);

interface NewSessionRow extends Readonly<Record<string, string | number | null>> {
  readonly user_id: number;
  readonly hash: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly address: string;
  readonly agent: string;
  readonly facts_sum: number | null;
}

export const insertSession = withSealing(
  'sessions',
  prepareStatement((p: NewSessionRow) =>
    sql
      .insertInto('sessions')
      .values({
        user_id: p.user_id,
        hash: p.hash,
        created_at: p.created_at,
        seen_at: p.created_at,
        expires_at: p.expires_at,
        address: p.address,
        agent: p.agent,
        facts_sum: p.facts_sum,
        seen_sum: p.created_at,
      })
      .returning('id'),
  ),
  (row) => row,
  { facts_sum: 'facts_sum' },
);

/** Deletes a user's expired and idle sessions, and all sessions except the `keep` most recently used ones. */
export const deleteOldSessions = prepareStatement((p: { user_id: number; now: number; idle: number; keep: number }) =>
  sql
    .deleteFrom('sessions')
    .where('user_id', '=', p.user_id)
    .where(({ or, eb }) =>
      or([
        eb('expires_at', '<=', p.now),
        eb('seen_at', '<=', p.idle),
        eb('id', 'not in', (inner) =>
          inner
            .selectFrom('sessions as kept')
            .select('kept.id')
            .where('kept.user_id', '=', p.user_id)
            .orderBy('kept.seen_at', 'desc')
            .orderBy('kept.id', 'desc')
            .limit(p.keep),
        ),
      ]),
    ),
);

export const touchSession = prepareStatement((p: { id: number; at: number }) =>
  sql.updateTable('sessions').set({ seen_at: p.at, seen_sum: p.at }).where('id', '=', p.id).where('seen_at', '<', p.at),
);

/** Conflict: the user has no such session. */
export const NO_SESSION = 'no session';

/**
 * Precondition: the session has not ended. The update does not change the row but locks it. A unit that ends the
 * session waits for this one, so that the session commits nothing after its end is acknowledged.
 */
export const sessionExists = prepareStatement(
  (p: { id: number }) =>
    sql
      .updateTable('sessions')
      .set((eb) => ({ seen_at: eb.ref('seen_at') }))
      .where('id', '=', p.id),
  { rows: 1, conflict: NO_SESSION },
);

export const endSession = prepareStatement(
  (p: { id: number; user_id: number }) =>
    sql.deleteFrom('sessions').where('id', '=', p.id).where('user_id', '=', p.user_id),
  { rows: 1, conflict: NO_SESSION },
);

export const endSessionsOfUser = prepareStatement((p: { user_id: number }) =>
  sql.deleteFrom('sessions').where('user_id', '=', p.user_id),
);
