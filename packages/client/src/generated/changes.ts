// Generated from openapi.json by `npm run client:types`.

export interface Change {
  readonly revision: number;
  readonly changedAt: string;
  readonly origin: string;
  readonly sourceToken: string | null;
  readonly author: {
    readonly id?: number;
    readonly name?: string;
  } | null;
  readonly cellCount: number;
  /** Cells that were written, or moved here from a sheet that the caller does not follow or see. */
  readonly ranges: readonly string[];
  /** Cells that were recalculated as a result. */
  readonly derived: readonly string[];
  readonly truncated: boolean;
  /** Moves of cells, in order. They happened before the writes. */
  readonly moved?: readonly {
    /** The source range. */
    readonly from: string;
    /** The destination, whose cells are replaced. Null: the cells were deleted, or moved to a sheet that the caller does not follow or see; their source is empty afterwards. */
    readonly to: string | null;
    /** The move happens at the same time as the previous move. */
    readonly together?: true;
  }[];
  /** Operations on sheets, rows and columns, each an object with one member. Operations on sheets whose values are hidden from the caller are left out. */
  readonly structure: readonly Readonly<Record<string, unknown>>[];
  /** The `incarnation` of this revision. */
  readonly incarnation: string;
  /** With `values=true`: the changed cells, up to a limit. */
  readonly cells?: readonly {
    readonly cell?: string;
    readonly before?: string | number | boolean | null;
    readonly after?: string | number | boolean | null;
    /** The cell was recalculated, not written. */
    readonly derived?: boolean;
  }[];
  /** With `key`: the changed records, up to a limit. */
  readonly records?: readonly {
    readonly result?: 'created' | 'updated' | 'deleted';
    readonly key?: Readonly<Record<string, unknown>>;
    /** For a deleted record: its last row. */
    readonly row?: number;
    readonly before?: Readonly<Record<string, unknown>> | null;
    readonly after?: Readonly<Record<string, unknown>> | null;
  }[];
}

export interface ListChangesResponse {
  readonly changes: {
    readonly entries: readonly Change[];
    /** The newest revision. */
    readonly revision: number;
    /** The `since` of the next request. */
    readonly next: number;
    readonly hasMore: boolean;
    /** Id of the document’s history. Send it together with `next` in the next request. */
    readonly incarnation: string;
    /** The log no longer has the changes after `since`: read the document again. */
    readonly gap: boolean;
  };
}

/** Query, body and answer of each operation. */
export interface ChangesOperations {
  /** List the changes of a document after a revision. */
  readonly listChanges: {
    readonly query: {
      readonly since: string;
      readonly incarnation?: string;
      readonly limit?: number;
      readonly range?: string;
      readonly key?: readonly string[];
      readonly values?: 'true' | 'false';
    };
    readonly body: undefined;
    readonly answer: ListChangesResponse;
  };
  /** Follow the changes of a document as server-sent events. */
  readonly streamChanges: {
    readonly query: {
      readonly since?: string;
      readonly incarnation?: string;
      readonly range?: string;
      readonly key?: readonly string[];
      readonly values?: 'true' | 'false';
    };
    readonly body: undefined;
    readonly answer: string;
  };
}
