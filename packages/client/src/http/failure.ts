import { CellwireError, ConnectionError, type ErrorDetails, errorFor, TimeoutError } from '../errors/errors.ts';

/** Statuses that another attempt may change. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** A longer `Retry-After` ends the call, in seconds. */
const MAX_RETRY_AFTER = 60;
const MIN_WAIT_MS = 250;
const MAX_WAIT_MS = 8_000;

/** An attempt that failed, and whether another one may do better. */
export interface Failure {
  readonly error: CellwireError;
  readonly isRetried: boolean;
}

/** A failure of one attempt; the loop over attempts catches it. */
export class AttemptFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super();
    this.failure = failure;
  }
}

/** Returns the failure for an answer that is no success. `text` is its body. */
export function failureOf(response: Response, text: string): Failure {
  const { status, headers } = response;
  const body = parseBody(text);
  const details: ErrorDetails = {
    ...body,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter:
      retryAfterOf(headers.get('retry-after')) ?? (typeof body.retryAfter === 'number' ? body.retryAfter : undefined),
    requiredScope: /scope="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1],
  };
  const message = typeof body.message === 'string' && body.message !== '' ? body.message : messageOf(status);
  return { error: errorFor(status, message, details), isRetried: RETRIED.has(status) };
}

/** Returns the failure of a call that ended with an error. The reason of an abort is thrown on. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof AttemptFailed) return error.failure;
  if (!(error instanceof CellwireError)) throw error;
  const isBroken = error instanceof ConnectionError || error instanceof TimeoutError;
  return { error, isRetried: isBroken || RETRIED.has(error.status ?? 0) };
}

/** Returns the failure for a line of a stream. */
export function lineFailure(status: number, message: string | undefined): Failure {
  return { error: errorFor(status, message ?? messageOf(status), {}), isRetried: RETRIED.has(status) };
}

export function connectionFailure(cause: unknown): Failure {
  return { error: new ConnectionError(`The connection to the service broke${codeOf(cause)}`), isRetried: true };
}

export function timeoutFailure(ms: number): Failure {
  return { error: new TimeoutError(`The service did not answer within ${ms} ms`), isRetried: true };
}

/** The code of a system error. Its message is left out: it may hold parts of the request. */
function codeOf(cause: unknown): string {
  const { code, cause: inner } = (cause ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (typeof code === 'string') return ` (${code})`;
  return inner === undefined ? '' : codeOf(inner);
}

function messageOf(status: number): string {
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

/** Seconds from now; undefined if the header is missing or malformed (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(header)) return Number(header);
  // The oldest form of a date names no zone; all are in GMT.
  const time = /^\s*[A-Z][a-z]+,? /.test(header)
    ? Date.parse(/GMT\s*$/.test(header) ? header : `${header} GMT`)
    : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000);
}

/** Returns how long to wait before the next attempt, in milliseconds; null if there is none. `made`: attempts so far. */
export function waitAfter({ error, isRetried }: Failure, made: number, attempts: number): number | null {
  const { retryAfter } = error;
  if (!isRetried || made >= attempts || (retryAfter ?? 0) > MAX_RETRY_AFTER) return null;
  return retryAfter === undefined ? jitter(made) : retryAfter * 1000;
}

/** A random wait before attempt `made` + 1 that grows with the attempts, in milliseconds. */
function jitter(made: number): number {
  const longest = Math.min(MAX_WAIT_MS, 500 * 2 ** made);
  return MIN_WAIT_MS + Math.random() * (longest - MIN_WAIT_MS);
}
