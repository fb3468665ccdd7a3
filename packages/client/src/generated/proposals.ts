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
  /** `true`: the stored proposal is damaged, and can be neither read nor decided. */
  readonly damaged?: boolean;
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
  /** `true`: the stored proposal is damaged, and can be neither read nor decided. */
  readonly damaged?: boolean;
  /** The changed cells, up to 1,000. */
  readonly changes: readonly {
    /** Position after the write. A deleted cell has its position before the write. */
    readonly cell: string;
    readonly before: string | number | boolean | null | Readonly<Record<string, unknown>>;
    readonly after: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** The cell is recalculated, not written. */
    readonly derived?: boolean;
    /** The cell itself is deleted. */
    readonly deleted?: boolean;
  }[];
  /** What a person sees of the changed cells: one entry for each of `changes`, in the same order. */
  readonly texts: readonly {
    /** The values as the grid shows them, with their number formats; absent if it shows them as JSON has them. */
    readonly shown?: {
      readonly before: string | null;
      readonly after: string | null;
    };
    /** The formulas, written as in reads of cells; null: no formula. Absent if the formula does not change. */
    readonly formulas?: {
      readonly before: string | null;
      readonly after: string | null;
    };
  }[];
  /** There are more changes. */
  readonly truncated: boolean;
  /** Sheets that are added, renamed, deleted, hidden, shown, moved or coloured. */
  readonly sheetChanges: readonly {
    /** What happens to the sheet; `color`: its tab gets another colour. */
    readonly change: 'add' | 'rename' | 'delete' | 'hide' | 'show' | 'move' | 'color';
    /** Name of the sheet after the write; its present name if it is deleted. */
    readonly sheet: string;
    /** The present name of a renamed sheet. */
    readonly before?: string;
    /** Position of an added or moved sheet after the write, from 1. */
    readonly position?: number;
  }[];
  /** Rows (`Orders!5:7`), columns and cells that are inserted, deleted or moved, up to 100. */
  readonly moves: readonly {
    /** Range before the write; absent: it is inserted. */
    readonly from?: string;
    /** Range after the write; absent: it is deleted. */
    readonly to?: string;
  }[];
  /** Names, tables, filters and layouts that change by more than moving with their cells, up to 100. */
  readonly settingChanges: readonly {
    /** `name`: a defined name, with its formula as in reads of cells; `layout`: sizes, groups, notes, rules or other parts of a sheet. */
    readonly setting: 'name' | 'table' | 'filter' | 'layout';
    readonly change: 'add' | 'change' | 'delete';
    /** The defined name or the table; of a filter or layout the sheet. */
    readonly name: string;
    /** Before the write: the formula of a name, or the range of a table or filter. */
    readonly before?: string;
    /** The same after the write. */
    readonly after?: string;
    /** Letters of the columns whose conditions change in a filter. */
    readonly columns?: readonly string[];
  }[];
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
