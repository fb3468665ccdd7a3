import { ACCESS_CHANGED } from '@cellwire/store/accounts';
import { KEY_TAKEN, REVISION_CONFLICT, REVISION_GONE, REVISION_UNDONE } from '@cellwire/store/documents';
import { CONFIRMATION_TAKEN, PROPOSAL_CHANGED } from '@cellwire/store/proposals';
import { DELIVERY_CHANGED, NO_WEBHOOK } from '@cellwire/store/webhooks';
import type { AccessRefusal } from '../access/refusal.ts';
import { MAX_WRITE_ATTEMPTS } from '../limits/documents.ts';
import { BUSY, CONFIRMATION_USED, isRefusal, type Refusal } from './refusal.ts';

/** The attempt committed nothing because a condition of its unit failed. */
export interface CommitConflict {
  readonly kind: 'conflict';
  readonly conflict: string;
}

/** The document changed after the write was prepared. */
export const STATE_CHANGED: CommitConflict = { kind: 'conflict', conflict: 'state changed' };
/** The commits in memory could not decide a precondition; the log has been read since. */
export const HISTORY_LOOKED_UP: CommitConflict = { kind: 'conflict', conflict: 'history looked up' };

type RetryStep = 'reauthorize' | 'prepareAgain' | 'useKeptReply';

/** The next step after each conflict. Any other conflict is a bug. */
const NEXT_STEPS: ReadonlyMap<string, RetryStep> = new Map([
  [ACCESS_CHANGED, 'reauthorize'],
  [STATE_CHANGED.conflict, 'prepareAgain'],
  [HISTORY_LOOKED_UP.conflict, 'prepareAgain'],
  [REVISION_UNDONE, 'prepareAgain'],
  [REVISION_CONFLICT, 'prepareAgain'],
  [REVISION_GONE, 'prepareAgain'],
  [PROPOSAL_CHANGED, 'prepareAgain'],
  [NO_WEBHOOK, 'prepareAgain'],
  [DELIVERY_CHANGED, 'prepareAgain'],
  [KEY_TAKEN, 'useKeptReply'],
]);

interface CommitAttempts<Rights, Result extends object> {
  /** The rights with which the first attempt runs. */
  readonly rights: Rights;
  /** Decides the rights again, at the time of the call. */
  readonly reauthorize: () => Promise<Rights | AccessRefusal>;
  /**
   * The reply that another process keeps under the same `Idempotency-Key`; null: none. Absent: the request has no key.
   */
  readonly keptReply?: () => Promise<Result | Refusal | null>;
  /** Prepares and commits with these rights. */
  readonly attempt: (rights: Rights) => Promise<Result | Refusal | CommitConflict>;
  /** `MAX_WRITE_ATTEMPTS` by default. */
  readonly maxAttempts?: number;
}

/**
 * Tries to commit until it succeeds or is refused.
 *
 * | an attempt ends with                       | next step                                      |
 * | ------------------------------------------ | ---------------------------------------------- |
 * | a result or a refusal                      | return it                                      |
 * | access changed                             | authorize again, then prepare again            |
 * | what was prepared is for an earlier state  | prepare again                                  |
 * | a reply is kept under the same key         | return it; if it is gone, prepare again        |
 * | its confirmation was used                  | refuse                                         |
 * | any conflict, `maxAttempts` times          | refuse: 503 with `Retry-After`                 |
 */
export async function commitLoop<Rights, Result extends object>({
  rights,
  reauthorize,
  keptReply,
  attempt,
  maxAttempts = MAX_WRITE_ATTEMPTS,
}: CommitAttempts<Rights, Result>): Promise<Result | Refusal> {
  let current = rights;
  for (let count = 0; count < maxAttempts; count++) {
    const outcome = await attempt(current);
    if (!isCommitConflict(outcome)) return outcome;
    if (outcome.conflict === CONFIRMATION_TAKEN) return CONFIRMATION_USED;
    const next = NEXT_STEPS.get(outcome.conflict);
    if (next === undefined) throw new Error(`A write was undone: ${outcome.conflict}`);
    if (next === 'prepareAgain') continue;
    const kept = next === 'useKeptReply' ? ((await keptReply?.()) ?? null) : null;
    if (kept !== null) return kept;
    const renewed = await reauthorize();
    if (isRefusal(renewed)) return renewed;
    current = renewed;
  }
  return BUSY;
}

/** The same loop for attempts that need no rights, or decide them themselves. */
export function commitWithoutRights<Result extends object>(
  attempt: () => Promise<Result | Refusal | CommitConflict>,
  maxAttempts = MAX_WRITE_ATTEMPTS,
): Promise<Result | Refusal> {
  return commitLoop<null, Result>({ rights: null, reauthorize: async () => null, attempt, maxAttempts });
}

/** True if the store refused the commit because the document or its rights changed meanwhile. */
function isCommitConflict(outcome: object): outcome is CommitConflict {
  return 'kind' in outcome && outcome.kind === 'conflict';
}
