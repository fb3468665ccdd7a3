import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { runSynchronously } from '@cellwire/event-loop';
import type { FastifyBaseLogger } from 'fastify';
import type { Access, DocumentAccess } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { type AdmittedRequest, documentOf, type Gate, type GateDecision, withRequestId } from '../../access/gate.ts';
import type { AccessRefusal } from '../../access/refusal.ts';
import { BODY_CAPACITY_BYTES, FAST_WRITES } from '../../limits/http.ts';
import { JsonError, parseInPieces } from '../../operations/json/json-pieces.ts';
import type { Operation } from '../../operations/operation.ts';
import { appendValues } from '../../operations/values/append-values.ts';
import { putValues } from '../../operations/values/put-values.ts';
import type { ServiceContext } from '../../service/context.ts';
import { BUSY, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import type { ByteRoom } from '../bodies/byte-room.ts';
import { schemaFits } from '../bodies/validation.ts';
import { failureAnswer, refusalAnswer } from '../errors.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { subjectOf, type WriteRequestLine } from '../monitoring/request-log.ts';
import { routePattern } from '../operation-routes.ts';
import { RESERVED_SEGMENTS } from '../reserved-routes.ts';
import { type Fields, JSON_TYPE, type ResponseHeaders, rateFields } from '../response-headers.ts';
import { shownToken } from '../shown-token.ts';
import type { Admissions } from './admissions.ts';
import { SmallCall } from './small-call.ts';

interface Parts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  readonly origins: RequestOrigins;
  readonly admissions: Admissions;
  /** Where the API begins. */
  readonly prefix: string;
  readonly headers: ResponseHeaders;
  /** Answers that are on their way. */
  readonly answers: ByteRoom;
  readonly logger: FastifyBaseLogger;
  /** Told of each request that is answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** An operation that may pass before the framework. */
interface SmallWrite {
  readonly operation: Operation;
  readonly fits: (body: unknown) => body is object;
}

/** A write as its address has it. */
interface Addressed {
  readonly write: SmallWrite;
  readonly documentId: string;
  /** The end of the address. */
  readonly last: string;
}

/** The input of a write that is to be done. */
interface Sent {
  readonly input: object;
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

const PUT: SmallWrite = { operation: putValues, fits: schemaFits(putValues.body as object) };
const APPEND: SmallWrite = { operation: appendValues, fits: schemaFits(appendValues.body as object) };

/** Signs of an address that stand for themselves. */
const PLAIN_PATH = "/documents/([\\w-]+)/values/([\\w!:'$.,()-]+)";
const NOT_PUT: ReadonlySet<string> = new Set(RESERVED_SEGMENTS);
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
    this.mostBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.context.config.limits.maxBodyBytes);
  }

  /** Answers a write, or lets it go on. */
  come(request: IncomingMessage, response: ServerResponse, start: number, goOn: () => void): void {
    const addressed = this.isPlain(request) ? this.addressedBy(request) : null;
    if (addressed === null) return goOn();
    const { admissions } = this.parts;
    const decide = (admission: GateDecision): void => {
      const { outcome, rate } = admission;
      const sent = outcome.kind === 'refusal' || outcome.caller.proposes ? null : sentWith(request, addressed);
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
  private admit(request: IncomingMessage, { documentId, write }: Addressed) {
    try {
      return this.parts.admissions.ask(request, documentId, write.operation.requires);
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
    if (url.length > FAST_WRITES.maxAddressLength) return null;
    const [, documentId, last] = this.path.exec(url) ?? [];
    if (documentId === undefined || last === undefined) return null;
    if (method === 'POST') return last === 'append' ? { write: APPEND, documentId, last } : null;
    return method === 'PUT' && !NOT_PUT.has(last) ? { write: PUT, documentId, last } : null;
  }

  private perform(exchange: Exchange, admitted: AdmittedRequest, { input, bodyBytes }: Sent): void {
    const { logger } = this.parts;
    const { response, id, addressed } = exchange;
    const renew = () => this.renew(response.req, addressed, admitted, id);
    const call = new SmallCall(this.parts, documentOf(withRequestId(admitted, id)), { inputBytes: bodyBytes, renew });
    Promise.resolve(addressed.write.operation.run(call, input)).then(
      (outcome) => {
        if (isRefusal(outcome)) this.refuse(exchange, outcome);
        else this.send(exchange, admitted.caller.userId, (outcome as WriteReply).body);
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
    { documentId, write }: Addressed,
    admitted: AdmittedRequest,
    requestId: string,
  ): Promise<DocumentAccess | AccessRefusal> {
    const asked = { credentials: shownToken(request), documentId };
    const outcome = await this.parts.gate.reauthorize(asked, write.operation.requires, admitted);
    return isRefusal(outcome) ? outcome : documentOf(withRequestId(outcome, requestId));
  }

  private refuse(exchange: Exchange, refusal: Refusal): void {
    const { status, fields, body } = refusalAnswer(refusal, {
      scope: exchange.addressed.write.operation.requires.scope,
      hasCome: true,
    });
    this.answer(exchange, status, fields, JSON.stringify(body));
  }

  private send(exchange: Exchange, user: number, body: string): void {
    if (this.parts.answers.enter(user, { body }, body.length, exchange.response)) this.answer(exchange, 200, [], body);
    else this.refuse(exchange, BUSY);
  }

  /** In one piece, quicker where each character is a byte. */
  private answer(exchange: Exchange, status: number, own: Fields, body: string): void {
    const { response, start, id, caller, addressed, rate } = exchange;
    const { headers, prefix, origins, onAnswered } = this.parts;
    const length = Buffer.byteLength(body);
    response.writeHead(status, headers.fieldsOf({ requestId: id, rate, own, bytes: length }));
    const method = response.req.method ?? '';
    const route = prefix + routePattern(addressed.write.operation.http.path);
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

/** The input that a request's body holds. Null: the framework is to say what is wrong with it; the body stays unread. */
function sentWith(request: IncomingMessage, { write, last }: Addressed): Sent | null {
  const bytes: Buffer | null = request.read();
  if (bytes === null) return null;
  const body = isUtf8(bytes) ? parsed(bytes) : null;
  if (isUnconditional(body) && write.fits(body)) {
    return { input: write === PUT ? { ...body, range: last } : body, bodyBytes: bytes.length };
  }
  request.unshift(bytes);
  return null;
}

/** Whether a body asks nothing of the state that it is applied to. */
function isUnconditional(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false;
  return !('ifRevision' in body || 'expect' in body || 'dryRun' in body);
}

function parsed(bytes: Buffer): unknown {
  try {
    return runSynchronously(parseInPieces(bytes));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
