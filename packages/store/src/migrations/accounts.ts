import type { SqlColumnTypes } from '../database/dialect.ts';

/** Sessions and sign-in attempts. */
export const SESSIONS = 'sessions';
export const INVITATIONS = 'invitations';
export const ATTEMPTS = 'sign_in_attempts';

/** User who must change the password that a first start printed. It was printed before any user could sign in. */
const FIRST_OWNER = 'owner@localhost';

export function createAccountTables(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table users add column disabled_at ${t.long}`,
    'alter table users add column password_once integer not null default 0',
    `update users set password_once = 1 where email_key = '${FIRST_OWNER}'`,
    `alter table workspaces add column owner_id ${t.long}`,
    'update workspaces set owner_id = (select min(id) from users where workspace_id = workspaces.id)',
    'create index users_by_workspace on users (workspace_id)',
    `alter table tokens add column prefix ${t.text}`,
    `alter table tokens add column used_at ${t.long}`,
    `create table ${SESSIONS} (
      id ${t.serial},
      user_id ${t.long} not null,
      hash ${t.text} not null unique,
      created_at ${t.long} not null,
      seen_at ${t.long} not null,
      expires_at ${t.long} not null,
      address ${t.text} not null,
      agent ${t.text} not null
    )`,
    `create index sessions_by_user on ${SESSIONS} (user_id)`,
    `create table ${INVITATIONS} (
      id ${t.serial},
      workspace_id ${t.long} not null,
      email ${t.text} not null,
      hash ${t.text} not null unique,
      invited_by ${t.text} not null,
      created_at ${t.long} not null,
      expires_at ${t.long} not null
    )`,
    `create index invitations_by_workspace on ${INVITATIONS} (workspace_id)`,
    `create table ${ATTEMPTS} (
      key ${t.text} not null primary key,
      started_at ${t.long} not null,
      count ${t.long} not null
    )${t.clustered}`,
    `create table account_log (
      id ${t.serial},
      workspace_id ${t.long} not null,
      at ${t.long} not null,
      action ${t.text} not null,
      origin ${t.text} not null,
      user_id ${t.long},
      user_name ${t.text} not null,
      subject_id ${t.long},
      subject ${t.text} not null,
      detail ${t.text} not null,
      address ${t.text} not null
    )`,
    'create index account_log_by_workspace on account_log (workspace_id, id)',
    'create index account_log_by_time on account_log (at)',
    `create table request_counts (
      user_id ${t.long} not null,
      period_start ${t.long} not null,
      requests ${t.long} not null,
      refused ${t.long} not null,
      primary key (user_id, period_start)
    )${t.clustered}`,
  ];
}
