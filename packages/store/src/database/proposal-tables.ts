import type { Generated } from 'kysely';

/** Sums of columns of a proposal (`sum-groups.ts`). */
export type ProposalSums = {
  readonly [K in `${'facts' | 'name' | 'preview' | 'base' | 'decision'}_sum`]: Generated<number | null>;
};

/** Proposed writes, open and decided. */
export interface ProposalsTable {
  document_id: string;
  /** Random id of the proposal. */
  id: string;
  title: string | null;
  note: string | null;
  /** An open proposal counts as expired after `expires_at`. */
  state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** Audit action of the write. */
  action: string;
  /** The proposer, the token (null for a session), and the origin. */
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  origin: string;
  created_at: number;
  expires_at: number;
  /** Revision on which the preview was computed. */
  base_revision: number;
  /** JSON `SheetCount[]`: number of cells that would change, by sheet. */
  counts: string;
  /**
   * JSON `StoredChange[]`: the first cells that would change. After the decision, it contains their values at the time
   * of the decision.
   */
  preview: string;
  /** The operation with its input, its edits, and the cells on which it depends: see `service/proposals/content.ts`. */
  content: Uint8Array;
  /** Increases with each rebase. */
  version: number;
  decided_by: number | null;
  decided_at: number | null;
  reason: string | null;
  /** Revision in which the proposal was applied. */
  revision: number | null;
}

/** Events of proposals, in order, for event streams. */
export interface ProposalEventsTable {
  document_id: string;
  /** Number of the event: 1, 2, … by document. */
  number: number;
  proposal_id: string;
  event: 'proposal.opened' | 'proposal.decided';
  at: number;
}

/** Confirmations of previewed calls that were used. They are kept until they expire. */
export interface UsedConfirmationsTable {
  document_id: string;
  id: string;
  expires_at: number;
}
