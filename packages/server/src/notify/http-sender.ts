import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { IDLE_CONNECTION_MS, MAX_ANSWER_BYTES, MAX_IDLE_CONNECTIONS_PER_HOST } from '../limits/notify.ts';
import type { Clock } from './clock.ts';
import { BlockedAddress } from './lookup.ts';
import type { ReceiverAnswer } from './outcome.ts';

export interface OutgoingRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Posts to receivers. Keeps connections; follows no redirects. */
export interface HttpSender {
  /** Never rejects. `timeoutMs` limits the whole exchange, from the DNS lookup to the end of the response. */
  send(outgoing: OutgoingRequest, timeoutMs: number, signal: AbortSignal): Promise<ReceiverAnswer>;
  close(): void;
}

interface RequestDeadline {
  /** Time of the deadline, by the monotonic clock. */
  readonly at: number;
  readonly problem: string;
}

interface SenderOptions {
  readonly clock: Clock;
  /** Absent: the system's lookup, which allows every address. */
  readonly lookup?: LookupFunction;
  /** Whether the host of a URL is allowed. The addresses of a name are checked by `lookup`. */
  readonly allowsHost: (host: string) => boolean;
}

/**
 * `node:http` is not imported: an import reads all its exports, and its `WebSocket` then loads a second HTTP client,
 * which takes 85 ms of each start.
 */
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

const USER_AGENT = 'Cellwire';

export function createHttpSender({ clock, lookup, allowsHost }: SenderOptions): HttpSender {
  const keep = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS_PER_HOST, timeout: IDLE_CONNECTION_MS };
  const agents = { 'http:': new HttpAgent(keep), 'https:': new HttpsAgent(keep) };

  /**
   * Starts a request. Sends nothing after the deadline: a suspended process gets connection events before its timers.
   */
  function start({ url, headers, body }: OutgoingRequest, deadline: RequestDeadline, fresh: boolean): ClientRequest {
    const isSecure = url.protocol === 'https:';
    const options = {
      method: 'POST',
      agent: fresh ? false : agents[isSecure ? 'https:' : 'http:'],
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': USER_AGENT,
        Accept: '*/*',
        ...headers,
      },
      ...(lookup === undefined ? {} : { lookup }),
    };
    const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    runOnceConnected(request, isSecure ? 'secureConnect' : 'connect', () => {
      if (clock.steady() < deadline.at) request.end(body);
      else request.destroy(new Error(deadline.problem));
    });
    return request;
  }

  async function send(outgoing: OutgoingRequest, timeoutMs: number, signal: AbortSignal): Promise<ReceiverAnswer> {
    if (!allowsHost(outgoing.url.hostname)) {
      return { kind: 'blocked', error: new BlockedAddress(outgoing.url.hostname).message };
    }
    if (signal.aborted) return { kind: 'aborted' };
    const { promise: stopped, resolve: stop } = Promise.withResolvers<ReceiverAnswer>();
    const deadline = { at: clock.steady() + timeoutMs, problem: `no answer within ${timeoutMs} ms` };
    const cancel = clock.after(timeoutMs, () => stop({ kind: 'failed', error: deadline.problem }));
    const abort = () => stop({ kind: 'aborted' });
    signal.addEventListener('abort', abort, { once: true });
    let request = start(outgoing, deadline, false);
    try {
      const first = await Promise.race([readResponse(request), stopped]);
      // The receiver closed an idle connection while it was being reused. It has not received this request.
      if (first.kind !== 'failed' || first.error !== RESET || !request.reusedSocket) return first;
      request = start(outgoing, deadline, true);
      return await Promise.race([readResponse(request), stopped]);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
      // After a complete response the connection belongs to the agent. This closes only unfinished requests.
      request.destroy();
    }
  }

  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Runs the callback when the socket is connected, at once if it is reused. */
function runOnceConnected(request: ClientRequest, event: 'connect' | 'secureConnect', run: () => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) run();
    else socket.once(event, run);
  });
}

const RESET = 'ECONNRESET';

function readResponse(request: ClientRequest): Promise<ReceiverAnswer> {
  return new Promise((resolve) => {
    const finishWithFailure = (error: NodeJS.ErrnoException) => resolve(toFailedAnswer(error));
    request.on('error', finishWithFailure);
    // The request asks for no upgrade. Without a listener, it would wait until its time-out.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      finishWithFailure(new Error('the receiver wants another protocol'));
    });
    request.on('response', (response) => {
      response.on('error', finishWithFailure);
      readBody(response).then(resolve, finishWithFailure);
    });
  });
}

/** The answer for a request that failed without a response. */
function toFailedAnswer(error: NodeJS.ErrnoException): ReceiverAnswer {
  if (error instanceof BlockedAddress) return { kind: 'blocked', error: error.message };
  return { kind: 'failed', error: error.code ?? error.message };
}

/** Reads the response to its end, or up to the maximum size. */
async function readBody(response: IncomingMessage): Promise<ReceiverAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= MAX_ANSWER_BYTES) break;
  }
  const text = Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
  const header = response.headers['retry-after'];
  return { kind: 'status', status: response.statusCode ?? 0, retryAfter: header ?? null, text };
}
