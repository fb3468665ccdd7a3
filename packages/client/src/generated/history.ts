// Generated from openapi.json by `npm run client:types`.

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  /** Id of the request that wrote the revision. */
  readonly requestId: string | null;
  readonly origin: string;
  /** Written cells, up to a limit. */
  readonly ranges: readonly string[];
  readonly cells: number;
  readonly name?: string;
  /** The revision that this revision undoes. */
  readonly undoes?: number;
  /** The revision that undoes this revision. */
  readonly undoneBy?: number;
  /** The proposal that this revision applied. */
  readonly proposal?: string;
  readonly appliedBy?: {
    readonly id: number;
    readonly name: string;
  };
}

export interface ListRevisionsResponse {
  readonly revisions: {
    /** Newest first. */
    readonly entries: readonly Revision[];
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
  };
}

export interface NameRevisionRequest {
  /** 1–255 characters. A revision with a name is not deleted. */
  readonly name: string;
}

export interface NameRevisionResponse {
  readonly revision: Revision;
}

export type UndoRevisionRequest = {
  /** Overwrites later changes of other users. */
  readonly force?: boolean;
  /** Writes only if the document has this revision; otherwise 412. */
  readonly ifRevision?: string | number;
  /** Plain values that ranges must have; otherwise 412 with `differences`. `null`: empty; dates and times in plain form. */
  readonly expect?: readonly Readonly<Record<string, unknown>>[];
  /** `true`: nothing is written, and the answer shows what would change. */
  readonly dryRun?: boolean;
} | null;

export interface UndoRevisionResponse {
  readonly undone: {
    readonly revision: number;
    /** The new revision. */
    readonly revisionId: string;
  };
  readonly dryRun?: boolean;
  /** For a dry run: the cells that would change, up to 1,000. */
  readonly changes?: readonly {
    readonly cell: string;
    readonly before: string | number | boolean | null;
    readonly after: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
    /** The cell is deleted with its row or column, or replaced by a moved cell; `cell` is its present address. */
    readonly deleted?: boolean;
  }[];
  /** There are more changes. */
  readonly truncated?: boolean;
}

export interface UndoConflict {
  readonly message: string;
  readonly revisionId: string;
  /** Ranges that other users have changed since; empty if the revision is already undone. */
  readonly conflicts?: readonly string[];
}

export interface RestoreRevisionResponse {
  readonly restored: {
    readonly revision: number;
    /** The new revision. */
    readonly revisionId: string;
  };
}

/** Query, body and answer of each operation. */
export interface HistoryOperations {
  /** List the stored revisions. */
  readonly listRevisions: {
    readonly query: {
      readonly offset?: number;
      readonly limit?: number;
    };
    readonly body: undefined;
    readonly answer: ListRevisionsResponse;
  };
  /** Name a revision, which keeps it. */
  readonly nameRevision: {
    readonly query: unknown;
    readonly body: NameRevisionRequest;
    readonly answer: NameRevisionResponse;
  };
  /** Undo a revision, as a new revision. */
  readonly undoRevision: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: UndoRevisionRequest;
    readonly answer: UndoRevisionResponse;
  };
  /** Restore the whole document to a revision, as a new revision. */
  readonly restoreRevision: {
    readonly query: {
      readonly ifRevision?: string;
      readonly dryRun?: 'true' | 'false';
      readonly propose?: 'true' | 'false';
      readonly title?: string;
      readonly note?: string;
    };
    readonly body: undefined;
    readonly answer: RestoreRevisionResponse;
  };
}
