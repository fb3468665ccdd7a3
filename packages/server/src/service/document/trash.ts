import { type Query, type Statement, StoreError } from '@cellwire/store';
import { bumpAccessEpoch, NO_SESSION } from '@cellwire/store/accounts';
import { isGoneConflict, restoreFromTrash, trashedDocument, trashedDocumentsOf } from '@cellwire/store/documents';
import type { Caller } from '../../access/callers.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { computeTrashRetentionMs } from '../../documents/retention-rules.ts';
import type { RemovalOutcome, RemovalStatements } from '../../documents/types.ts';
import { MAX_LISTED_TRASH } from '../../limits/commands.ts';
import { type Actor, buildSessionGuard } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditAction, buildAuditStatements } from '../history/audit-log.ts';
import { isRefusal, type Refusal, UNAUTHENTICATED } from '../refusal.ts';

type TrashContext = Pick<ServiceContext, 'database' | 'documents' | 'config' | 'clock'>;

/** A document in the trash. Times are ISO 8601. */
interface TrashEntryView {
  readonly id: string;
  readonly title: string;
  /** Time of the last change. */
  readonly updatedAt: string;
  /** Number of changes since the document was created. */
  readonly revision: number;
  readonly deletedAt: string;
  /** Time of the permanent deletion. */
  readonly expiresAt: string;
}

export type TrashedRow = ReturnType<typeof trashedDocument> extends Query<infer R> ? R : never;

/** Documents deleted before this time are not in the trash any more. Milliseconds since 1970-01-01 UTC. */
export function computeExpiryTime({ config, clock }: Pick<TrashContext, 'config' | 'clock'>): number {
  return clock() - readTrashRetentionMs(config);
}

function readTrashRetentionMs({ trash }: ServiceContext['config']): number {
  return computeTrashRetentionMs({ trashDays: trash.days });
}

/** Deletes a document: to the trash if deleted documents are kept. `statements`: further statements of the unit. */
export function trashDocument(
  { documents, config }: TrashContext,
  id: string,
  statements: RemovalStatements,
): Promise<RemovalOutcome> {
  return config.trash.days === 0 ? documents.remove(id, statements) : documents.moveToTrash(id, statements);
}

/** The documents that the caller deleted, most recent first, and the retention in days. */
export async function listTrash(
  context: TrashContext,
  { userId }: Caller,
): Promise<{ readonly documents: readonly TrashEntryView[]; readonly days: number }> {
  const { database, config } = context;
  const page = { owner_id: userId, until: computeExpiryTime(context), limit: MAX_LISTED_TRASH };
  const rows = await database.read(trashedDocumentsOf(page));
  const documents = rows.map(({ document_id: id, title, revision, updated_at: updatedAt, deleted_at: at }) => ({
    id,
    title,
    updatedAt: new Date(updatedAt).toISOString(),
    revision,
    deletedAt: new Date(at).toISOString(),
    expiresAt: new Date(at + readTrashRetentionMs(config)).toISOString(),
  }));
  return { documents, days: config.trash.days };
}

/** A document in the caller's trash, and the caller. */
interface OwnTrashRow {
  readonly caller: Caller;
  readonly by: Actor;
  readonly id: string;
}

/** Restores a document that the caller deleted. */
export async function restoreOwnDocument(context: TrashContext, ownedRow: OwnTrashRow): Promise<TrashedRow | Refusal> {
  const row = await findOwnRow(context, ownedRow);
  if (isRefusal(row)) return row;
  const { id, by } = ownedRow;
  const statements = [
    ...buildSessionGuard(by),
    ...restoreFromTrash(id),
    ...buildTrashAudit(context, ownedRow, 'document.restore'),
    bumpAccessEpoch({}),
  ];
  const outcome = await context.database.write({ document: id, statements });
  return outcome.kind === 'committed' ? row : toTrashRefusal(outcome.conflict);
}

/** Permanently deletes a document in the caller's trash. */
export async function purgeOwnDocument(context: TrashContext, ownedRow: OwnTrashRow): Promise<TrashedRow | Refusal> {
  const row = await findOwnRow(context, ownedRow);
  if (isRefusal(row)) return row;
  const before = [...buildSessionGuard(ownedRow.by), ...buildTrashAudit(context, ownedRow, 'document.purge')];
  const outcome = await context.documents.purge(ownedRow.id, { before });
  if (outcome.kind === 'conflict') return toTrashRefusal(outcome.conflict);
  return outcome.kind === 'absent' ? DOCUMENT_NOT_FOUND : row;
}

/** The deleted document if the caller owned it; refused if not or if its time in the trash is over. */
async function findOwnRow(context: TrashContext, { caller, id }: OwnTrashRow): Promise<TrashedRow | Refusal> {
  const row = await context.database.readOne(trashedDocument({ id, until: computeExpiryTime(context) }));
  return row === null || row.owner_id !== caller.userId ? DOCUMENT_NOT_FOUND : row;
}

/** The statements that record an action on a deleted document. */
function buildTrashAudit(
  { clock }: TrashContext,
  { caller, id }: OwnTrashRow,
  action: AuditAction,
): readonly Statement[] {
  return buildAuditStatements({ caller, documentId: id }, [{ action, range: '', cells: 0 }], clock());
}

/** The refusal for a change of the trash that the store refused. Throws for an unknown conflict. */
function toTrashRefusal(conflict: string): Refusal {
  if (conflict === NO_SESSION) return UNAUTHENTICATED;
  if (isGoneConflict(conflict)) return DOCUMENT_NOT_FOUND;
  throw new StoreError(`A change of the trash was refused: ${conflict}`, 'CONFLICT');
}
