import { prepareCheckedQuery } from '../database/checked-query.ts';
import { withSealing } from '../database/checksum.ts';
import { prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';
import type { SharesTable } from '../database/document-tables.ts';

/** An invitation, open or ended, with its workspace and the title of its document. */
export const invitationByHash = prepareCheckedQuery(['invitations'], (p: { hash: string }) =>
  sql
    .selectFrom('invitations')
    .innerJoin('workspaces', 'workspaces.id', 'invitations.workspace_id')
    .leftJoin('documents', 'documents.id', 'invitations.shared_document')
    .select([
      'invitations.id',
      'invitations.email',
      'invitations.expires_at',
      'invitations.ended_by',
      'invitations.shared_document as document_id',
      'invitations.role',
      'invitations.workspace_id',
      'workspaces.name as workspace_name',
      'documents.title as document_title',
    ])
    .where('invitations.hash', '=', p.hash),
);

const INVITATION_COLUMNS = [
  'id',
  'email',
  'invited_by',
  'created_at',
  'expires_at',
  'shared_document as document_id',
  'role',
] as const;

/** Open invitations of a workspace, newest first. */
export const openInvitations = prepareCheckedQuery(['invitations'], (p: { workspace_id: number; now: number }) =>
  sql
    .selectFrom('invitations')
    .select(INVITATION_COLUMNS)
    .where('workspace_id', '=', p.workspace_id)
    .where('expires_at', '>', p.now)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc'),
);

/** Open invitations to a document, newest first. */
export const openInvitationsTo = prepareCheckedQuery(['invitations'], (p: { document_id: string; now: number }) =>
  sql
    .selectFrom('invitations')
    .select(INVITATION_COLUMNS)
    .where('shared_document', '=', p.document_id)
    .where('expires_at', '>', p.now)
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc'),
);

/** Conflict: the workspace has too many open invitations. */
export const TOO_MANY_INVITATIONS = 'too many invitations';

interface NewInvitationRow extends Readonly<Record<string, string | number | null>> {
  readonly workspace_id: number;
  readonly email: string;
  readonly hash: string;
  readonly invited_by: string;
  readonly inviter_id: number;
  readonly created_at: number;
  readonly expires_at: number;
  readonly document_id: string | null;
  readonly role: SharesTable['role'] | null;
  /** Maximum number of open invitations of the workspace, including this one. */
  readonly limit: number;
  readonly facts_sum: number | null;
  readonly name_sum: number | null;
  readonly end_sum: number | null;
}

export const insertInvitation = withSealing(
  'invitations',
  prepareStatement(
    (p: NewInvitationRow) =>
      sql
        .insertInto('invitations')
        .columns([
          ...(['workspace_id', 'email', 'hash', 'invited_by', 'inviter_id'] as const),
          ...(['created_at', 'expires_at', 'shared_document', 'role'] as const),
          ...(['facts_sum', 'name_sum', 'end_sum'] as const),
        ])
        .expression(
          sql
            .selectFrom('workspaces')
            .select(({ val, cast }) => [
              'workspaces.id',
              val(p.email).as('email'),
              val(p.hash).as('hash'),
              val(p.invited_by).as('invited_by'),
              cast<number | null>(val(p.inviter_id), 'bigint').as('inviter_id'),
              cast<number>(val(p.created_at), 'bigint').as('created_at'),
              cast<number>(val(p.expires_at), 'bigint').as('expires_at'),
              cast<string | null>(val(p.document_id), 'text').as('shared_document'),
              cast<SharesTable['role'] | null>(val(p.role), 'text').as('role'),
              cast<number | null>(val(p.facts_sum), 'bigint').as('facts_sum'),
              cast<number | null>(val(p.name_sum), 'bigint').as('name_sum'),
              cast<number | null>(val(p.end_sum), 'bigint').as('end_sum'),
            ])
            .where('workspaces.id', '=', p.workspace_id)
            .where((eb) =>
              eb(
                eb
                  .selectFrom('invitations')
                  .select((eb) => eb.fn.countAll<number>().as('count'))
                  .where('invitations.workspace_id', '=', p.workspace_id)
                  .where('invitations.ended_at', 'is', null)
                  .where('invitations.expires_at', '>', p.created_at),
                '<',
                p.limit,
              ),
            ),
        )
        .returning('id'),
    { rows: 1, conflict: TOO_MANY_INVITATIONS },
  ),
  (row) => ({ ...row, shared_document: row.document_id, ended_by: null, ended_at: null }),
  { facts_sum: 'facts_sum', name_sum: 'name_sum', end_sum: 'end_sum' },
);

/** Conflict: the invitation was used or withdrawn before. */
export const NO_INVITATION = 'no invitation';

type InvitationEnd = { id: number; now: number; by: 'use' | 'withdrawal'; end_sum: number | null };

/** Ends an invitation because it was accepted or withdrawn. */
export const endInvitation = withSealing(
  'invitations',
  prepareStatement(
    (p: InvitationEnd) =>
      sql
        .updateTable('invitations')
        .set({ ended_at: p.now, ended_by: p.by, end_sum: p.end_sum })
        .where('id', '=', p.id)
        .where('ended_at', 'is', null)
        .where('expires_at', '>', p.now),
    { rows: 1, conflict: NO_INVITATION },
  ),
  ({ now, by }) => ({ ended_at: now, ended_by: by }),
  { end_sum: 'end_sum' },
);

/** Withdraws earlier invitations of an e-mail address to a document. */
export const replaceInvitations = withSealing(
  'invitations',
  prepareStatement((p: { document_id: string; email_key: string; now: number; end_sum: number | null }) =>
    sql
      .updateTable('invitations')
      .set({ ended_at: p.now, ended_by: WITHDRAWAL, end_sum: p.end_sum })
      .where('shared_document', '=', p.document_id)
      .where((eb) => eb(eb.fn('lower', ['email']), '=', p.email_key))
      .where('ended_at', 'is', null),
  ),
  ({ now }) => ({ ended_at: now, ended_by: WITHDRAWAL }),
  { end_sum: 'end_sum' },
);

const WITHDRAWAL = 'withdrawal';

/** Open invitations of an e-mail address to documents. */
export const invitationsOf = prepareCheckedQuery(['invitations'], (p: { email_key: string; now: number }) =>
  sql
    .selectFrom('invitations')
    .select(['id', 'shared_document as document_id', 'role'])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', p.email_key))
    .where('shared_document', 'is not', null)
    .where('expires_at', '>', p.now)
    .where('ended_at', 'is', null)
    .orderBy('id'),
);

/** Shares a document with the user of an e-mail address. The document may be in the trash. */
export const shareWithInvitee = prepareStatement(
  (p: { document_id: string; email_key: string; role: SharesTable['role'] }) =>
    sql
      .insertInto('shares')
      .columns(['document_id', 'user_id', 'role'])
      .expression(
        sql
          .selectFrom('users')
          .select(({ val, cast }) => [
            cast<string>(val(p.document_id), 'text').as('document_id'),
            'users.id as user_id',
            cast<SharesTable['role']>(val(p.role), 'text').as('role'),
          ])
          .where('users.email_key', '=', p.email_key)
          .where(({ or, exists, selectFrom }) =>
            or([
              exists(selectFrom('documents').select('documents.id').where('documents.id', '=', p.document_id)),
              exists(selectFrom('trash').select('trash.document_id').where('trash.document_id', '=', p.document_id)),
            ]),
          ),
      )
      .onConflict((conflict) => conflict.columns(['document_id', 'user_id']).doNothing()),
);

/** Deletes the invitations of a workspace that expired before a time. */
export const deleteOldInvitations = prepareStatement((p: { workspace_id: number; before: number }) =>
  sql.deleteFrom('invitations').where('workspace_id', '=', p.workspace_id).where('expires_at', '<=', p.before),
);
