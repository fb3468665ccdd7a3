import type { SqlColumnTypes } from '../database/dialect.ts';

/** Ids of requests in commits and audit entries, and of the last request of a notification. */
function addRequestIdColumns(t: SqlColumnTypes): readonly string[] {
  return ['commits', 'audit', 'notifications'].map((table) => `alter table ${table} add column request_id ${t.text}`);
}

/** Request ids, the audit entries of a user in all documents, and the last sign-in. */
export function addTraceColumns(t: SqlColumnTypes): readonly string[] {
  return [
    ...addRequestIdColumns(t),
    'create index audit_by_user on audit (user_id, at, document_id, id)',
    'drop index audit_unnumbered',
    "create index audit_unnumbered on audit (document_id, id) where api_number is null and origin not in ('browser', 'command')",
    `alter table users add column signed_in_at ${t.long}`,
    `update users set signed_in_at = (
      select max(account_log.at) from account_log
      where account_log.user_id = users.id and account_log.action = 'signIn'
    )`,
  ];
}
