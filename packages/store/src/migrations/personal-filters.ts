import type { SqlColumnTypes } from '../database/dialect.ts';

/** The table of sheet filters that only one user sees. */
export function createPersonalFilterTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table personal_filters (
      document_id ${t.text} not null,
      user_id ${t.long} not null,
      sheet_id ${t.long} not null,
      revision ${t.long} not null,
      filter ${t.text} not null,
      primary key (document_id, user_id, sheet_id)
    )${t.clustered}`,
  ];
}
