import type { SqlColumnTypes } from '../database/dialect.ts';

/** Stored replies to requests that created documents. At the time of the request the document did not exist. */
export function createCreationReplyTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table makings (
      user_id ${t.long} not null,
      path ${t.text} not null,
      key ${t.text} not null,
      body_hash ${t.text} not null,
      reply ${t.text} not null,
      at ${t.long} not null,
      primary key (user_id, path, key)
    )${t.clustered}`,
    'create index makings_by_time on makings (at)',
  ];
}
