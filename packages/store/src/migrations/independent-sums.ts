import type { SqlColumnTypes } from '../database/dialect.ts';

/** The sums of each table, with the columns that they cover. */
const SUMS: readonly (readonly [table: string, sum: string, columns: readonly string[]])[] = [
  ['workspaces', 'plan_sum', ['plan', 'created_at']],
  ['workspaces', 'name_sum', ['name']],
  ['workspaces', 'locale_sum', ['locale']],
  ['workspaces', 'owner_sum', ['owner_id']],
  ['users', 'facts_sum', ['created_at', 'workspace_id']],
  ['users', 'email_sum', ['email', 'email_key']],
  ['users', 'name_sum', ['name']],
  ['users', 'password_sum', ['password_hash', 'password_once']],
  ['users', 'disabled_sum', ['disabled_at']],
  ['tokens', 'facts_sum', ['user_id', 'scopes', 'documents', 'expires_at', 'created_at', 'input_locale', 'proposes']],
  ['tokens', 'name_sum', ['name']],
  ['tokens', 'secret_sum', ['hash', 'prefix']],
  ['tokens', 'revoked_sum', ['revoked_at']],
  ['google_keys', 'row_sum', ['token_id', 'key_id', 'client_email', 'client_id', 'public_key']],
  ['sessions', 'facts_sum', ['user_id', 'hash', 'created_at', 'expires_at', 'address', 'agent']],
  ['sessions', 'seen_sum', ['seen_at']],
  [
    'invitations',
    'facts_sum',
    ['workspace_id', 'email', 'hash', 'inviter_id', 'created_at', 'expires_at', 'shared_document', 'role'],
  ],
  ['invitations', 'name_sum', ['invited_by']],
  ['invitations', 'end_sum', ['ended_by', 'ended_at']],
  ['webhooks', 'facts_sum', ['document_id', 'channel', 'chat_id', 'user_id', 'token_id', 'created_at']],
  ['webhooks', 'url_sum', ['url']],
  ['webhooks', 'events_sum', ['events']],
  ['webhooks', 'active_sum', ['active', 'inactive_reason', 'since_revision']],
  ['webhooks', 'watch_sum', ['watch']],
  ['webhooks', 'name_sum', ['token_name']],
  ['webhooks', 'until_sum', ['old_secret_until']],
  ['webhooks', 'listening_sum', ['listening_until']],
  [
    'proposals',
    'facts_sum',
    [
      ...['document_id', 'id', 'title', 'note', 'action'],
      ...['user_id', 'token_id', 'origin', 'created_at', 'expires_at'],
    ],
  ],
  ['proposals', 'name_sum', ['token_name']],
  ['proposals', 'preview_sum', ['counts', 'preview']],
  ['proposals', 'base_sum', ['base_revision', 'version']],
  ['proposals', 'decision_sum', ['state', 'decided_by', 'reason', 'revision', 'decided_at']],
];

/**
 * Checksums of columns of accounts, subscriptions and proposals. Nodes of the previous version change columns without
 * their sums, which are then deleted.
 */
export function addIndependentSums(t: SqlColumnTypes): readonly string[] {
  return SUMS.flatMap(([table, sum, columns]) => [
    `alter table ${table} add column ${sum} ${t.long}`,
    ...t.deletionOfStaleValue({ table, derived: sum, columns }),
  ]);
}
