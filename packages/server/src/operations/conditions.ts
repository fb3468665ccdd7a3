import type { KeyedRequest } from '../service/idempotency.ts';
import { type Asked, NOTHING_ASKED } from '../service/preconditions.ts';
import type { Base } from '../service/rebase/write-rebased.ts';
import type { ProposalToApply, ProposeRequest } from '../service/write-request.ts';

/** Preconditions and options of a call: plain data, the same for every adapter. */
export interface CallConditions extends Asked {
  /** Whether nothing is stored and the answer shows what would change. */
  readonly dryRun: boolean;
  /** Null: the call has no `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** The revision to which the call's addresses refer; null: the newest. Only the console sends one. */
  readonly base: Base | null;
  /** Stores the write as a proposal that waits for consent. Null: it is written. */
  readonly propose: ProposeRequest | null;
  /** Writes only if the result equals a preview. Absent: there is no preview. */
  readonly apply?: ProposalToApply;
  /** Nothing is written after it is aborted. Absent: the call cannot be aborted. */
  readonly signal?: AbortSignal;
}

export const NO_CONDITIONS: CallConditions = {
  ...NOTHING_ASKED,
  dryRun: false,
  keyed: null,
  base: null,
  propose: null,
};
