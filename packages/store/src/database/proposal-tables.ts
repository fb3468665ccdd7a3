/** Writes that wait for consent, and decided ones. */
export interface ProposalsTable {
  document_id: string;
  /** Random. */
  id: string;
  title: string | null;
  note: string | null;
  /** An open one past `expires_at` counts as expired. */
  state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The audit action of the write. */
  action: string;
  /** Who proposed it, with which token (null: a session), and the origin of that. */
  user_id: number;
  token_id: number | null;
  token_name: string | null;
  origin: string;
  created_at: number;
  expires_at: number;
  /** The revision that the preview was computed on. */
  base_revision: number;
  /** JSON `SheetCount[]`: how many cells would change, by sheet. */
  counts: string;
  /** JSON `StoredChange[]`: the first cells that would change; once decided, as they were at the decision. */
  preview: string;
  /** The operation with its input, its edits, and the cells that it depends on: see `service/proposals/content.ts`. */
  content: Uint8Array;
  /** Grows with each rebase. */
  version: number;
  decided_by: number | null;
  decided_at: number | null;
  reason: string | null;
  /** The revision that applied it. */
  revision: number | null;
}

/** What became of proposals, in order, for streams of events. */
export interface ProposalEventsTable {
  document_id: string;
  /** 1, 2, … by document. */
  number: number;
  proposal_id: string;
  event: 'proposal.opened' | 'proposal.decided';
  at: number;
}

/** Confirmations of previewed calls that were used, until they expire. */
export interface UsedConfirmationsTable {
  document_id: string;
  id: string;
  expires_at: number;
}
