// The rows of a one-cell write in PostgreSQL, and the bare rows to compare with, for `writer.mjs` and `statements.mjs`.

/** Bytes of a bare row: a commit with its delta and inverse, and the entry of the audit log. */
export const COMMIT_BYTES = 450;

/** Creates a table of bare rows with the key of commits, and a user who owns the documents. */
export const SURROUNDINGS = [
  'create table bare (document text, revision int, at bigint, data bytea, primary key (document, revision))',
  "insert into workspaces (name, plan, created_at) values ('W', 'enterprise', 0)",
  "insert into users (email, email_key, name, password_hash, workspace_id, created_at) values ('o', 'o', 'O', '', 1, 0)",
];

/** Creates a row of the audit log for a write of one cell. `at`: in milliseconds since 1970-01-01 UTC. */
export function createAuditRow(document, at) {
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
    request_id: null,
    proposal: null,
  };
}
