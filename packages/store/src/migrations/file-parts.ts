import type { SqlColumnTypes } from '../database/dialect.ts';

/** Parts of an imported file, which exports write unchanged. */
export function createFilePartsTable(t: SqlColumnTypes): readonly string[] {
  return [
    `create table file_parts (
      document_id ${t.text} not null,
      name ${t.text} not null,
      content_type ${t.text} not null,
      relationships ${t.text} not null,
      bytes ${t.bytes} not null,
      primary key (document_id, name)
    )`,
  ];
}
