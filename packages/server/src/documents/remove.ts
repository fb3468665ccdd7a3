import { DELETE_BATCH_ROWS, STALE_CREATION_MS } from '../limits/limits.ts';
import { type Database, StoreError } from '../store/database.ts';
import { DOCUMENT_GONE } from '../store/documents.ts';
import {
  abandonCreation,
  endRemoval,
  makeRoomFor,
  purges,
  removeDocument,
  unfinishedDocuments,
} from '../store/unfinished.ts';
import type { Removal, Removed } from './types.ts';

/** Ends a document's existence at once, then deletes its rows in small steps. */
export async function remove(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: Removal,
): Promise<Removed> {
  const statements = [...before, ...removeDocument(id, now), ...after];
  const outcome = await database.write({ document: id, statements });
  if (outcome.kind === 'conflict') return outcome.conflict === DOCUMENT_GONE ? { kind: 'absent' } : outcome;
  await purge(database, id);
  return { kind: 'removed' };
}

/** Deletes a document so that another state of it can take its place: its subscriptions and its audit log stay. */
export async function endExistence(database: Database, id: string, now: number): Promise<void> {
  const outcome = await database.write({ document: id, statements: makeRoomFor(id, now) });
  if (outcome.kind === 'conflict') throw new StoreError(`Document ${id} was deleted meanwhile`, 'IN_USE');
  await purge(database, id);
}

/** Deletes what a creation has left that came to nothing; `touchedAt`: when it last said that it goes on. */
export async function abandon(database: Database, id: string, touchedAt: number): Promise<void> {
  const outcome = await database.write({ document: id, statements: [abandonCreation({ id, touchedAt })] });
  if (outcome.kind === 'committed') await purge(database, id);
}

/** Deletes what creations and removals that never ended have left. */
export async function sweep(database: Database, now: number): Promise<void> {
  for (const { document_id: id, reason, touched_at: touchedAt } of await database.read(unfinishedDocuments({}))) {
    if (reason === 'remove') await purge(database, id);
    else if (touchedAt < now - STALE_CREATION_MS) await abandon(database, id, touchedAt);
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
