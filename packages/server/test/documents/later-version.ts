import type { Database } from '@cellwire/store';
import { checkpointOf } from '@cellwire/store/documents';
import { prepareStatement } from '../../../store/src/database/database.ts';
import { sql } from '../../../store/src/database/dialect.ts';

const NUMBER = '"version":';
/** The texts of a document are stored with one or two bytes a character. */
const ENCODINGS = ['latin1', 'utf16le'] as const;

const store = prepareStatement((p: { id: string; revision: number; meta: Uint8Array }) =>
  sql.updateTable('checkpoints').set({ revision: p.revision, meta: p.meta }).where('document_id', '=', p.id),
);

/** Stores a document's checkpoint with an unknown, later version number; returns the stored bytes. */
export async function storeAsLaterVersion(database: Database, id: string, revision: number): Promise<Uint8Array> {
  const checkpoint = await database.readOne(checkpointOf({ id }));
  if (checkpoint === null) throw new Error('no such document');
  const meta = new Uint8Array(checkpoint.meta);
  const bytes = Buffer.from(meta.buffer);
  const encoding = ENCODINGS.find((one) => bytes.includes(NUMBER, 0, one)) ?? 'latin1';
  bytes.write('9', bytes.indexOf(NUMBER, 0, encoding) + Buffer.byteLength(NUMBER, encoding), encoding);
  await database.write({ document: id, statements: [store({ id, revision, meta })] });
  return meta;
}
