// Generated from openapi.json by `npm run client:types`.

export interface ListedProposal {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The name of the write in the audit log. */
  readonly action: string;
  readonly proposedBy: {
    readonly id: number;
    readonly name: string;
  };
  /** Name of the token that made the proposal. */
  readonly token: string | null;
  readonly origin: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The revision for which the preview was computed. */
  readonly baseRevision: number;
  /** Ranges that differ from the preview; empty: the proposal can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated as a result. */
    readonly derived: number;
    readonly sheets: readonly string[];
  };
  readonly decidedBy: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  /** The revision that applied the proposal. */
  readonly revisionId: string | null;
  /** `true`: some changes are left out because their sheets are hidden from the caller. */
  readonly hidden?: boolean;
}

export interface ListProposalsResponse {
  readonly proposals: {
    /** Newest first. */
    readonly entries: readonly ListedProposal[];
    readonly nextCursor: string | null;
  };
}

export interface Proposal {
  readonly id: string;
  readonly document: string;
  readonly title: string | null;
  readonly note: string | null;
  readonly state: 'open' | 'applied' | 'rejected' | 'withdrawn' | 'expired';
  /** The name of the write in the audit log. */
  readonly action: string;
  readonly proposedBy: {
    readonly id: number;
    readonly name: string;
  };
  /** Name of the token that made the proposal. */
  readonly token: string | null;
  readonly origin: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** The revision for which the preview was computed. */
  readonly baseRevision: number;
  /** Ranges that differ from the preview; empty: the proposal can be applied. */
  readonly conflicts: readonly string[];
  readonly summary: {
    /** Cells that the write changes. */
    readonly written: number;
    /** Cells that are recalculated as a result. */
    readonly derived: number;
    readonly sheets: readonly string[];
  };
  readonly decidedBy: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt: string | null;
  readonly reason: string | null;
  /** The revision that applied the proposal. */
  readonly revisionId: string | null;
  /** `true`: some changes are left out because their sheets are hidden from the caller. */
  readonly hidden?: boolean;
  /** The changed cells, up to 1,000. */
  readonly changes: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell is recalculated, not written. */
    readonly derived?: boolean;
    /** The cell itself is deleted. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated: boolean;
}

export interface GetProposalResponse {
  readonly proposal: Proposal;
}

export type ApplyProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
  /** Applies the proposal only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
} | null;

export interface ApplyProposalResponse {
  readonly proposal: Proposal;
}

export interface ProposalConflict {
  readonly message: string;
  readonly revisionId?: string;
  /** Ranges that have changed since the preview. */
  readonly conflicts?: readonly string[];
  /** State of a proposal that is not open. */
  readonly state?: string;
  readonly decidedBy?: {
    readonly id: number;
    readonly name: string;
  } | null;
  readonly decidedAt?: string | null;
}

export type RejectProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface RejectProposalResponse {
  readonly proposal: Proposal;
}

export type WithdrawProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface WithdrawProposalResponse {
  readonly proposal: Proposal;
}

export type RebaseProposalRequest = {
  /** Reason, shown with the decision. */
  readonly reason?: string;
} | null;

export interface RebaseProposalResponse {
  readonly proposal: Proposal;
}

/** Query, body and answer of each operation. */
export interface ProposalsOperations {
  /** List proposals: writes that wait for consent, and decided proposals. */
  readonly listProposals: {
    readonly query: {
      readonly state?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly body: undefined;
    readonly answer: ListProposalsResponse;
  };
  /** Show a proposal with the cells that it would change. */
  readonly getProposal: {
    readonly query: unknown;
    readonly body: undefined;
    readonly answer: GetProposalResponse;
  };
  /** Apply a proposal. */
  readonly applyProposal: {
    readonly query: {
      readonly ifRevision?: string;
    };
    readonly body: ApplyProposalRequest;
    readonly answer: ApplyProposalResponse;
  };
  /** Reject a proposal. */
  readonly rejectProposal: {
    readonly query: unknown;
    readonly body: RejectProposalRequest;
    readonly answer: RejectProposalResponse;
  };
  /** Withdraw the caller’s own proposal. */
  readonly withdrawProposal: {
    readonly query: unknown;
    readonly body: WithdrawProposalRequest;
    readonly answer: WithdrawProposalResponse;
  };
  /** Compute a proposal’s preview again on the newest state. */
  readonly rebaseProposal: {
    readonly query: unknown;
    readonly body: RebaseProposalRequest;
    readonly answer: RebaseProposalResponse;
  };
}
