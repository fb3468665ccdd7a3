import type { Database } from '@cellwire/store';
import { BEFORE_ALL_CHUNKS, chunkSizesAfter } from '@cellwire/store/documents';
import { LARGE_DOCUMENT_BYTES, LARGE_DOCUMENT_CHUNKS } from '../limits/open-documents.ts';
import { FileShelf } from './file-shelf.ts';
import { readDocument, sumNumbers } from './load-state.ts';
import { type DocumentState, isOfAnotherDay } from './state.ts';

type StoredChunkReader = Pick<Database, 'readAll'>;

/** A state whose cells are in a file. They cannot be read after the file is closed. */
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
 * A document's newest state with its cells in a file, read on access. `path`: path of the file; the caller removes it.
 * Null if the document must be opened instead: it does not exist, or its volatile functions are of another day.
 */
export async function readStreamedState(
  database: StoredChunkReader,
  id: string,
  { path, now }: { readonly path: string; readonly now: number },
): Promise<StreamedState | null> {
  const shelf = new FileShelf(path);
  const close = () => shelf.close();
  try {
    const loaded = await readDocument(database, id, { shelf });
    if (loaded !== null && !isOfAnotherDay(loaded.state, now)) {
      const { snapshot, head } = loaded.state;
      return { snapshot, head, close };
    }
  } catch (error) {
    close();
    throw error;
  }
  close();
  return null;
}
