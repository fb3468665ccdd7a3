/** An index for counting the entries of the log and for finding the names of its tokens. */
export function createAuditIndex(): readonly string[] {
  return ["create index audit_shown on audit (document_id, token_name, origin) where origin <> 'browser'"];
}
