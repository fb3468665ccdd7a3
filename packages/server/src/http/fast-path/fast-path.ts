import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MaybePromise, mapMaybe } from '@cellwire/event-loop';
import type { DocumentAccess } from '../../access/access.ts';
import { BoundedMap } from '../../access/bounded-map.ts';
import type { AccessRequirements, GateDecision } from '../../access/gate.ts';
import { READ_ROUTE_CACHE } from '../../limits/http.ts';
import { viewerKey } from '../../service/cells/read-values.ts';
import type { ServiceContext } from '../../service/context.ts';
import { openReading } from '../../service/open-table.ts';
import { BUSY, isRefusal } from '../../service/refusal.ts';
import { answerDirectly } from '../connections/protocol-errors.ts';
import { refusalAnswer } from '../errors.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { loggedPath, type RequestLine, subjectOf, type WriteRequestLine } from '../monitoring/request-log.ts';
import { ASK_AGAIN, type HeaderFields, type ResponseHeaders, rateFields } from '../response-headers.ts';
import { wantsLines } from '../streams/lines.ts';
import { type AnswerCache, answerKey, type CachedAnswer } from './answer-cache.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import type { FastWrites } from './fast-writes.ts';

/** What a route derived from the URL of a read. */
interface CachedReadRoute {
  /** As in the path. */
  readonly documentId: string;
  readonly needs: AccessRequirements;
  /** The route's URL pattern. */
  readonly route: string;
}

/** A read and its last caller. */
interface CachedRead extends CachedReadRoute {
  last: LastRequest | null;
}

/** The last caller, the newest state at that time, and the cache key of the answer. */
interface LastRequest {
  readonly access: DocumentAccess;
  readonly head: string;
  readonly key: string;
}

interface FastPathParts {
  readonly context: ServiceContext;
  readonly origins: RequestOrigins;
  readonly authorizations: AuthorizationCache;
  readonly writes: FastWrites;
  readonly answerCache: AnswerCache;
  readonly headers: ResponseHeaders;
  /** Called for each request answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** A cached answer, with the state of the caller's rate limit. */
interface CachedResponse {
  readonly access: DocumentAccess;
  readonly kept: CachedAnswer;
  readonly rate: HeaderFields;
}

/** Called when the answer was handed over, or with the error that prevented it. */
type EndCallback = (error?: Error | null) => void;

/**
 * The fast path in front of the framework, whose overhead exceeds the rest of a small read. A read that a route has
 * answered before is recognised by its URL: the gate authenticates the caller as usual, and the caller gets the cached
 * answer for the newest state. Small writes also use the fast path (`FastWrites`). All other requests are passed to
 * the framework together with the gate's decision, so that no request is counted twice.
 */
export class FastPath {
  private readonly parts: FastPathParts;
  private readonly known = new BoundedMap<CachedRead>(READ_ROUTE_CACHE.maxEntries);
  private isClosed = false;

  constructor(parts: FastPathParts) {
    this.parts = parts;
  }

  /** From this call on every request is answered with 503, because the service stops. */
  close(): void {
    this.isClosed = true;
  }

  /** Remembers a read whose answer is cached. */
  learn({ url = '' }: IncomingMessage, read: CachedReadRoute): void {
    if (url.length <= READ_ROUTE_CACHE.maxAddressLength) this.known.set(url, { ...read, last: null });
  }

  /** The gate's decision for a request that was passed on; null: the gate was not asked. */
  admissionOf(request: IncomingMessage): MaybePromise<GateDecision> | null {
    return this.parts.authorizations.of(request);
  }

  /** Answers a request, or passes it on by `next`. `start`: the time of `performance.now`. */
  handle(request: IncomingMessage, response: ServerResponse, start: number, next: () => void): void {
    if (this.isClosed) return this.refuse(request, response, start);
    if (request.method !== 'GET') return this.parts.writes.handle(request, response, start, next);
    const read = isPlain(request) ? this.known.get(request.url ?? '') : undefined;
    if (read === undefined) return next();
    const answer = (found: CachedResponse | null): void => {
      if (found === null) return next();
      const id = this.parts.origins.requestId(request);
      this.send(response, id, found, (error) => {
        if (error) return;
        const { caller, documentId } = found.access;
        const ms = performance.now() - start;
        const answered = { requestId: id, method: 'GET', route: read.route, path: null, status: 200, ms };
        this.logRequest(request, { ...answered, ...subjectOf(caller, documentId) });
      });
    };
    const found = this.tryFind(request, read);
    if (found instanceof Promise) found.then(answer, next);
    else answer(found);
  }

  private refuse(request: IncomingMessage, response: ServerResponse, start: number): void {
    const answer = refusalAnswer(BUSY, { scope: null, isReceived: request.complete });
    const id = this.parts.origins.requestId(request);
    answerDirectly(response, answer, { id, headers: this.parts.headers });
    const ms = performance.now() - start;
    const method = request.method ?? '';
    const answered = { requestId: id, method, route: null, path: loggedPath(request), status: answer.status, ms };
    this.logRequest(request, { ...answered, ...subjectOf(null, null) });
  }

  private logRequest(request: IncomingMessage, line: Omit<RequestLine, 'traceId' | 'address'>): void {
    const { origins, onAnswered } = this.parts;
    onAnswered({ ...line, traceId: origins.traceId(request), address: origins.address(request) });
  }

  /** An error here would also occur in the framework, which reports it. */
  private tryFind(request: IncomingMessage, read: CachedRead): MaybePromise<CachedResponse | null> {
    try {
      return this.find(request, read);
    } catch {
      return null;
    }
  }

  private find(request: IncomingMessage, read: CachedRead): MaybePromise<CachedResponse | null> {
    const { documentId, needs } = read;
    const { authorizations } = this.parts;
    return mapMaybe(authorizations.ask(request, documentId, needs), (said) => {
      const { rate, outcome } = said;
      const access = outcome.kind === 'refusal' ? null : outcome.document;
      return mapMaybe(access === null ? null : this.keptFor(access, request, read), (kept) => {
        if (kept !== null && access !== null) return { access, kept, rate: rateFields(rate) };
        authorizations.keep(request, said);
        return null;
      });
    });
  }

  private keptFor(
    access: DocumentAccess,
    { url = '' }: IncomingMessage,
    read: CachedRead,
  ): MaybePromise<CachedAnswer | null> {
    const { context, answerCache } = this.parts;
    return mapMaybe(openReading(context, access), (reading) => {
      if (isRefusal(reading)) return null;
      const { head } = reading;
      // Building and looking up another string would cost more than everything else here.
      if (read.last?.access !== access || read.last.head !== head)
        read.last = { access, head, key: answerKey(viewerKey(access, reading), url) };
      return answerCache.find(read.last.key);
    });
  }

  /** Sends headers and body in one write, because each character of the body is one byte. */
  private send(
    response: ServerResponse,
    id: string,
    { kept: { etag, body }, rate }: CachedResponse,
    onEnd: EndCallback,
  ): void {
    const { headers } = this.parts;
    const own = ['etag', etag];
    const bytes = body.length;
    response.writeHead(200, headers.fieldsOf({ requestId: id, rate, cacheControl: ASK_AGAIN, own, bytes }));
    response.end(body, 'latin1', onEnd);
  }
}

/** A read whose answer depends only on its URL and its token. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers['if-none-match'] === undefined &&
    headers.origin === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !wantsLines(headers)
  );
}
