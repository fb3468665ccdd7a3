import type { DocumentAccess } from '../../access/access.ts';
import type { SharedRole } from '../../access/roles.ts';
import type { Sharing } from '../../documents/rights.ts';
import { deleteShare, setShare } from '../../store/shares.ts';
import { deactivateOfUser } from '../../store/subscriptions.ts';
import { type Action, act, keptReply } from '../act.ts';
import { auditStatements } from '../audit-log.ts';
import { type SharingChange, tryChange } from '../change-sharing.ts';
import type { ServiceContext } from '../context.ts';
import { findUser } from '../operator/users.ts';
import { invalidRequest, isRefusal, type Refusal } from '../refusal.ts';
import type { Reply } from '../reply.ts';

/** Roles that are given, and the end of one. */
export const GIVEN_ROLES = ['edit', 'comment', 'view', 'none'] as const satisfies readonly (SharedRole | 'none')[];
export type GivenRole = (typeof GIVEN_ROLES)[number];

/** Gives a user a role, another one, or (`none`) takes it away. `user`: an id or an e-mail address. */
export async function share(
  context: ServiceContext,
  action: Action<DocumentAccess>,
  { user: text, role }: { readonly user: string; readonly role: GivenRole },
): Promise<Reply | Refusal> {
  const user = await findUser(context, text);
  if (isRefusal(user)) return user;
  return act(context, action, async (access) => {
    const { documentId, caller, epoch } = access;
    // The gate lets owners alone through.
    if (user.id === caller.userId) return ownsIt(text);
    const at = context.clock();
    const body = { shared: { user: user.id, role } };
    const change = roleChange(documentId, user.id, role);
    const also = [
      ...auditStatements(access, [{ action: 'document.share', range: '', cells: 0 }], at),
      ...keptReply(context, action.keyed, body, at),
    ];
    const refusal = await tryChange(context, documentId, { ...change, also }, epoch);
    return refusal ?? { kind: 'done', body };
  });
}

export function ownsIt(user: string): Refusal {
  return invalidRequest('user', `${user} owns the document and has every right`);
}

/** What giving a role changes. */
export function roleChange(document: string, user: number, role: GivenRole): SharingChange {
  const place = { document_id: document, user_id: user };
  return {
    statements: role === 'none' ? [deleteShare(place), deactivateOfUser(place)] : [setShare({ ...place, role })],
    sharing: (before: Sharing) => {
      const others = before.sharedWith.filter((other) => other !== user);
      return { ...before, sharedWith: role === 'none' ? others : [...others, user] };
    },
  };
}
