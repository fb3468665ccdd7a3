/** What the log shows is counted, and its tokens' names are found, in an index that holds all this takes. */
export function auditIndex(): readonly string[] {
  return ["create index audit_shown on audit (document_id, token_name, origin) where origin <> 'browser'"];
}
