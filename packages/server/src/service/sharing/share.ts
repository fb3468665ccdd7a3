import { ANYONE, deleteShare, setShare, shareOfAnyone } from '@cellwire/store/documents';
import { deactivateSubscriptionsOfUser } from '@cellwire/store/webhooks';
import type { DocumentAccess } from '../../access/access.ts';
import { ROLE_FORBIDS } from '../../access/refusal.ts';
import type { SharedRole } from '../../access/roles.ts';
import type { SharingInputs } from '../../documents/rights.ts';
import { type AccessAction, keepActionReply, withAccessRetry } from '../access-retry.ts';
import type { ServiceContext } from '../context.ts';
import { buildAuditStatements } from '../history/audit-log.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import type { WriteReply } from '../reply.ts';
import { type SharingChange, tryChangeSharing } from './change-sharing.ts';

/** The roles to give; `none` removes a role. */
export const GIVEN_ROLES = ['edit', 'comment', 'view', 'none'] as const satisfies readonly (SharedRole | 'none')[];
type AssignableRole = (typeof GIVEN_ROLES)[number];

export function createAlreadyOwnerRefusal(user: string): Refusal {
  return invalidRequest('user', `${user} owns the document and has every right`);
}

/** Creates the sharing change that gives a role. */
export function createRoleChange(document: string, user: number, role: AssignableRole): SharingChange {
  const place = { document_id: document, user_id: user };
  return {
    statements:
      role === 'none' ? [deleteShare(place), deactivateSubscriptionsOfUser(place)] : [setShare({ ...place, role })],
    sharing: (before: SharingInputs) => {
      const others = before.sharedWith.filter((other) => other !== user);
      return { ...before, sharedWith: role === 'none' ? others : [...others, user] };
    },
  };
}

/** The role of every user who knows the document's id; null: none. */
export async function readAnyoneRole(
  { database }: Pick<ServiceContext, 'database'>,
  { documentId }: DocumentAccess,
): Promise<SharedRole | null> {
  return (await database.readOne(shareOfAnyone({ document_id: documentId })))?.role ?? null;
}

/**
 * Gives every user who knows the document's id a role, or removes it (`none`). Subscriptions of users who lose access
 * end with their next delivery.
 */
export function shareWithAnyone(
  context: ServiceContext,
  action: AccessAction<DocumentAccess>,
  role: AssignableRole,
): Promise<WriteReply | Refusal> {
  return withAccessRetry(context, action, async (access) => {
    if (role !== 'none' && !context.config.linkSharing) return ROLE_FORBIDS;
    const { documentId, epoch } = access;
    const at = context.clock();
    const answer = { shared: { user: 'anyone', role } };
    const extraStatements = [
      ...buildAuditStatements(access, [{ action: 'document.share', range: '', cells: 0 }], at),
      ...keepActionReply(context, action.keyed, answer, at),
    ];
    const change = { ...createRoleChange(documentId, ANYONE, role), extraStatements };
    return (await tryChangeSharing(context, documentId, change, epoch)) ?? { kind: 'done', body: answer };
  });
}
