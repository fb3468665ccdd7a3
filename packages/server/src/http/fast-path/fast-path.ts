import { type IncomingMessage, ServerResponse } from 'node:http';
import type { MaybePromise } from '@cellwire/event-loop';
import type { GateDecision } from '../../access/gate.ts';
import { BUSY } from '../../service/refusal.ts';
import { writePlainAnswer } from '../connections/protocol-errors.ts';
import { toRefusalAnswer } from '../errors.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { toDirectRequestLine, type WriteRequestLine } from '../monitoring/request-log.ts';
import type { ResponseHeaders } from '../response-headers.ts';
import type { AdapterRequests } from './adapter-requests.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import type { FastCalls } from './fast-calls.ts';
import type { FastReads } from './fast-reads.ts';

interface FastPathParts {
  readonly origins: RequestOrigins;
  readonly authorizations: AuthorizationCache;
  readonly reads: FastReads;
  readonly calls: FastCalls;
  /** Null: no adapter answers requests without the framework. */
  readonly adapted: AdapterRequests | null;
  readonly headers: ResponseHeaders;
  /** Called for each request that the fast path answers. */
  readonly onAnswered: WriteRequestLine;
}

const APPEND = '/append';

/**
 * The fast path in front of the framework, whose overhead exceeds the rest of a small request. Reads of ranges
 * (`FastReads`), small writes of values, queries of records (`FastCalls`) and small requests of other adapters
 * (`AdapterRequests`) are answered here. All other requests are passed to the framework together with the gate's
 * decision, so that no request is counted twice.
 */
export class FastPath {
  private readonly parts: FastPathParts;
  private isClosed = false;

  constructor(parts: FastPathParts) {
    this.parts = parts;
  }

  /** From this call on every request is answered with 503, because the service stops. */
  close(): void {
    this.isClosed = true;
  }

  /** The gate's decision for a request that was passed on; null: the gate was not asked. */
  findDecision(request: IncomingMessage): MaybePromise<GateDecision> | null {
    return this.parts.authorizations.findDecision(request);
  }

  /** Whether the fast path answers requests with this method and URL, if they are simple in other respects. */
  mayAnswer(method: string, url: string): boolean {
    const { reads, calls } = this.parts;
    if (!reads.matchesPath(url)) return method === 'POST' && calls.mayBeQuery(url);
    return method === 'GET' || method === 'PUT' || (method === 'POST' && url.endsWith(APPEND));
  }

  /** Answers a request, or passes it on by `next`. `start`: the time of `performance.now`. */
  handle(response: HttpResponse, start: number, next: () => void): void {
    if (this.isClosed) return this.refuseRequest(response, start);
    const { req: request } = response;
    const { reads, calls, adapted } = this.parts;
    // Requests of adapters are never read directly; see `mayAnswer`.
    if (adapted?.matchesRequest(request) && response instanceof ServerResponse)
      return adapted.handleRequest(response.req, response, start, next);
    if (request.method === 'GET') reads.handleRead(request, response, start, next);
    else calls.handleCall(request, response, start, next);
  }

  /** Answers 503 before any check, because the service stops. */
  private refuseRequest(response: HttpResponse, start: number): void {
    const { req: request } = response;
    const answer = toRefusalAnswer(BUSY, { scope: null, isReceived: request.complete });
    const { origins, headers, onAnswered } = this.parts;
    const requestId = origins.chooseRequestId(request);
    writePlainAnswer(response, answer, { id: requestId, headers });
    const { status } = answer;
    const unknown = { route: null, caller: null, document: null };
    onAnswered(toDirectRequestLine({ request, requestId, status, start, ...unknown }, origins));
  }
}
