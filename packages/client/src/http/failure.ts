import { CellwireError, ConnectionError, createError, type ErrorDetails, TimeoutError } from '../errors/errors.ts';

/** Statuses for which another attempt may succeed. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Maximum `Retry-After` in seconds. A longer wait ends the call. */
const MAX_RETRY_AFTER = 60;
const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;

/** The error of a failed attempt, and whether another attempt may succeed. */
export interface AttemptFailure {
  readonly error: CellwireError;
  readonly isRetryable: boolean;
}

/** Thrown by one attempt and caught by the loop over attempts. */
export class AttemptFailed extends Error {
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure) {
    super();
    this.failure = failure;
  }
}

/** Returns the failure for an unsuccessful answer. `bodyText` is its body. */
export function createFailureFromResponse(response: Response, bodyText: string): AttemptFailure {
  const { status, headers } = response;
  const body = parseBody(bodyText);
  const details: ErrorDetails = {
    ...body,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter:
      parseRetryAfter(headers.get('retry-after')) ??
      (typeof body.retryAfter === 'number' ? body.retryAfter : undefined),
    requiredScope: /scope="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1],
  };
  const message = typeof body.message === 'string' && body.message !== '' ? body.message : chooseDefaultMessage(status);
  return { error: createError(status, message, details), isRetryable: RETRYABLE_STATUSES.has(status) };
}

/**
 * Returns the failure for a thrown error. Rethrows errors that do not come from the client, such as the reason of an
 * abort.
 */
export function createFailureFromError(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailed) return error.failure;
  if (!(error instanceof CellwireError)) throw error;
  const isBroken = error instanceof ConnectionError || error instanceof TimeoutError;
  return { error, isRetryable: isBroken || RETRYABLE_STATUSES.has(error.status ?? 0) };
}

/** Returns the failure for a line that refuses a batch. */
export function createLineFailure(
  status: number,
  message: string | undefined,
  requestId: string | undefined,
): AttemptFailure {
  return {
    error: createError(status, message ?? chooseDefaultMessage(status), { requestId }),
    isRetryable: RETRYABLE_STATUSES.has(status),
  };
}

export function createConnectionFailure(cause: unknown): AttemptFailure {
  return {
    error: new ConnectionError(`The connection to the service broke${formatErrorCode(cause)}`),
    isRetryable: true,
  };
}

export function createTimeoutFailure(ms: number): AttemptFailure {
  return { error: new TimeoutError(`The service did not answer within ${ms} ms`), isRetryable: true };
}

/** Returns the code of a system error, but not its message, which may contain parts of the request. */
function formatErrorCode(cause: unknown): string {
  const { code, cause: inner } = (cause ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return ` (${code})`;
  return inner === undefined ? '' : formatErrorCode(inner);
}

function chooseDefaultMessage(status: number): string {
  if (status === 401) return 'The service does not accept the token (401)';
  if (status === 403) return 'The token may not do this: its scope, its user or the plan does not allow it (403)';
  if (status >= 300 && status < 400) return `The service redirects (${status}); the client follows no redirects`;
  return `The service answered with status ${status}`;
}

function parseBody(text: string): ErrorDetails & { readonly message?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

/** Returns seconds from now; undefined if the header is missing or malformed (RFC 9110 §10.2.3). */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(header)) return Number(header);
  // The asctime form of a date names no time zone. All forms are in GMT.
  const time = /^\s*[A-Z][a-z]+,? /.test(header)
    ? Date.parse(/GMT\s*$/.test(header) ? header : `${header} GMT`)
    : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000);
}

/** Returns the wait before the next attempt in milliseconds; null if there is no further attempt. */
export function chooseRetryWaitMs(
  { error, isRetryable }: AttemptFailure,
  attemptsMade: number,
  attempts: number,
): number | null {
  const { retryAfter } = error;
  if (!isRetryable || attemptsMade >= attempts || (retryAfter ?? 0) > MAX_RETRY_AFTER) return null;
  return retryAfter === undefined ? drawRetryDelayMs(attemptsMade) : retryAfter * 1000;
}

/** Returns a random wait in milliseconds, which grows with the number of attempts. */
function drawRetryDelayMs(attemptsMade: number): number {
  const longest = Math.min(MAX_WAIT_MS, 500 * 2 ** attemptsMade);
  return MIN_WAIT_MS + Math.random() * (longest - MIN_WAIT_MS);
}
