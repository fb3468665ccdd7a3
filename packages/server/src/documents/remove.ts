import { DELETE_BATCH_ROWS, STALE_CREATION_MS } from '../limits/limits.ts';
import { type Database, type Statement, StoreError } from '../store/database.ts';
import { DOCUMENT_GONE } from '../store/documents.ts';
import { abandonCreation, endRemoval, purges, removeDocument, unfinishedDocuments } from '../store/unfinished.ts';

/** Ends a document's existence at once, then deletes its rows in small steps. False where there is none. */
export async function remove(
  database: Database,
  id: string,
  now: number,
  also: readonly Statement[],
): Promise<boolean> {
  const outcome = await database.write({ document: id, statements: [...removeDocument(id, now), ...also] });
  if (outcome.kind === 'conflict') {
    if (outcome.conflict === DOCUMENT_GONE) return false;
    throw new StoreError(`A removal was refused: ${outcome.conflict}`, 'CONFLICT');
  }
  await purge(database, id);
  return true;
}

/** Deletes what creations and removals that never ended have left. */
export async function sweep(database: Database, now: number): Promise<void> {
  for (const { document_id: id, reason, touched_at: touchedAt } of await database.read(unfinishedDocuments({}))) {
    if (reason === 'remove') await purge(database, id);
    else if (touchedAt < now - STALE_CREATION_MS) {
      const outcome = await database.write({ document: id, statements: [abandonCreation({ id, touchedAt })] });
      if (outcome.kind === 'committed') await purge(database, id);
    }
  }
}

async function purge(database: Database, id: string): Promise<void> {
  const statements = purges.map((step) => step({ id, limit: DELETE_BATCH_ROWS }));
  for (let deleted = 1; deleted > 0; ) {
    const outcome = await database.write({ document: id, statements });
    deleted = outcome.kind === 'committed' ? outcome.results.reduce((total, { changes }) => total + changes, 0) : 0;
  }
  await database.write({ document: id, statements: [endRemoval({ id })] });
}
