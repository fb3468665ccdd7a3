/** Why a call did not succeed, in words for people. */
export interface Failure {
  readonly ok: false;
  /** 0: the service could not be reached. */
  readonly status: number;
  readonly message: string;
  /** What is wrong with the fields of a request, by name. */
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The answer as it came, for what only some refusals carry. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Success<T> {
  readonly ok: true;
  readonly value: T;
  readonly headers: Headers;
}

export type Result<T> = Success<T> | Failure;

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The REST API for the session of the browser's cookie. */
export const API = '/console/api';
/** What only this application needs. */
export const CONSOLE_API = '/console';

/** Repeats of a call that came too soon, and the longest wait between them, in milliseconds. */
const MAX_REPEATS = 3;
const MAX_WAIT_MS = 5_000;

let waitForSignIn = (): Promise<boolean> => Promise.resolve(false);

/**
 * Says what to wait for when the service answers that nobody is signed in, or that a one-time password must be changed
 * first. True: whoever asked is signed in again, and the same question may be asked once more.
 */
export function onSessionRefused(handler: () => Promise<boolean>): void {
  waitForSignIn = handler;
}

/** Whether a call that was answered so is to be asked again, once that is worth it. */
export async function shouldRepeat({ status, message }: Pick<Failure, 'status' | 'message'>): Promise<boolean> {
  return (status === 401 || message === ONE_TIME_PASSWORD) && (await waitForSignIn());
}

/**
 * Asks the service. Nothing is thrown but an `AbortError`: what goes wrong is a `Failure`. Where the session has ended,
 * the answer waits until the same person is back: nothing of what was asked has been done.
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<Result<T>> {
  for (let attempt = 0; ; attempt++) {
    const response = await send(method, path, options);
    if (response === null) return failureOf(0, {});
    const body = await readBody(response);
    if (response.ok) return { ok: true, value: body as T, headers: response.headers };
    const refused = failureOf(response.status, isRecord(body) ? body : {});
    const isEarly = response.status === 429 || response.status === 503;
    if (isEarly && attempt < MAX_REPEATS && method === 'GET') {
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      await new Promise((resolve) => setTimeout(resolve, Math.min(seconds * 1000, MAX_WAIT_MS)));
      continue;
    }
    const isLast = attempt >= MAX_REPEATS || SESSION_PATHS.has(path);
    if (isLast || !(await shouldRepeat(refused))) return refused;
  }
}

/** What tells who is signed in, and signs in: a refusal is the answer. */
const SESSION_PATHS: ReadonlySet<string> = new Set([`${CONSOLE_API}/me`, `${CONSOLE_API}/session`]);

/** The service's words for a session that may do nothing else yet. */
const ONE_TIME_PASSWORD = 'Change the one-time password first';

async function send(method: string, path: string, { body, headers, signal }: CallOptions): Promise<Response | null> {
  const isFile = body instanceof Blob;
  const type = body === undefined || isFile ? {} : { 'content-type': 'application/json' };
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...type, ...headers },
      ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    return null;
  }
}

async function readBody(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text()) as unknown;
  } catch {
    return null;
  }
}

export function failureOf(status: number, body: Readonly<Record<string, unknown>>): Failure {
  const message = typeof body['message'] === 'string' ? body['message'] : '';
  const errors = isRecord(body['errors']) ? (body['errors'] as Failure['errors']) : {};
  return { ok: false, status, message, errors, body };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A query text with its `?`, of what is given; empty where nothing is. */
export function query(members: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
