import { CellwireError } from '../errors/errors.ts';
import { formatJson } from '../values/dates.ts';
import { formatQuery, toApiAddress } from './address.ts';
import {
  AttemptFailed,
  type AttemptFailure,
  chooseRetryWaitMs,
  createConnectionFailure,
  createFailureFromError,
  createFailureFromResponse,
  createTimeoutFailure,
} from './failure.ts';
import type { CallOptions, QueryParameters } from './options.ts';

interface TransportSettings {
  readonly url: string;
  readonly token: string;
  readonly attempts: number;
  readonly timeout: number;
  readonly fetch: typeof fetch;
}

export interface CallRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: QueryParameters;
  /** Bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly accept?: string;
  readonly contentType?: string;
}

type RequestBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | Blob;

/** The method, headers and body that each attempt sends. */
interface RequestAttempt {
  readonly method: string;
  readonly headers: Headers;
  readonly body: RequestBody | null;
}

const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';

/** A successful answer whose body is read in parts. */
export interface OpenResponse {
  readonly response: Response;
  /** The parts of the body. Throws `AttemptFailed` if the connection breaks or no bytes arrive in time. */
  readonly parts: AsyncIterable<Uint8Array>;
  readonly close: () => void;
}

/** Sends requests with the token, retries and time limits. */
export class Transport {
  readonly attempts: number;
  readonly timeout: number;
  readonly #address: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;

  constructor({ url, token, attempts, timeout, fetch }: TransportSettings) {
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new CellwireError('A token is required, of printable ASCII characters: give token or set CELLWIRE_TOKEN');
    }
    this.attempts = attempts;
    this.timeout = timeout;
    this.#address = toApiAddress(url);
    this.#token = token;
    this.#fetch = fetch;
  }

  get address(): string {
    return this.#address;
  }

  /** Sends a request and returns the parsed body. */
  async requestJson<T>(request: CallRequest, options: CallOptions): Promise<T> {
    return (await this.#whole(request, options, (bytes, response) =>
      response.status === 204 ? undefined : parseJson(bytes, response),
    )) as T;
  }

  /** Sends a request and returns the parsed body, or the bytes of a body that is not JSON. */
  requestAny<T>(request: CallRequest, options: CallOptions): Promise<T> {
    return this.#whole(request, options, (bytes, response) => {
      if (bytes.length === 0) return undefined;
      return isJson(response) ? parseJson(bytes, response) : bytes;
    }) as Promise<T>;
  }

  /** Sends a request and returns the bytes of the answer. */
  bytes(request: CallRequest, options: CallOptions): Promise<Uint8Array> {
    return this.#whole({ ...request, accept: '*/*' }, options, (bytes) => bytes);
  }

  async #whole<T>(
    request: CallRequest,
    options: CallOptions,
    read: (bytes: Uint8Array, response: Response) => T,
  ): Promise<T> {
    const { signal, timeout = this.timeout } = options;
    const url = this.createUrl(request);
    const attempt = this.createAttempt(request, options);
    return this.retry(options, () =>
      runWithTimeLimit(signal, timeout, async (limitSignal) => {
        const response = await this.#send(url, attempt, limitSignal);
        const bytes = new Uint8Array(await response.arrayBuffer());
        if (!response.ok) throw new AttemptFailed(this.createFailure(response, bytes));
        // For HEAD, Content-Length is the length of the body of GET; for an encoded body, it is not the length after
        // decoding.
        const isComparable = attempt.method !== 'HEAD' && !response.headers.has('content-encoding');
        const length = Number(response.headers.get('content-length'));
        if (isComparable && bytes.length < length) throw new Error('the answer is cut');
        return read(bytes, response);
      }),
    );
  }

  /** Sends one attempt of a request and returns its answer with an open body. */
  async openResponse(
    url: string,
    attempt: RequestAttempt,
    { signal, timeout = this.timeout }: CallOptions,
  ): Promise<OpenResponse> {
    const stop = new AbortController();
    const runLimited = <T>(work: () => Promise<T>) => runWithTimeLimit(signal, timeout, work, stop);
    const response = await runLimited(() => this.#send(url, attempt, stop.signal));
    if (!response.ok) {
      const bytes = new Uint8Array(await runLimited(() => response.arrayBuffer()));
      throw new AttemptFailed(this.createFailure(response, bytes));
    }
    if (/\bhtml\b/.test(response.headers.get('content-type') ?? '')) {
      stop.abort();
      throw createNotJsonError(response);
    }
    return { response, parts: readParts(response, runLimited, stop), close: () => stop.abort() };
  }

  /** Repeats an attempt until it succeeds or its failure may not be retried. */
  async retry<T>({ signal, attempts = this.attempts }: CallOptions, attempt: () => Promise<T>): Promise<T> {
    for (let attemptNumber = 1; ; attemptNumber++) {
      try {
        return await attempt();
      } catch (error) {
        const failure = createFailureFromError(error);
        const wait = chooseRetryWaitMs(failure, attemptNumber, attempts);
        if (wait === null) throw failure.error;
        await waitMilliseconds(wait, signal);
      }
    }
  }

  createUrl({ path, query }: CallRequest): string {
    return `${this.#address}${path.startsWith('/') ? '' : '/'}${path}${formatQuery(query)}`;
  }

  createAttempt(
    { method, path, body, accept = JSON_TYPE, contentType }: CallRequest,
    options: CallOptions,
  ): RequestAttempt {
    const headers = new Headers(options.headers);
    headers.set('authorization', `Bearer ${this.#token}`);
    if (!headers.has('accept')) headers.set('accept', accept);
    const isRead = method === 'GET' || method === 'HEAD' || (method === 'POST' && path.endsWith('/records/query'));
    if (options.idempotencyKey !== undefined || (!isRead && !headers.has('idempotency-key'))) {
      headers.set('idempotency-key', options.idempotencyKey ?? createKey());
    }
    if (body == null) return { method, headers, body: null };
    const isBytes = body instanceof Uint8Array || body instanceof ReadableStream || body instanceof Blob;
    // If the content type is not JSON, a text is sent unchanged as the body.
    const isText = typeof body === 'string' && !isJson({ headers });
    if (!headers.has('content-type')) headers.set('content-type', contentType ?? JSON_TYPE);
    return { method, headers, body: isBytes || isText ? (body as RequestBody) : formatJson(body) };
  }

  createFailure(response: Response, bytes: Uint8Array): AttemptFailure {
    // The body may repeat headers of the request, which contain the token.
    return createFailureFromResponse(response, new TextDecoder().decode(bytes).replaceAll(this.#token, '[token]'));
  }

  #send(url: string, { method, headers, body }: RequestAttempt, signal: AbortSignal): Promise<Response> {
    // Redirects are not followed, because another address would receive the token. Streamed bodies require `duplex`.
    const init = { method, headers, body, signal, redirect: 'manual', duplex: 'half' } as RequestInit;
    return this.#fetch.call(undefined, url, init);
  }
}

function isJson({ headers }: Pick<Response, 'headers'>): boolean {
  return /\bjson\b/.test(headers.get('content-type') ?? 'json');
}

/** Parses a body as JSON. An empty or truncated body counts as a broken connection. */
function parseJson(bytes: Uint8Array, response: Response): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw isJson(response) ? error : createNotJsonError(response);
  }
}

/** Creates the error for a successful response with another content type, such as a page of a proxy. */
function createNotJsonError({ headers, status }: Response): CellwireError {
  const requestId = headers.get('x-request-id') ?? undefined;
  return new CellwireError('The answer is not JSON: is this the address of the service?', { status, requestId });
}

/**
 * Runs a part of an attempt within a time limit. If the caller's signal is aborted, rejects with its reason. If the
 * time limit is reached or the work fails, rejects with `AttemptFailed`.
 */
async function runWithTimeLimit<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  stop: AbortController = new AbortController(),
): Promise<T> {
  signal?.throwIfAborted();
  let end = (): void => undefined;
  // The race is needed for a custom `fetch` that ignores its signal.
  const limit = new Promise<never>((_, reject) => {
    const abort = () => reject(signal?.reason);
    const timer = setTimeout(() => reject(new AttemptFailed(createTimeoutFailure(ms))), Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener('abort', abort);
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
  });
  try {
    return await Promise.race([work(stop.signal), limit]);
  } catch (error) {
    stop.abort();
    signal?.throwIfAborted();
    if (error instanceof AttemptFailed || error instanceof CellwireError) throw error;
    throw new AttemptFailed(createConnectionFailure(error));
  } finally {
    end();
  }
}

/** Maximum delay of a timer, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

async function* readParts(
  { body }: Response,
  runLimited: <T>(work: () => Promise<T>) => Promise<T>,
  stop: AbortController,
): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await runLimited(() => reader.read());
      if (done) return;
      yield value;
    }
  } finally {
    stop.abort();
  }
}

/** Waits. Rejects with the reason of the signal when it is aborted. */
export function waitMilliseconds(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns a random key. Pages without HTTPS have no `crypto.randomUUID`. */
export function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
