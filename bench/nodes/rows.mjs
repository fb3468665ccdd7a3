// The rows that a one-cell write leaves in PostgreSQL, and what stands beside them: of `writer.mjs` and `statements.mjs`.

/** Bytes of a commit with its delta and inverse, and of the entry of the audit log: what a bare row has. */
export const COMMIT_BYTES = 450;

/** A table of bare rows with the key of commits, and somebody to own documents. */
export const SURROUNDINGS = [
  'create table bare (document text, revision int, at bigint, data bytea, primary key (document, revision))',
  "insert into workspaces (name, plan, created_at) values ('W', 'enterprise', 0)",
  "insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0)",
];

export function auditEntry(document, at) {
  return {
    document_id: document,
    action: 'write',
    origin: 'api',
    user_id: 1,
    user_name: 'Owner',
    token_id: null,
    token_name: null,
    range: 'Sheet1!A1',
    cells: 1,
    at,
    subject_id: null,
    subject_address: null,
  };
}
