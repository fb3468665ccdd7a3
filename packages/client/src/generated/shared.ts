// Generated from openapi.json by `npm run client:types`.

export interface Refused {
  readonly message: string;
}

export interface Closed {
  readonly message?: string;
  readonly success?: false;
  readonly access?: false;
}

export interface PreconditionFailed {
  readonly message: string;
  readonly revisionId: string;
  /** Cells that do not have the values in `expect`, up to 100. */
  readonly differences?: readonly {
    readonly cell: string;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly expected: string | number | boolean | null | Readonly<Record<string, unknown>>;
    /** Dates as ISO texts, times as `08:30:00`, durations as `25:30:00`, errors as `{ "error": "#N/A" }`, empty cells `null`. */
    readonly actual: string | number | boolean | null | Readonly<Record<string, unknown>>;
  }[];
}

export interface Invalid {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

export interface TooMany {
  readonly message: string;
  readonly retryAfter: number;
}

export interface ServerError {
  readonly message: string;
  readonly requestId: string;
}
