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
  /** Never rejects. The whole exchange, from the name to the end of the answer, has `timeoutMs`. */
  send(outgoing: OutgoingRequest, timeoutMs: number, signal: AbortSignal): Promise<ReceiverAnswer>;
  close(): void;
}

interface Deadline {
  /** A moment of the steady clock. */
  readonly at: number;
  readonly problem: string;
}

interface SenderOptions {
  readonly clock: Clock;
  /** Absent: the system's own, to wherever it leads. */
  readonly lookup?: LookupFunction;
  /** Whether a URL's host may be reached; a name is checked by `lookup`. */
  readonly allowsHost: (host: string) => boolean;
}

/**
 * Not imported: that asks a module for all it has, and this one then loads a second client of HTTP for its `WebSocket`,
 * 85 ms of each start.
 */
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

const USER_AGENT = 'Cellwire';

export function createHttpSender({ clock, lookup, allowsHost }: SenderOptions): HttpSender {
  const keep = { keepAlive: true, maxFreeSockets: MAX_IDLE_CONNECTIONS_PER_HOST, timeout: IDLE_CONNECTION_MS };
  const agents = { 'http:': new HttpAgent(keep), 'https:': new HttpsAgent(keep) };

  /** Nothing is sent once it is late: a process that was stopped hears of its connections before its timers run out. */
  function start({ url, headers, body }: OutgoingRequest, deadline: Deadline, fresh: boolean): ClientRequest {
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
    whenConnected(request, isSecure ? 'secureConnect' : 'connect', () => {
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
      // The receiver closed a kept connection just as it was used again: it has not seen this request.
      if (first.kind !== 'failed' || first.error !== RESET || !request.reusedSocket) return first;
      request = start(outgoing, deadline, true);
      return await Promise.race([readResponse(request), stopped]);
    } finally {
      cancel();
      signal.removeEventListener('abort', abort);
      // An answer that was read to its end has left its connection to the agent: this ends only what is unfinished.
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

function whenConnected(request: ClientRequest, event: 'connect' | 'secureConnect', run: () => void): void {
  request.once('socket', (socket) => {
    if (request.reusedSocket) run();
    else socket.once(event, run);
  });
}

const RESET = 'ECONNRESET';

function readResponse(request: ClientRequest): Promise<ReceiverAnswer> {
  return new Promise((resolve) => {
    const fail = (error: NodeJS.ErrnoException) => resolve(failureOf(error));
    request.on('error', fail);
    // Nobody asked for another protocol. Without a listener the request would wait for its time-out.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      fail(new Error('the receiver wants another protocol'));
    });
    request.on('response', (response) => {
      response.on('error', fail);
      readBody(response).then(resolve, fail);
    });
  });
}

function failureOf(error: NodeJS.ErrnoException): ReceiverAnswer {
  if (error instanceof BlockedAddress) return { kind: 'blocked', error: error.message };
  return { kind: 'failed', error: error.code ?? error.message };
}

/** Reads the answer to its end, or as far as anybody may make us read. */
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
