import { deleteShare, documentsOwnedBy, setOwner } from '@cellwire/store/documents';
import { deactivateSubscriptionsOfUser } from '@cellwire/store/webhooks';
import type { Caller } from '../../access/callers.ts';
import { MAX_TRANSFERRED_DOCUMENTS } from '../../limits/console.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import { changeSharing } from '../sharing/change-sharing.ts';
import { type Actor, buildAccountEntry } from './actor.ts';
import { findManagedMember } from './members.ts';

interface TransferRequest {
  /** The current owner. */
  readonly from: number;
  readonly to: number;
  /** Document ids; absent: all documents, up to the limit of a request. */
  readonly documents?: readonly string[] | undefined;
  readonly by: Actor;
}

interface TransferResult {
  readonly transferred: number;
  /** Number of requested documents that the user still owns: the next request continues. */
  readonly remaining: number;
}

/**
 * Transfers a user's documents to another user of the workspace, one by one. The former owner has no role in them
 * unless they are shared again.
 */
export async function transferDocuments(
  context: ServiceContext,
  caller: Caller,
  { from, to, documents, by }: TransferRequest,
): Promise<TransferResult | Refusal> {
  const found = await findManagedMember(context, caller, from);
  if (isRefusal(found)) return found;
  const receiver = await findManagedMember(context, caller, to);
  if (isRefusal(receiver) || receiver.user.disabled_at !== null || to === from) {
    return invalidRequest('to', 'The new owner must be another user of the workspace who is not disabled');
  }
  const owned = await context.database.read(documentsOwnedBy({ owner_id: from }));
  const requestedIds = documents === undefined ? null : new Set(documents.map((id) => id.toLowerCase()));
  const requestedRows = owned.filter(({ id }) => requestedIds === null || requestedIds.has(id));
  const now = requestedRows.slice(0, MAX_TRANSFERRED_DOCUMENTS);
  for (const { id } of now) {
    const refusal = await transferDocument(context, caller, id, { from, to });
    if (isRefusal(refusal)) return refusal;
  }
  const note = { action: 'documents.transfer', workspaceId: found.owner.workspace_id, at: context.clock() } as const;
  const detail = `${now.length} to ${receiver.user.name}`;
  await context.database.write({
    document: null,
    statements: [buildAccountEntry(by, { ...note, subject: found.user, detail })],
  });
  return { transferred: now.length, remaining: requestedRows.length - now.length };
}

/** Null on success. */
function transferDocument(
  context: ServiceContext,
  caller: Caller,
  document: string,
  { from, to }: Pick<TransferRequest, 'from' | 'to'>,
): Promise<Refusal | null> {
  const note = { action: 'document.transfer', range: '', cells: 0 } as const;
  return changeSharing(context, document, {
    statements: [
      setOwner({ id: document, from, to }),
      deleteShare({ document_id: document, user_id: to }),
      deactivateSubscriptionsOfUser({ document_id: document, user_id: from }),
      ...buildAuditStatements({ caller, documentId: document }, [note], context.clock()),
    ],
    sharing: (before) => ({ ...before, ownerId: to, sharedWith: before.sharedWith.filter((user) => user !== to) }),
  });
}
