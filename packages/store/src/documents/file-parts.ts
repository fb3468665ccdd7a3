import { withSealing, withUnsealing } from '../database/checksum.ts';
import { prepareQuery, prepareStatement } from '../database/database.ts';
import { sql } from '../database/dialect.ts';

/** Parts of the file from which a document was imported. They never change. */
export const filePartsOf = withUnsealing(
  'file_parts',
  prepareQuery((p: { id: string }) =>
    sql
      .selectFrom('file_parts')
      .select(['name', 'content_type', 'relationships', 'bytes'])
      .where('document_id', '=', p.id)
      .orderBy('name'),
  ),
);

export const insertFilePart = withSealing(
  'file_parts',
  prepareStatement((p: { id: string; name: string; type: string; relationships: string; bytes: Uint8Array }) =>
    sql.insertInto('file_parts').values({
      document_id: p.id,
      name: p.name,
      content_type: p.type,
      relationships: p.relationships,
      bytes: p.bytes,
    }),
  ),
  ({ name, type, relationships, bytes }) => ({ name, content_type: type, relationships, bytes }),
  { bytes: 'bytes' },
);

/** Deletes up to `limit` parts of a deleted document. */
export const purgeFileParts = prepareStatement((p: { id: string; limit: number }) =>
  sql
    .deleteFrom('file_parts')
    .where('document_id', '=', p.id)
    .where('name', 'in', (eb) =>
      eb.selectFrom('file_parts').select('name').where('document_id', '=', p.id).limit(p.limit),
    ),
);
