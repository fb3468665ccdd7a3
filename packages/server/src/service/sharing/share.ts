import { deleteShare, setShare } from '@cellwire/store/documents';
import { deactivateSubscriptionsOfUser } from '@cellwire/store/webhooks';
import type { SharedRole } from '../../access/roles.ts';
import type { Sharing } from '../../documents/rights.ts';
import { invalidRequest, type Refusal } from '../refusal.ts';
import type { SharingChange } from './change-sharing.ts';

/** Roles that are given, and the end of one. */
export const GIVEN_ROLES = ['edit', 'comment', 'view', 'none'] as const satisfies readonly (SharedRole | 'none')[];
type GivenRole = (typeof GIVEN_ROLES)[number];

export function ownsIt(user: string): Refusal {
  return invalidRequest('user', `${user} owns the document and has every right`);
}

/** What giving a role changes. */
export function roleChange(document: string, user: number, role: GivenRole): SharingChange {
  const place = { document_id: document, user_id: user };
  return {
    statements:
      role === 'none' ? [deleteShare(place), deactivateSubscriptionsOfUser(place)] : [setShare({ ...place, role })],
    sharing: (before: Sharing) => {
      const others = before.sharedWith.filter((other) => other !== user);
      return { ...before, sharedWith: role === 'none' ? others : [...others, user] };
    },
  };
}
