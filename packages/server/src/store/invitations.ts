import { prepare, prepareStatement } from './database.ts';
import { sql } from './dialect.ts';

/** An invitation with its workspace. */
export const invitationByHash = prepare((p: { hash: string }) =>
  sql
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .select([
      'invitations.id',
      'invitations.email',
      'invitations.expires_at',
      'invitations.workspace_id',
      'workspaces.name as workspace_name',
    ])
    .where('invitations.hash', '=', p.hash),
);

/** Those that have not ended, the newest first. */
export const openInvitations = prepare((p: { workspace_id: number; now: number }) =>
  sql
    .selectFrom('invitations')
    .select(['id', 'email', 'invited_by', 'created_at', 'expires_at'])
    .where('workspace_id', '=', p.workspace_id)
    .where('expires_at', '>', p.now)
    .orderBy('id', 'desc'),
);

/** Conflict: the workspace has too many open invitations. */
export const TOO_MANY_INVITATIONS = 'too many invitations';

interface NewInvitation extends Readonly<Record<string, string | number>> {
  readonly workspace_id: number;
  readonly email: string;
  readonly hash: string;
  readonly invited_by: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** How many a workspace may have, this one included. */
  readonly limit: number;
}

export const insertInvitation = prepareStatement(
  (p: NewInvitation) =>
    sql
      .insertInto('invitations')
      .columns(['workspace_id', 'email', 'hash', 'invited_by', 'created_at', 'expires_at'])
      .expression(
        sql
          .selectFrom('workspaces')
          .select(({ val, cast }) => [
            'workspaces.id',
            val(p.email).as('email'),
            val(p.hash).as('hash'),
            val(p.invited_by).as('invited_by'),
            cast<number>(val(p.created_at), 'bigint').as('created_at'),
            cast<number>(val(p.expires_at), 'bigint').as('expires_at'),
          ])
          .where('workspaces.id', '=', p.workspace_id)
          .where((eb) =>
            eb(
              eb
                .selectFrom('invitations')
                .select((of) => of.fn.countAll<number>().as('count'))
                .where('invitations.workspace_id', '=', p.workspace_id),
              '<',
              p.limit,
            ),
          ),
      )
      .returning('id'),
  { rows: 1, conflict: TOO_MANY_INVITATIONS },
);

/** Conflict: somebody else has used it, or taken it back. */
export const NO_INVITATION = 'no invitation';

/** Uses an invitation up, or takes it back. */
export const endInvitation = prepareStatement(
  (p: { id: number; workspace_id: number }) =>
    sql.deleteFrom('invitations').where('id', '=', p.id).where('workspace_id', '=', p.workspace_id),
  { rows: 1, conflict: NO_INVITATION },
);

/** Those of a workspace that have ended. */
export const trimInvitations = prepareStatement((p: { workspace_id: number; now: number }) =>
  sql.deleteFrom('invitations').where('workspace_id', '=', p.workspace_id).where('expires_at', '<=', p.now),
);
