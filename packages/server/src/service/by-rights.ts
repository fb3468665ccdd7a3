import type { DocumentAccess } from '../access/access.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import type { Statement } from '../store/database.ts';
import { ACCESS_CHANGED, accessUnchanged } from '../store/epoch.ts';
import { commitLoop } from './commit-loop.ts';
import { isRefusal, type Refusal, RIGHTS_CHANGED } from './refusal.ts';

/** Who wants something done to a document's surroundings, and how it is asked once more whether they may. */
export interface Acting {
  readonly access: DocumentAccess;
  /** Decides `access` once more, by the rights at the moment of the call. */
  readonly renew: () => Promise<DocumentAccess | AccessRefusal>;
}

/**
 * Does what somebody's rights allow, by the rights of the moment of the commit. `attempt` decides by `access` and puts
 * `rightsHold` into its unit; if that did not hold it gives `RIGHTS_CHANGED`, and all is decided anew.
 */
export async function byRights<T>(
  { access, renew }: Acting,
  attempt: (access: DocumentAccess) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const outcome = await commitLoop<DocumentAccess, { readonly kind: 'done'; readonly result: T }>({
    rights: access,
    reauthorize: renew,
    attempt: async (rights) => {
      const result = await attempt(rights);
      if (result === RIGHTS_CHANGED) return { kind: 'conflict', conflict: ACCESS_CHANGED };
      return isRefusal(result) ? result : { kind: 'done', result };
    },
  });
  return outcome.kind === 'done' ? outcome.result : outcome;
}

/** Stands first in a unit that the rights of `by` allow. Null: an operator's, who needs none. */
export function rightsHold(by: DocumentAccess | null): readonly Statement[] {
  return by === null ? [] : [accessUnchanged({ version: by.epoch })];
}

/** What a caller is told of the guard that undid a unit with `rightsHold`; `otherwise` where it was another one. */
export function conflictRefusal<T>(conflict: string, otherwise: T): T | Refusal {
  return conflict === ACCESS_CHANGED ? RIGHTS_CHANGED : otherwise;
}
