import type { SqlColumnTypes } from '../database/dialect.ts';

/**
 * The trash: rows moved from `documents`, with the time of deletion. All other rows of such a document stay in place.
 */
export function createTrashTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table trash (
      document_id ${t.text} not null primary key,
      deleted_at ${t.long} not null,
      owner_id ${t.long} not null references users (id),
      title ${t.text} not null,
      type ${t.text} not null,
      format ${t.text} not null,
      locale ${t.text} not null,
      date_system ${t.text} not null,
      time_zone ${t.text} not null,
      revision ${t.long} not null,
      head ${t.text} not null,
      calculated_at ${t.long} not null,
      created_at ${t.long} not null,
      updated_at ${t.long} not null,
      committed_at ${t.long} not null,
      audited ${t.long} not null,
      api_audited ${t.long} not null,
      input_locale ${t.text}
    )${t.clustered}`,
    'create index trash_by_time on trash (deleted_at)',
    'create index trash_by_owner on trash (owner_id, deleted_at)',
  ];
}
