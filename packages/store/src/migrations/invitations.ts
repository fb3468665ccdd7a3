import type { SqlColumnTypes } from '../database/dialect.ts';
import { INVITATIONS } from './accounts.ts';

/** Invitations to a document with a role, and how they ended. */
export function invitationColumns(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table ${INVITATIONS} add column shared_document ${t.text}`,
    `alter table ${INVITATIONS} add column role ${t.text}`,
    `alter table ${INVITATIONS} add column ended_at ${t.long}`,
    `alter table ${INVITATIONS} add column ended_by ${t.text}`,
    `create index invitations_by_document on ${INVITATIONS} (shared_document) where shared_document is not null`,
  ];
}
