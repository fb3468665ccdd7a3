import { LARGE_DOCUMENT_BYTES, LARGE_DOCUMENT_CHUNKS } from '../limits/limits.ts';
import { BEFORE_ALL_CHUNKS, chunkSizesAfter } from '../store/checkpoints.ts';
import type { Database } from '../store/database.ts';
import type { DocumentsEnvironment } from './environment.ts';
import { FileShelf } from './file-shelf.ts';
import { isOfAnotherDay, read, sum } from './state.ts';
import type { PassingState } from './types.ts';

/**
 * A large document's state with its cells in a file, read as they are looked at. Null where it has to be opened: it is
 * small, there is none, or its volatile functions are of another day.
 */
export async function readPassing(
  { database, clock }: Pick<DocumentsEnvironment, 'database' | 'clock'>,
  id: string,
  path: string,
): Promise<PassingState | null> {
  if (!(await isLarge(database, id))) return null;
  const shelf = new FileShelf(path);
  const close = () => shelf.close();
  try {
    const loaded = await read(database, id, { shelf });
    if (loaded !== null && !isOfAnotherDay(loaded.state, clock())) return { snapshot: loaded.state.snapshot, close };
  } catch (error) {
    close();
    throw error;
  }
  close();
  return null;
}

/** Looks at the first chunks only: of millions, it would take as long as reading them. */
async function isLarge(database: Pick<Database, 'readAll'>, id: string): Promise<boolean> {
  const [sizes] = await database.readAll([chunkSizesAfter({ id, ...BEFORE_ALL_CHUNKS, limit: LARGE_DOCUMENT_CHUNKS })]);
  return sizes.length === LARGE_DOCUMENT_CHUNKS || sum(sizes.map(({ bytes }) => bytes)) >= LARGE_DOCUMENT_BYTES;
}
