import type { SqlColumnTypes } from '../database/dialect.ts';
import { INVITATIONS } from './accounts.ts';

/** Invitations to a document with a role, and how they ended. */
export function addInvitationColumns(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table ${INVITATIONS} add column shared_document ${t.text}`,
    `alter table ${INVITATIONS} add column role ${t.text}`,
    `alter table ${INVITATIONS} add column ended_at ${t.long}`,
    `alter table ${INVITATIONS} add column ended_by ${t.text}`,
    `create index invitations_by_document on ${INVITATIONS} (shared_document) where shared_document is not null`,
  ];
}

/** The inviting user. Earlier invitations have only a name, which is enough if one user of the workspace has it. */
export function addInviterColumn(t: SqlColumnTypes): readonly string[] {
  const inviters = `from users where users.workspace_id = ${INVITATIONS}.workspace_id and users.name = ${INVITATIONS}.invited_by`;
  return [
    `alter table ${INVITATIONS} add column inviter_id ${t.long}`,
    `update ${INVITATIONS} set inviter_id = (select min(users.id) ${inviters}) where (select count(*) ${inviters}) = 1`,
  ];
}
