import type { Database, RowsOf, StoreReader } from '@cellwire/store';
import { BEFORE_ALL_CHUNKS, chunkSizesAfter, columnsOfChunks } from '@cellwire/store/documents';
import { LARGE_DOCUMENT_BYTES, LARGE_DOCUMENT_CHUNKS } from '../limits/open-documents.ts';
import { FileShelf } from './file-shelf.ts';
import { readDocument, startRestoreAtMoment, sumNumbers } from './load-state.ts';
import { SnapshotShelf } from './snapshot-shelf.ts';
import { type DocumentState, isOfAnotherDay, type LoadedDocument } from './state.ts';

/** Maximum number of blocks for each chunk of a document whose chunks are read from the database on access. */
const MAX_BLOCKS_PER_CHUNK = 2;

type ColumnRow = RowsOf<[ReturnType<typeof columnsOfChunks>]>[0][number];

type StoredChunkReader = Pick<Database, 'readAll'>;

/** A state whose cells are in the database or in a file. They cannot be read after it is closed. */
interface StreamedState extends Pick<DocumentState, 'snapshot' | 'head'> {
  readonly close: () => void;
}

/**
 * Whether a document's stored cells exceed what may be held in memory for one pass. Only the first chunks are measured,
 * because counting millions would take as long as reading them.
 */
export async function isLarge(database: StoredChunkReader, id: string): Promise<boolean> {
  const [sizes] = await database.readAll([chunkSizesAfter({ id, ...BEFORE_ALL_CHUNKS, limit: LARGE_DOCUMENT_CHUNKS })]);
  return sizes.length === LARGE_DOCUMENT_CHUNKS || sumNumbers(sizes.map(({ bytes }) => bytes)) >= LARGE_DOCUMENT_BYTES;
}

/**
 * A document's newest state whose cells are read on access: from the embedded database, or from a file that this
 * function writes. `path`: path of the file; the caller removes it. Null if the document must be opened instead: it does
 * not exist, or its volatile functions are of another day.
 */
export async function readStreamedState(
  reader: StoreReader,
  id: string,
  { path, now }: { readonly path: string; readonly now: number },
): Promise<StreamedState | null> {
  const state = readStateAtMoment(reader, id) ?? (await readStateIntoFile(reader, id, path));
  if (state === null) return null;
  if (!isOfAnotherDay(state.loaded.state, now)) return { ...state.loaded.state, close: state.close };
  state.close();
  return null;
}

/** A loaded document, and a function that releases its cells. */
interface StreamedDocument {
  readonly loaded: LoadedDocument;
  readonly close: () => void;
}

/**
 * A document at one moment of the embedded database. Null if it does not exist, or if most of its blocks are empty: then
 * a file takes less time.
 */
function readStateAtMoment({ openSnapshot }: StoreReader, id: string): StreamedDocument | null {
  const snapshot = openSnapshot?.();
  if (snapshot === undefined) return null;
  const close = () => snapshot.close();
  try {
    const restore = startRestoreAtMoment(id, snapshot, { shelf: new SnapshotShelf(id, snapshot) });
    const columns = restore === null ? [] : snapshot.read(columnsOfChunks({ id }));
    if (restore !== null && areDense(columns)) {
      for (const { sheet_id: sheet, column_index: column, last } of columns)
        restore.addStoredBlocks(sheet, column, last + 1);
      return { loaded: restore.finish(), close };
    }
  } catch (error) {
    close();
    throw error;
  }
  close();
  return null;
}

/** True if most blocks of the columns have chunks. The state has an entry for each block before the last chunk. */
function areDense(columns: readonly ColumnRow[]): boolean {
  const chunks = sumNumbers(columns.map((column) => column.chunks));
  const blocks = sumNumbers(columns.map(({ last }) => last + 1));
  return blocks <= chunks * MAX_BLOCKS_PER_CHUNK;
}

/** Copies the stored chunks of a document to a file. Null if the document does not exist. */
async function readStateIntoFile(
  database: StoredChunkReader,
  id: string,
  path: string,
): Promise<StreamedDocument | null> {
  const shelf = new FileShelf(path);
  const close = () => shelf.close();
  try {
    const loaded = await readDocument(database, id, { shelf });
    if (loaded !== null) return { loaded, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return null;
}
