import type { SqlColumnTypes } from '../database/dialect.ts';

/** Service account keys. Each belongs to a token, which has its scopes, last use and revocation. */
export function createGoogleKeyTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table google_keys (
      token_id ${t.long} not null primary key references tokens (id),
      key_id ${t.text} not null,
      client_email ${t.text} not null unique,
      client_id ${t.text} not null,
      public_key ${t.text} not null
    )${t.clustered}`,
  ];
}

/** The table of other ids of documents. */
export function createDocumentAliasTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table document_aliases (
      alias ${t.text} not null primary key,
      target_id ${t.text} not null,
      created_at ${t.long} not null
    )${t.clustered}`,
    'create index document_aliases_by_document on document_aliases (target_id)',
  ];
}
