import type { KeyedRequest } from '../service/idempotency.ts';
import { NO_PRECONDITIONS, type RequestedPreconditions } from '../service/preconditions.ts';
import type { RequestBase } from '../service/rebase/write-rebased.ts';
import type { ProposalToApply, ProposeRequest } from '../service/write-request.ts';

/** What a call asks of the state that it is applied to, and how it is run: plain data, the same from every adapter. */
export interface CallConditions extends RequestedPreconditions {
  /** Nothing is written, kept or recorded; the answer says what would be. */
  readonly dryRun: boolean;
  /** Null: without an `Idempotency-Key`. */
  readonly keyed: KeyedRequest | null;
  /** The revision of which the call's addresses are; null: they mean the newest state. Only the console sends one. */
  readonly base: RequestBase | null;
  /** Nothing is written: it waits for consent. Null: it is written. */
  readonly propose: ProposeRequest | null;
  /** It does what a preview showed, or nothing; absent: whatever it comes to. */
  readonly apply?: ProposalToApply;
  /** Nothing is written once it is aborted; absent: nobody can. */
  readonly signal?: AbortSignal;
}

export const NO_CONDITIONS: CallConditions = {
  ...NO_PRECONDITIONS,
  dryRun: false,
  keyed: null,
  base: null,
  propose: null,
};
