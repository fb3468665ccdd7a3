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
import { ASK_AGAIN, type Fields, type ResponseHeaders, rateFields } from '../response-headers.ts';
import { wantsLines } from '../streams/lines.ts';
import type { Admissions } from './admissions.ts';
import { answerKey, type KeptAnswer, type KeptAnswers } from './kept-answers.ts';
import type { PlainWrites } from './plain-writes.ts';

/** What a route has understood of the address of a read. */
interface KnownRead {
  /** As the path has it. */
  readonly documentId: string;
  readonly needs: AccessRequirements;
  /** The route's pattern. */
  readonly route: string;
}

/** A read with who asked it last. */
interface AskedRead extends KnownRead {
  last: Asked | null;
}

/** Who asked, what the newest state was, and by what name its answer is kept. */
interface Asked {
  readonly access: DocumentAccess;
  readonly head: string;
  readonly key: string;
}

interface Parts {
  readonly context: ServiceContext;
  readonly origins: RequestOrigins;
  readonly admissions: Admissions;
  readonly writes: PlainWrites;
  readonly keptAnswers: KeptAnswers;
  readonly headers: ResponseHeaders;
  /** Told of each request that is answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** An answer that can go out, with what the gate said of the caller's rate. */
interface Found {
  readonly access: DocumentAccess;
  readonly kept: KeptAnswer;
  readonly rate: Fields;
}

/** Told when the answer has been handed over, or why it could not be. */
type OnEnd = (error?: Error | null) => void;

/**
 * Stands before the framework, whose way to a handler and back costs more than the rest of a small read. A read that a
 * route has answered is known by its address: who asks for the same is asked by the gate who they are, as everybody is,
 * and is given what is kept of the newest state. Small writes pass here, too (`PlainWrites`). All others go on to the
 * framework, and take along what the gate has said, so that nobody is counted twice.
 */
export class FrontDoor {
  private readonly parts: Parts;
  private readonly known = new BoundedMap<AskedRead>(READ_ROUTE_CACHE.maxEntries);
  private isClosed = false;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** From now on every request is answered with 503: the service stops. */
  close(): void {
    this.isClosed = true;
  }

  /** Remembers a read whose answer is kept. */
  learn({ url = '' }: IncomingMessage, read: KnownRead): void {
    if (url.length <= READ_ROUTE_CACHE.maxAddressLength) this.known.set(url, { ...read, last: null });
  }

  /** What the gate has said to a request that went on; null: it was not asked. */
  admissionOf(request: IncomingMessage): MaybePromise<GateDecision> | null {
    return this.parts.admissions.of(request);
  }

  /** Answers a request, or lets it go on. `start`: the moment, as `performance.now` has it. */
  come(request: IncomingMessage, response: ServerResponse, start: number, goOn: () => void): void {
    if (this.isClosed) return this.refuse(request, response, start);
    if (request.method !== 'GET') return this.parts.writes.come(request, response, start, goOn);
    const read = isPlain(request) ? this.known.get(request.url ?? '') : undefined;
    if (read === undefined) return goOn();
    const answer = (found: Found | null): void => {
      if (found === null) return goOn();
      const id = this.parts.origins.requestId(request);
      this.send(response, id, found, (error) => {
        if (error) return;
        const { caller, documentId } = found.access;
        const ms = performance.now() - start;
        const answered = { requestId: id, method: 'GET', route: read.route, path: null, status: 200, ms };
        this.tell(request, { ...answered, ...subjectOf(caller, documentId) });
      });
    };
    const found = this.look(request, read);
    if (found instanceof Promise) found.then(answer, goOn);
    else answer(found);
  }

  private refuse(request: IncomingMessage, response: ServerResponse, start: number): void {
    const answer = refusalAnswer(BUSY, { scope: null, hasCome: request.complete });
    const id = this.parts.origins.requestId(request);
    answerDirectly(response, answer, { id, headers: this.parts.headers });
    const ms = performance.now() - start;
    const method = request.method ?? '';
    const answered = { requestId: id, method, route: null, path: loggedPath(request), status: answer.status, ms };
    this.tell(request, { ...answered, ...subjectOf(null, null) });
  }

  private tell(request: IncomingMessage, line: Omit<RequestLine, 'traceId' | 'address'>): void {
    const { origins, onAnswered } = this.parts;
    onAnswered({ ...line, traceId: origins.traceId(request), address: origins.address(request) });
  }

  /** What fails here fails after going on, too, and is told there. */
  private look(request: IncomingMessage, read: AskedRead): MaybePromise<Found | null> {
    try {
      return this.find(request, read);
    } catch {
      return null;
    }
  }

  private find(request: IncomingMessage, read: AskedRead): MaybePromise<Found | null> {
    const { documentId, needs } = read;
    const { admissions } = this.parts;
    return mapMaybe(admissions.ask(request, documentId, needs), (said) => {
      const { rate, outcome } = said;
      const access = outcome.kind === 'refusal' ? null : outcome.document;
      return mapMaybe(access === null ? null : this.keptFor(access, request, read), (kept) => {
        if (kept !== null && access !== null) return { access, kept, rate: rateFields(rate) };
        admissions.keep(request, said);
        return null;
      });
    });
  }

  private keptFor(
    access: DocumentAccess,
    { url = '' }: IncomingMessage,
    read: AskedRead,
  ): MaybePromise<KeptAnswer | null> {
    const { context, keptAnswers } = this.parts;
    return mapMaybe(openReading(context, access), (reading) => {
      if (isRefusal(reading)) return null;
      const { head } = reading;
      // A text of its own costs more to make, and to look up, than all else here.
      if (read.last?.access !== access || read.last.head !== head)
        read.last = { access, head, key: answerKey(viewerKey(access, reading), url) };
      return keptAnswers.find(read.last.key);
    });
  }

  /** In one piece: a text of which each character is a byte goes out with the headers. */
  private send(response: ServerResponse, id: string, { kept: { etag, body }, rate }: Found, onEnd: OnEnd): void {
    const { headers } = this.parts;
    const own = ['etag', etag];
    const bytes = body.length;
    response.writeHead(200, headers.fieldsOf({ requestId: id, rate, cacheControl: ASK_AGAIN, own, bytes }));
    response.end(body, 'latin1', onEnd);
  }
}

/** A read whose answer depends on nothing but its address and its token. */
function isPlain({ headers }: IncomingMessage): boolean {
  return (
    headers['if-none-match'] === undefined &&
    headers.origin === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    !wantsLines(headers)
  );
}
