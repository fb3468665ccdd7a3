import { type Database, StoreError } from '@cellwire/store';
import {
  abandonCreation,
  DOCUMENT_GONE,
  documentsTrashedUntil,
  endRemoval,
  isGoneConflict,
  purgeSteps,
  removeDocument,
  removeReplacedDocument,
  removeTrashedDocument,
  restoreFromTrash,
  trashDocument,
  unfinishedDocuments,
} from '@cellwire/store/documents';
import { DELETE_BATCH_ROWS, STALE_CREATION_MS } from '../limits/retention.ts';
import type { RemovalOutcome, RemovalStatements } from './types.ts';

/** Makes a document inaccessible at once, then deletes its rows in small steps. */
export async function deleteDocument(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: RemovalStatements,
): Promise<RemovalOutcome> {
  const statements = [...before, ...removeDocument(id, now), ...after];
  const outcome = await database.write({ document: id, statements });
  if (outcome.kind === 'conflict') return outcome.conflict === DOCUMENT_GONE ? { kind: 'absent' } : outcome;
  await purgeDocument(database, id);
  return { kind: 'removed' };
}

/** Moves a document to the trash, where it cannot be opened. */
export async function moveToTrash(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: RemovalStatements,
): Promise<RemovalOutcome> {
  const outcome = await database.write({
    document: id,
    statements: [...before, ...trashDocument(id, now), ...after],
  });
  if (outcome.kind === 'committed') return { kind: 'removed' };
  return outcome.conflict === DOCUMENT_GONE ? { kind: 'absent' } : outcome;
}

/** Permanently deletes a document in the trash. */
export async function purgeTrashedDocument(
  database: Database,
  id: string,
  now: number,
  { before = [], after = [] }: RemovalStatements,
): Promise<RemovalOutcome> {
  const outcome = await database.write({
    document: id,
    statements: [...removeTrashedDocument(id, now, before), ...after],
  });
  if (outcome.kind === 'conflict') return isGoneConflict(outcome.conflict) ? { kind: 'absent' } : outcome;
  await purgeDocument(database, id);
  return { kind: 'removed' };
}

/** Permanently deletes at most `limit` documents that were moved to the trash at `until` or earlier. */
export async function purgeExpiredDocuments(
  database: Database,
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
): Promise<number> {
  const expired = await database.read(documentsTrashedUntil({ until, limit }));
  for (const { document_id: id } of expired) await purgeTrashedDocument(database, id, now, {});
  return expired.length;
}

/**
 * Deletes a document so that another state can replace it. Its subscriptions and audit log stay. `isTrashed`: it is in
 * the trash.
 */
export async function deleteForReplacement(
  database: Database,
  id: string,
  now: number,
  isTrashed: boolean,
): Promise<void> {
  const statements = [...(isTrashed ? restoreFromTrash(id) : []), ...removeReplacedDocument(id, now)];
  const outcome = await database.write({ document: id, statements });
  if (outcome.kind === 'conflict') throw new StoreError(`Document ${id} was deleted meanwhile`, 'IN_USE');
  await purgeDocument(database, id);
}

/** Deletes what an unfinished creation has left. `touchedAt`: when it last reported progress. */
export async function removeUnfinishedDocument(database: Database, id: string, touchedAt: number): Promise<void> {
  const outcome = await database.write({ document: id, statements: [abandonCreation({ id, touchedAt })] });
  if (outcome.kind === 'committed') await purgeDocument(database, id);
}

/** Deletes what unfinished creations and removals have left. */
export async function removeUnfinishedDocuments(database: Database, now: number): Promise<void> {
  for (const { document_id: id, reason, touched_at: touchedAt } of await database.read(unfinishedDocuments({}))) {
    if (reason === 'remove') await purgeDocument(database, id);
    else if (touchedAt < now - STALE_CREATION_MS) await removeUnfinishedDocument(database, id, touchedAt);
  }
}

async function purgeDocument(database: Database, id: string): Promise<void> {
  const statements = purgeSteps.map((step) => step({ id, limit: DELETE_BATCH_ROWS }));
  for (let deleted = 1; deleted > 0; ) {
    const outcome = await database.write({ document: id, statements });
    deleted = outcome.kind === 'committed' ? outcome.results.reduce((total, { changes }) => total + changes, 0) : 0;
  }
  await database.write({ document: id, statements: [endRemoval({ id })] });
}
