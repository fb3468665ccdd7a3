import { type Query, type Statement, StoreError } from '@cellwire/store';
import { bumpAccessEpoch, NO_SESSION } from '@cellwire/store/accounts';
import { isGoneConflict, restoreTrashed, trashedDocument, trashedOf } from '@cellwire/store/documents';
import type { Caller } from '../../access/callers.ts';
import { DOCUMENT_NOT_FOUND } from '../../access/refusal.ts';
import { trashMs } from '../../documents/retention-rules.ts';
import type { RemovalOutcome, RemovalStatements } from '../../documents/types.ts';
import { MAX_LISTED_TRASH } from '../../limits/commands.ts';
import { type Actor, sessionHolds } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { type AuditAction, auditStatements } from '../history/audit-log.ts';
import { isRefusal, type Refusal, UNAUTHENTICATED } from '../refusal.ts';

type TrashContext = Pick<ServiceContext, 'database' | 'documents' | 'config' | 'clock'>;

/** A document in the bin. Times are ISO 8601. */
interface TrashedView {
  readonly id: string;
  readonly title: string;
  readonly deletedAt: string;
  /** When it is deleted for good. */
  readonly expiresAt: string;
}

export type TrashedRow = ReturnType<typeof trashedDocument> extends Query<infer R> ? R : never;

/** What was deleted up to this moment is not in the bin any more. Milliseconds since 1970-01-01 UTC. */
export function expiredUntil({ config, clock }: Pick<TrashContext, 'config' | 'clock'>): number {
  return clock() - trashLife(config);
}

function trashLife({ trash }: ServiceContext['config']): number {
  return trashMs({ trashDays: trash.days });
}

/** Deletes a document: it goes into the bin if there is one. `around`: what else belongs in the unit. */
export function discard(
  { documents, config }: TrashContext,
  id: string,
  around: RemovalStatements,
): Promise<RemovalOutcome> {
  return config.trash.days === 0 ? documents.remove(id, around) : documents.trash(id, around);
}

/** What the caller has deleted, the last deleted first, and for how many days documents stay there. */
export async function listTrash(
  context: TrashContext,
  { userId }: Caller,
): Promise<{ readonly documents: readonly TrashedView[]; readonly days: number }> {
  const { database, config } = context;
  const wanted = { owner_id: userId, until: expiredUntil(context), limit: MAX_LISTED_TRASH };
  const rows = await database.read(trashedOf(wanted));
  const documents = rows.map(({ document_id: id, title, deleted_at: at }) => ({
    id,
    title,
    deletedAt: new Date(at).toISOString(),
    expiresAt: new Date(at + trashLife(config)).toISOString(),
  }));
  return { documents, days: config.trash.days };
}

/** A document of the caller's own bin, and who asks for its change. */
interface OwnTrashed {
  readonly caller: Caller;
  readonly by: Actor;
  readonly id: string;
}

/** Makes a document that the caller has deleted what it was. */
export async function restoreOwn(context: TrashContext, own: OwnTrashed): Promise<TrashedRow | Refusal> {
  const row = await ownRow(context, own);
  if (isRefusal(row)) return row;
  const { id, by } = own;
  const statements = [
    ...sessionHolds(by),
    ...restoreTrashed(id),
    ...audited(context, own, 'document.restore'),
    bumpAccessEpoch({}),
  ];
  const outcome = await context.database.write({ document: id, statements });
  return outcome.kind === 'committed' ? row : refusalOf(outcome.conflict);
}

/** Deletes a document of the caller's bin for good. */
export async function purgeOwn(context: TrashContext, own: OwnTrashed): Promise<TrashedRow | Refusal> {
  const row = await ownRow(context, own);
  if (isRefusal(row)) return row;
  const before = [...sessionHolds(own.by), ...audited(context, own, 'document.purge')];
  const outcome = await context.documents.purge(own.id, { before });
  if (outcome.kind === 'conflict') return refusalOf(outcome.conflict);
  return outcome.kind === 'absent' ? DOCUMENT_NOT_FOUND : row;
}

async function ownRow(context: TrashContext, { caller, id }: OwnTrashed): Promise<TrashedRow | Refusal> {
  const row = await context.database.readOne(trashedDocument({ id, until: expiredUntil(context) }));
  return row === null || row.owner_id !== caller.userId ? DOCUMENT_NOT_FOUND : row;
}

function audited({ clock }: TrashContext, { caller, id }: OwnTrashed, action: AuditAction): readonly Statement[] {
  return auditStatements({ caller, documentId: id }, [{ action, range: '', cells: 0 }], clock());
}

function refusalOf(conflict: string): Refusal {
  if (conflict === NO_SESSION) return UNAUTHENTICATED;
  if (isGoneConflict(conflict)) return DOCUMENT_NOT_FOUND;
  throw new StoreError(`A change of the bin was refused: ${conflict}`, 'CONFLICT');
}
