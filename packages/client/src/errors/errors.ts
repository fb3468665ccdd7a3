/** The details of a failed call that a response may contain. */
export interface ErrorDetails {
  /** The HTTP status; undefined if there was no answer. */
  readonly status?: number | undefined;
  /** The `X-Request-Id` of the answer. */
  readonly requestId?: string | undefined;
  /** Seconds to wait before another request, from the `Retry-After` header or the body. */
  readonly retryAfter?: number | undefined;
  /** The scope that the request requires and the token does not have (403). */
  readonly requiredScope?: string | undefined;
  /** Messages by field (422). */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The document's revision (412). */
  readonly revisionId?: string | undefined;
  /** The cells that differ from `expect` (412). */
  readonly differences?: readonly Difference[] | undefined;
  /** The ranges that were written after the revision (412 of undo). */
  readonly conflicts?: readonly string[] | undefined;
}

/** A cell whose value differs from a precondition. */
export interface Difference {
  readonly cell: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** The base class of all errors of the client. */
export class CellwireError extends Error {
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  /** The number of the refused batch of a stream of records, counted from 1. */
  batch?: number;

  constructor(message: string, { status, requestId, retryAfter }: ErrorDetails = {}) {
    super(message);
    this.name = new.target.errorName;
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** The name of the class as a text, because bundlers rename classes. */
  protected static readonly errorName: string = 'CellwireError';
}

/** 401: the token is missing, expired, revoked or unknown. */
export class AuthenticationError extends CellwireError {
  protected static override readonly errorName = 'AuthenticationError';
}

/** 403: a scope, a role, the plan or sheet protection does not allow the request. */
export class PermissionError extends CellwireError {
  protected static override readonly errorName = 'PermissionError';
  readonly requiredScope: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.requiredScope = details.requiredScope;
  }
}

/** 404: the resource does not exist. */
export class NotFoundError extends CellwireError {
  protected static override readonly errorName = 'NotFoundError';
}

/** 422: the request is invalid; `errors` has the messages by field. */
export class ValidationError extends CellwireError {
  protected static override readonly errorName = 'ValidationError';
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    // The response may come from a proxy and have another shape.
    this.errors = details.errors instanceof Object ? details.errors : {};
  }
}

/** 412: the document does not have the state that the request expects. */
export class PreconditionError extends CellwireError {
  protected static override readonly errorName = 'PreconditionError';
  readonly revisionId: string | undefined;
  readonly differences: readonly Difference[] | undefined;
  readonly conflicts: readonly string[] | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details);
    this.revisionId = details.revisionId;
    this.differences = details.differences;
    this.conflicts = details.conflicts;
  }
}

/** 429: `retryAfter` says how many seconds to wait. */
export class RateLimitError extends CellwireError {
  protected static override readonly errorName = 'RateLimitError';
}

/** 5xx: the service failed. */
export class ServiceError extends CellwireError {
  protected static override readonly errorName = 'ServiceError';
}

/** An attempt took longer than its time limit. */
export class TimeoutError extends CellwireError {
  protected static override readonly errorName = 'TimeoutError';
}

/** The service could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends CellwireError {
  protected static override readonly errorName = 'ConnectionError';
}

/** A webhook has no valid signature or time stamp. */
export class SignatureError extends CellwireError {
  protected static override readonly errorName = 'SignatureError';
}

const CLASSES: Readonly<Record<number, typeof CellwireError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  412: PreconditionError,
  422: ValidationError,
  429: RateLimitError,
};

/** Creates an error of the class for a status. */
export function createError(status: number, message: string, details: ErrorDetails): CellwireError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServiceError : CellwireError);
  return new Class(message, { ...details, status });
}
