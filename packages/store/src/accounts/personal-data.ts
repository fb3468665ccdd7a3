import { prepareQuery } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Queries for the export of a user's personal data. They select no hashes and no secrets. */
export const accountForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('users')
    .innerJoin('workspaces', 'workspaces.id', 'users.workspace_id')
    .select([
      'users.id',
      'users.email',
      'users.name',
      'users.workspace_id',
      'workspaces.name as workspace_name',
      'users.created_at',
      'users.disabled_at',
      'users.signed_in_at',
    ])
    .where('users.id', '=', p.id),
);

export const sessionsForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('sessions')
    .select(['id', 'created_at', 'seen_at', 'expires_at', 'address', 'agent'])
    .where('user_id', '=', p.id)
    .orderBy('id'),
);

export const tokensForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('tokens')
    .select(['id', 'name', 'scopes', 'documents', 'created_at', 'expires_at', 'revoked_at', 'used_at', 'input_locale'])
    .where('user_id', '=', p.id)
    .orderBy('id'),
);

export const documentsForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('documents')
    .select(['id', 'title', 'revision', 'created_at', 'updated_at'])
    .where('owner_id', '=', p.id)
    .orderBy('id'),
);

/** Documents that the user has deleted and can restore. */
export const trashForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('trash')
    .select(['document_id', 'title', 'revision', 'created_at', 'updated_at', 'deleted_at'])
    .where('owner_id', '=', p.id)
    .orderBy('document_id'),
);

export const sharesForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('shares')
    .innerJoin('documents', 'documents.id', 'shares.document_id')
    .select(['shares.document_id', 'documents.title', 'shares.role'])
    .where('shares.user_id', '=', p.id)
    .orderBy('shares.document_id'),
);

export const filtersForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('personal_filters')
    .select(['document_id', 'sheet_id', 'filter'])
    .where('user_id', '=', p.id)
    .orderBy('document_id')
    .orderBy('sheet_id'),
);

export const subscriptionsForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('webhooks')
    .select(['id', 'document_id', 'channel', 'url', 'chat_id', 'active', 'token_name', 'created_at'])
    .where('user_id', '=', p.id)
    .orderBy('id'),
);

/** Open and decided proposals of the user, without their content. */
export const proposalsForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('proposals')
    .select(['document_id', 'id', 'title', 'note', 'state', 'action', 'origin', 'token_name', 'created_at'])
    .where('user_id', '=', p.id)
    .orderBy('document_id')
    .orderBy('created_at')
    .orderBy('id'),
);

/** Revisions by a user after a position, without the written data. */
export const revisionsForExport = prepareQuery((p: { id: number; document: string; revision: number; limit: number }) =>
  sql
    .selectFrom('commits')
    .select(['document_id', 'revision', 'at', 'origin', 'token_name', 'request_id', 'name'])
    .where('author_id', '=', p.id)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('document_id', 'revision'), '>', tuple(p.document, p.revision)))
    .orderBy('document_id')
    .orderBy('revision')
    .limit(p.limit),
);

export const requestCountsForExport = prepareQuery((p: { id: number }) =>
  sql
    .selectFrom('request_counts')
    .select(['period_start', 'requests', 'refused'])
    .where('user_id', '=', p.id)
    .orderBy('period_start'),
);

/** Invitations that the user sent, and invitations to the user's e-mail address. */
export const invitationsForExport = prepareQuery((p: { id: number; email_key: string }) =>
  sql
    .selectFrom('invitations')
    .select(['id', 'email', 'invited_by', 'shared_document as document_id', 'role', 'created_at', 'expires_at'])
    .select(['ended_at', 'ended_by'])
    .where(({ eb, or }) => or([eb('inviter_id', '=', p.id), eb(eb.fn('lower', ['email']), '=', p.email_key)]))
    .orderBy('id'),
);
