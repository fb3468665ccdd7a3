import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import { type Admission, type Admitted, documentOf, type Gate, traced } from '../access/gate.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { atOnce } from '../event-loop/slices.ts';
import { BODY_ROOM, PLAIN_WRITES } from '../limits/http.ts';
import type { ServiceContext } from '../service/context.ts';
import { NOTHING_ASKED } from '../service/preconditions.ts';
import { BUSY, isRefusal, type Refusal } from '../service/refusal.ts';
import type { Reply } from '../service/reply.ts';
import type { WriteRequest } from '../service/write.ts';
import type { Admissions } from './admissions.ts';
import type { ByteRoom } from './byte-room.ts';
import { failureAnswer, refusalAnswer } from './errors.ts';
import { type Fields, JSON_TYPE, rateFields } from './fields.ts';
import { NoJson, parseInPieces } from './json-pieces.ts';
import type { RequestOrigins } from './request-id.ts';
import { subjectOf, type WriteRequestLine } from './request-log.ts';
import { AppendBody, PutBody } from './schemas.ts';
import { shownToken } from './shown-token.ts';
import { schemaFits } from './validation.ts';
import { APPEND_ADDRESS, appendBlock, PUT_ADDRESS, putBlock, RESERVED, WRITES } from './value-writes.ts';

interface Parts {
  readonly context: ServiceContext;
  readonly gate: Gate;
  readonly origins: RequestOrigins;
  readonly admissions: Admissions;
  /** Where the API begins. */
  readonly prefix: string;
  /** Of every answer. */
  readonly fields: Fields;
  /** Answers that are on their way. */
  readonly answers: ByteRoom;
  readonly logger: FastifyBaseLogger;
  /** Told of each request that is answered here. */
  readonly onAnswered: WriteRequestLine;
}

type Begin = (context: ServiceContext, write: WriteRequest) => Promise<Reply | Refusal>;

/** A route of writes that may pass before the framework. */
interface WriteRoute {
  /** The route's pattern below the prefix. */
  readonly address: string;
  /** What to do with a body; null: it is for the framework to say what is wrong with it. `last`: the address's end. */
  readonly begin: (last: string, body: unknown) => Begin | null;
}

/** A write as its address has it. */
interface Addressed {
  readonly route: WriteRoute;
  readonly documentId: string;
  readonly last: string;
}

/** A write that is to be done. */
interface Sent {
  readonly begin: Begin;
  readonly bodyBytes: number;
}

/** Who waits for an answer, and since when, as `performance.now` has it. */
interface Exchange {
  readonly response: ServerResponse;
  readonly start: number;
  readonly id: string;
  readonly caller: Caller;
  readonly addressed: Addressed;
  readonly rate: Fields;
}

const isPut = schemaFits<PutBody>(PutBody);
const isAppend = schemaFits<AppendBody>(AppendBody);

const PUT: WriteRoute = {
  address: PUT_ADDRESS,
  begin: (range, body) => (isPut(body) ? (context, write) => putBlock(context, write, range, body) : null),
};
const APPEND: WriteRoute = {
  address: APPEND_ADDRESS,
  begin: (_append, body) => (isAppend(body) ? (context, write) => appendBlock(context, write, body) : null),
};

/** Signs of an address that stand for themselves. */
const PLAIN_PATH = "/documents/([\\w-]+)/values/([\\w!:'$.,()-]+)";
const NOT_PUT: ReadonlySet<string> = new Set(RESERVED);
const JSON_TYPES: ReadonlySet<string | undefined> = new Set(['application/json', JSON_TYPE]);

/**
 * Small writes of values as programs send them, whose way through the framework costs as much as all that the service
 * does for them: whole when they are taken up, and without a wish in their header. They pass the same gate and come to
 * the same use cases. What is not as plain goes on as it came, and so does what the gate refuses, or what its schema
 * does; once a use case has begun, what comes of it is answered here.
 */
export class PlainWrites {
  private readonly parts: Parts;
  private readonly path: RegExp;
  private readonly mostBytes: number;

  constructor(parts: Parts) {
    this.parts = parts;
    this.path = new RegExp(`^${parts.prefix}${PLAIN_PATH}$`);
    this.mostBytes = Math.min(BODY_ROOM.uncounted, parts.context.config.limits.maxBodyBytes);
  }

  /** Answers a write, or lets it go on. */
  come(request: IncomingMessage, response: ServerResponse, start: number, goOn: () => void): void {
    const addressed = this.isPlain(request) ? this.addressedBy(request) : null;
    if (addressed === null) return goOn();
    const { admissions } = this.parts;
    const decide = (admission: Admission): void => {
      const { outcome, rate } = admission;
      const sent = outcome.kind === 'refusal' ? null : sentWith(request, addressed);
      if (outcome.kind === 'refusal' || sent === null) {
        admissions.keep(request, admission);
        return goOn();
      }
      const id = this.parts.origins.requestId(request);
      const { caller } = outcome;
      this.perform({ response, start, id, caller, addressed, rate: rateFields(rate) }, outcome, sent);
    };
    const admission = this.admit(request, addressed);
    if (admission === null) return goOn();
    if (admission instanceof Promise) admission.then(decide, goOn);
    else decide(admission);
  }

  /** What fails here fails after going on, too, and is told there. */
  private admit(request: IncomingMessage, { documentId }: Addressed) {
    try {
      return this.parts.admissions.ask(request, documentId, WRITES);
    } catch {
      return null;
    }
  }

  /** A short body that is there as a whole, and nothing asked beside it. */
  private isPlain({ headers, complete }: IncomingMessage): boolean {
    return (
      complete &&
      JSON_TYPES.has(headers['content-type']) &&
      // Not so where there is none.
      Number(headers['content-length']) <= this.mostBytes &&
      headers['idempotency-key'] === undefined &&
      headers['if-match'] === undefined &&
      headers.origin === undefined &&
      headers['content-encoding'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined
    );
  }

  private addressedBy({ method, url = '' }: IncomingMessage): Addressed | null {
    if (url.length > PLAIN_WRITES.longest) return null;
    const [, documentId, last] = this.path.exec(url) ?? [];
    if (documentId === undefined || last === undefined) return null;
    if (method === 'POST') return last === 'append' ? { route: APPEND, documentId, last } : null;
    return method === 'PUT' && !NOT_PUT.has(last) ? { route: PUT, documentId, last } : null;
  }

  private perform(exchange: Exchange, admitted: Admitted, { begin, bodyBytes }: Sent): void {
    const { context, logger } = this.parts;
    const { response, id, addressed } = exchange;
    const access = documentOf(traced(admitted, id));
    const renew = () => this.renew(response.req, addressed, admitted, id);
    begin(context, { access, keyed: null, ...NOTHING_ASKED, bodyBytes, renew }).then(
      (outcome) => {
        if (isRefusal(outcome)) this.refuse(exchange, outcome);
        else this.send(exchange, admitted.caller.userId, outcome.body);
      },
      (error) => {
        const { status, fields, body } = failureAnswer(error, { id, log: logger });
        this.answer(exchange, status, fields, JSON.stringify(body));
      },
    );
  }

  /** Access to the document by the rights of this moment. */
  private async renew(
    request: IncomingMessage,
    { documentId }: Addressed,
    admitted: Admitted,
    requestId: string,
  ): Promise<DocumentAccess | AccessRefusal> {
    const asked = { credentials: shownToken(request), documentId };
    const outcome = await this.parts.gate.readmit(asked, WRITES, admitted);
    return isRefusal(outcome) ? outcome : documentOf(traced(outcome, requestId));
  }

  private refuse(exchange: Exchange, refusal: Refusal): void {
    const { status, fields, body } = refusalAnswer(refusal, { scope: WRITES.scope, hasCome: true });
    this.answer(exchange, status, fields, JSON.stringify(body));
  }

  private send(exchange: Exchange, user: number, body: string): void {
    if (this.parts.answers.enter(user, { body }, body.length, exchange.response)) this.answer(exchange, 200, [], body);
    else this.refuse(exchange, BUSY);
  }

  /** In one piece, quicker where each character is a byte. */
  private answer(exchange: Exchange, status: number, own: Fields, body: string): void {
    const { response, start, id, caller, addressed, rate } = exchange;
    const { fields, prefix, origins, onAnswered } = this.parts;
    const length = Buffer.byteLength(body);
    response.writeHead(status, [
      'x-request-id',
      id,
      ...fields,
      ...rate,
      'cache-control',
      'no-store',
      ...own,
      'content-type',
      JSON_TYPE,
      'content-length',
      String(length),
    ]);
    const method = response.req.method ?? '';
    const route = prefix + addressed.route.address;
    response.end(body, length === body.length ? 'latin1' : 'utf8', (error?: Error | null) => {
      if (error) return;
      onAnswered({
        requestId: id,
        traceId: origins.traceId(response.req),
        method,
        route,
        path: null,
        status,
        ms: performance.now() - start,
        address: origins.address(response.req),
        ...subjectOf(caller, addressed.documentId),
      });
    });
  }
}

/** What a request's body says is to be done; null, the body being left as it came: that is for the framework to find out. */
function sentWith(request: IncomingMessage, { route, last }: Addressed): Sent | null {
  const bytes: Buffer | null = request.read();
  if (bytes === null) return null;
  const begin = beginOf(route, last, bytes);
  if (begin !== null) return { begin, bodyBytes: bytes.length };
  request.unshift(bytes);
  return null;
}

function beginOf(route: WriteRoute, last: string, bytes: Buffer): Begin | null {
  const body = isUtf8(bytes) ? parsed(bytes) : null;
  if (typeof body !== 'object' || body === null) return null;
  if ('ifRevision' in body || 'expect' in body || 'dryRun' in body) return null;
  return route.begin(last, body);
}

function parsed(bytes: Buffer): unknown {
  try {
    return atOnce(parseInPieces(bytes));
  } catch (error) {
    if (error instanceof NoJson) return null;
    throw error;
  }
}
