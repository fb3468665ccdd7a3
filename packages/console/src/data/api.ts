// Made of openapi.json by `npm run openapi`.

export interface Document {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: 'owner' | 'edit' | 'comment' | 'view';
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Refused {
  readonly message: string;
}

export interface Closed {
  readonly message?: string;
  readonly success?: false;
  readonly access?: false;
}

export interface Invalid {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export interface TooMany {
  readonly message: string;
  readonly retryAfter: number;
}

export interface DocumentWithContent {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly permission: 'owner' | 'edit' | 'comment' | 'view';
  readonly revisionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly content: {
    readonly contentUrl: string;
    readonly stylesUrl: string;
  };
}

export interface CellError {
  readonly code: string;
  readonly message: string;
}

export type Cell =
  | {
      /** Raw value; of a date its serial number. */
      readonly v: number | boolean | string;
      /** As the user sees it. */
      readonly m: string;
      /** The formula; only of formula cells. */
      readonly f?: string;
      /** Only of dates. */
      readonly t?: 'd';
      readonly error?: CellError;
    }
  | string
  | number
  | boolean
  | null;

export interface Pagination {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly returned: number;
  readonly hasMore: boolean;
  readonly nextOffset: number | null;
}

export interface ValueRange {
  readonly sheet: string;
  readonly range: string;
  readonly majorDimension: 'ROWS' | 'COLUMNS';
  readonly cells: readonly (readonly Cell[])[];
  readonly pagination: Pagination;
}

export interface Sheet {
  readonly name: string;
  readonly hidden: boolean;
  readonly order: number;
  readonly color: string | null;
}

export interface Webhook {
  readonly id: number;
  readonly channel: 'http' | 'messenger';
  readonly events: readonly string[];
  readonly active: boolean;
  readonly createdAt: string;
  readonly url?: string;
  readonly token: string;
  readonly chatId?: string;
  /** Only what happens there is told. */
  readonly range?: string;
  /** Columns that tell its records apart. */
  readonly key?: readonly string[];
}

export interface Attempt {
  readonly attempt: number;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: 'delivered' | 'retry' | 'refused';
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the receiver’s answer. */
  readonly response: string;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly webhook: number;
  readonly test: boolean;
  readonly state: 'waiting' | 'sending' | 'delivered' | 'refused' | 'exhausted' | 'cancelled';
  readonly source: string;
  readonly sourceToken: string | null;
  /** Of the last request that it covers; sent as `X-Request-Id`. */
  readonly requestId: string | null;
  readonly revision: {
    readonly from: number;
    readonly to: number;
  };
  readonly cellCount: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly attempts: readonly Attempt[];
}

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
  /** Cells that were written, or cut from a sheet that is not told of. */
  readonly ranges: readonly string[];
  /** Cells recalculated because of them. */
  readonly derived: readonly string[];
  readonly truncated: boolean;
  /** Where cells went that changed places, one after the other, before any were written. */
  readonly moved?: readonly {
    /** The cells leave it. */
    readonly from: string;
    /** They take the place of what is there. Null: they are deleted, or gone to a sheet that is not told of, and no others come where they were. */
    readonly to: string | null;
    /** At the same time as the one before. */
    readonly together?: true;
  }[];
  /** What was done to sheets as such, each as one member with its names; without what concerns a sheet whose values are hidden from the reader. */
  readonly structure: readonly Readonly<Record<string, unknown>>[];
  /** As below, of this revision. */
  readonly incarnation: string;
  /** With `values=true`; the first of many. */
  readonly cells?: readonly {
    readonly cell?: string;
    readonly before?: string | number | boolean | null;
    readonly after?: string | number | boolean | null;
    /** Recalculated, not written. */
    readonly derived?: boolean;
  }[];
  /** With `key`; the first of many. */
  readonly records?: readonly {
    readonly result?: 'created' | 'updated' | 'deleted';
    readonly key?: Readonly<Record<string, unknown>>;
    /** Of a deleted record where it stood. */
    readonly row?: number;
    readonly before?: Readonly<Record<string, unknown>> | null;
    readonly after?: Readonly<Record<string, unknown>> | null;
  }[];
}

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly userId: number | null;
  readonly userName: string | null;
  readonly token: string | null;
  /** Of the request that wrote it. */
  readonly requestId: string | null;
  readonly origin: string;
  /** Cells that were written; the first of many ranges. */
  readonly ranges: readonly string[];
  readonly cells: number;
  readonly name?: string;
  /** The revision that this one took back. */
  readonly undoes?: number;
  /** The revision that took this one back. */
  readonly undoneBy?: number;
}

export interface AuditEntry {
  readonly id: number;
  readonly action: string;
  readonly origin: string;
  readonly userId: number;
  readonly userName: string;
  readonly token: string;
  /** Of the request that did it. */
  readonly requestId: string | null;
  readonly properties: {
    readonly range: string;
    readonly cells: number;
    /** Of entries about a subscription: its number. */
    readonly webhook?: number;
    /** Where it leads; to others than its owners the host alone. */
    readonly address?: string;
  };
  readonly createdAt: string;
}
