import type { Snapshot } from '@cellwire/engine';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { DocumentAccess } from '../access/access.ts';
import { DOCUMENT_NOT_FOUND } from '../access/refusal.ts';
import type { AreaLister, DocumentReading, OpenDocument } from '../documents/types.ts';
import type { ServiceContext } from './context.ts';
import { isRefusal, LEGACY_FORMAT, NOT_TABLE, type Refusal } from './refusal.ts';

/** Opens the newest state of a table, for reading. */
export function openTable(context: ServiceContext, access: DocumentAccess): MaybePromise<Snapshot | Refusal> {
  if (access.type !== 'table') return NOT_TABLE;
  return mapMaybe(context.documents.open(access.documentId, access.caller.userId), (document) =>
    mapMaybe(document?.readSnapshot() ?? null, (snapshot) => snapshot ?? DOCUMENT_NOT_FOUND),
  );
}

/** Opens the newest state with the commit that created it. */
export function openReading(context: ServiceContext, access: DocumentAccess): MaybePromise<DocumentReading | Refusal> {
  if (access.type !== 'table') return NOT_TABLE;
  return mapMaybe(context.documents.open(access.documentId, access.caller.userId), (document) =>
    mapMaybe(document?.readLatest() ?? null, (reading) => reading ?? DOCUMENT_NOT_FOUND),
  );
}

/** Like `openReading`, for a reader of only some areas; see `Documents.readAreas`. */
export function openAreas(
  context: ServiceContext,
  access: DocumentAccess,
  listAreas: AreaLister,
): MaybePromise<DocumentReading | Refusal> {
  if (access.type !== 'table') return NOT_TABLE;
  return mapMaybe(
    context.documents.readAreas(access.documentId, access.caller.userId, listAreas),
    (reading) => reading ?? DOCUMENT_NOT_FOUND,
  );
}

/** Opens a table for writing; a document of the old format cannot be written (contract, point 5). */
export function openWritableTable(
  context: ServiceContext,
  access: DocumentAccess,
): MaybePromise<OpenDocument | Refusal> {
  const refusal = checkWritable(access);
  if (isRefusal(refusal)) return refusal;
  return mapMaybe(
    context.documents.open(access.documentId, access.caller.userId),
    (document) => document ?? DOCUMENT_NOT_FOUND,
  );
}

/** Refuses a document that is no table or has the legacy format; null if it can be written. */
function checkWritable(access: DocumentAccess): Refusal | null {
  if (access.type !== 'table') return NOT_TABLE;
  return access.format === 'legacy' ? LEGACY_FORMAT : null;
}
