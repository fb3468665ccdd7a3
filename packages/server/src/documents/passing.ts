import { LARGE_DOCUMENT_BYTES } from '../limits/limits.ts';
import { chunksSize } from '../store/checkpoints.ts';
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
  const [sizes] = await database.readAll([chunksSize({ id })]);
  if (sum(sizes.map(({ bytes }) => bytes ?? 0)) < LARGE_DOCUMENT_BYTES) return null;
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
