import { type Database, StoreError } from '@cellwire/store';
import {
  abandonCreation,
  DOCUMENT_GONE,
  endRemoval,
  isGoneConflict,
  purgeSteps,
  removeDocument,
  removeReplacedDocument,
  removeTrashed,
  restoreTrashed,
  trashDocument,
  trashedUntil,
  unfinishedDocuments,
} from '@cellwire/store/documents';
import { DELETE_BATCH_ROWS, STALE_CREATION_MS } from '../limits/retention.ts';
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

/** Moves a document into the bin; nobody can open it there. */
export async function trash(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: Removal,
): Promise<Removed> {
  const outcome = await database.write({
    document: id,
    statements: [...before, ...trashDocument(id, now), ...after],
  });
  if (outcome.kind === 'committed') return { kind: 'removed' };
  return outcome.conflict === DOCUMENT_GONE ? { kind: 'absent' } : outcome;
}

/** Deletes a document of the bin for good. */
export async function purgeTrashed(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: Removal,
): Promise<Removed> {
  const outcome = await database.write({ document: id, statements: [...removeTrashed(id, now, before), ...after] });
  if (outcome.kind === 'conflict') return isGoneConflict(outcome.conflict) ? { kind: 'absent' } : outcome;
  await purge(database, id);
  return { kind: 'removed' };
}

/** Deletes documents for good that were put into the bin at `until` or before; `limit` of them at most. */
export async function purgeExpired(
  database: Database,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<number> {
  const expired = await database.read(trashedUntil({ until, limit }));
  for (const { document_id: id } of expired) await purgeTrashed(database, id, now, {});
  return expired.length;
}

/**
 * Deletes a document so that another state of it can take its place: its subscriptions and its audit log stay.
 * `isTrashed`: it is in the bin.
 */
export async function endExistence(database: Database, id: string, now: number, isTrashed: boolean): Promise<void> {
  const statements = [...(isTrashed ? restoreTrashed(id) : []), ...removeReplacedDocument(id, now)];
  const outcome = await database.write({ document: id, statements });
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
  const statements = purgeSteps.map((step) => step({ id, limit: DELETE_BATCH_ROWS }));
  for (let deleted = 1; deleted > 0; ) {
    const outcome = await database.write({ document: id, statements });
    deleted = outcome.kind === 'committed' ? outcome.results.reduce((total, { changes }) => total + changes, 0) : 0;
  }
  await database.write({ document: id, statements: [endRemoval({ id })] });
}
