import type { SqlColumnTypes } from '../database/dialect.ts';

/** Inverses, undo marks and names of commits, and retained checkpoints for reading older revisions. */
export function addHistoryTables(t: SqlColumnTypes): readonly string[] {
  return [
    `alter table commits add column inverse ${t.bytes}`,
    `alter table commits add column undoes ${t.long}`,
    `alter table commits add column undone_by ${t.long}`,
    `alter table commits add column name ${t.text}`,
    `create table bases (
      document_id ${t.text} not null,
      revision ${t.long} not null,
      until ${t.long},
      complete integer not null,
      meta ${t.bytes} not null,
      primary key (document_id, revision)
    )`,
    `create table base_chunks (
      document_id ${t.text} not null,
      base_revision ${t.long} not null,
      sheet_id ${t.long} not null,
      column_index integer not null,
      block integer not null,
      bytes ${t.bytes} not null,
      primary key (document_id, base_revision, sheet_id, column_index, block)
    )`,
  ];
}
