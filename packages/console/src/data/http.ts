import { jsonText } from '@cellwire/engine';
/** A failed call. */
export interface Failure {
  readonly ok: false;
  /** HTTP status; 0 if the service could not be reached. */
  readonly status: number;
  readonly message: string;
  /** Error messages by field of the request. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The whole answer, because some refusals have members of their own. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly headers: Headers;
}

export type Result<T> = Success<T> | Failure;

export type RequestHeaders = Readonly<Record<string, string>>;

interface RequestOptions {
  readonly body?: unknown;
  /**
   * Headers of the request. A function is called for each attempt, because the person may sign in again long after the
   * first attempt.
   */
  readonly headers?: RequestHeaders | (() => RequestHeaders);
  readonly signal?: AbortSignal;
}

/** The REST API, authenticated by the session cookie. */
export const API = '/console/api';
/** Routes that only the console uses. */
export const CONSOLE_API = '/console';

/** Maximum number of repeats after 429 or 503, and the longest wait between them, in milliseconds. */
const MAX_REPEATS = 3;
const MAX_WAIT_MS = 5_000;

let sessionRefusedHandler = (): Promise<boolean> => Promise.resolve(false);

/**
 * Registers a handler for answers which say that the session has ended or that a one-time password must be changed. If
 * the same person signs in again, the handler resolves to true, and the request is repeated.
 */
export function setSessionRefusedHandler(handler: () => Promise<boolean>): void {
  sessionRefusedHandler = handler;
}

/** True if the refusal is about the session and the person has signed in again. */
async function shouldRepeatRequest({ status, message }: Pick<Failure, 'status' | 'message'>): Promise<boolean> {
  return (status === 401 || message === ONE_TIME_PASSWORD) && (await sessionRefusedHandler());
}

/**
 * Calls the service. It throws only `AbortError`; other errors are returned as `Failure`. If the session has ended, the
 * call waits until the same person is signed in again. A refused request has changed nothing, so it can be repeated.
 */
export async function callApi<T>(method: string, path: string, options: RequestOptions = {}): Promise<Result<T>> {
  for (let attempt = 0; ; attempt++) {
    const response = await sendRequest(method, path, options);
    if (response === null) return createFailure(0, {});
    const body = await readBody(response);
    if (response.ok) return { ok: true, value: body as T, headers: response.headers };
    const refused = createFailure(response.status, isRecord(body) ? body : {});
    const isEarly = response.status === 429 || response.status === 503;
    if (isEarly && attempt < MAX_REPEATS && method === 'GET') {
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds * 1000, MAX_WAIT_MS)));
      continue;
    }
    const isLast = attempt >= MAX_REPEATS || SESSION_PATHS.has(path);
    if (isLast || !(await shouldRepeatRequest(refused))) return refused;
  }
}

/** Paths where a refusal is the answer: they say who is signed in, or sign in. */
const SESSION_PATHS: ReadonlySet<string> = new Set([`${CONSOLE_API}/me`, `${CONSOLE_API}/session`]);

/** The service's message for a session that must change its password first. */
const ONE_TIME_PASSWORD = 'Change the one-time password first';

/** Sends one request; null if the service could not be reached. Rejects if the request was aborted. */
async function sendRequest(
  method: string,
  path: string,
  { body, headers, signal }: RequestOptions,
): Promise<Response | null> {
  const isFile = body instanceof Blob;
  const type = body === undefined || isFile ? {} : { 'content-type': 'application/json' };
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...type, ...(typeof headers === 'function' ? headers() : headers) },
      ...(body === undefined ? {} : { body: isFile ? body : jsonText(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    return null;
  }
}

/** Parses the body of a response as JSON; null if it is not JSON. */
async function readBody(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text()) as unknown;
  } catch {
    return null;
  }
}

/** Returns the members of an answer's text; none if it is not a JSON object. */
export function parseBody(text: string): Readonly<Record<string, unknown>> {
  try {
    const body = JSON.parse(text) as unknown;
    return isRecord(body) ? body : {};
  } catch {
    return {};
  }
}

/** Creates the failure for a refused call from the answer's body. */
export function createFailure(status: number, body: Readonly<Record<string, unknown>>): Failure {
  const message = typeof body['message'] === 'string' ? body['message'] : '';
  const errors = isRecord(body['errors']) ? (body['errors'] as Failure['errors']) : {};
  return { ok: false, status, message, errors, body };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Path of a resource of a sheet, for requests of the console. */
export function formatSheetPath(document: string, sheet: string, resource: string): string {
  return `${CONSOLE_API}/documents/${document}/sheets/${encodeURIComponent(sheet)}/${resource}`;
}

/** Returns a query string with `?`. Empty members are left out; no member gives an empty string. */
export function formatQuery(members: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const present = Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
