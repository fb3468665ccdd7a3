import { isUtf8 } from 'node:buffer';
import { runInSlices, runSynchronously } from '@cellwire/event-loop';
import type { FastifyBaseLogger } from 'fastify';
import type { Access } from '../../access/access.ts';
import type { Caller } from '../../access/callers.ts';
import { type AdmittedRequest, type Gate, type GateDecision, requireDocument } from '../../access/gate.ts';
import { BODY_CAPACITY_BYTES, FAST_WRITES } from '../../limits/http.ts';
import type { OperationAnswer } from '../../operations/answer.ts';
import type { Call } from '../../operations/call.ts';
import { JsonError, parseInPieces } from '../../operations/json/json-pieces.ts';
import type { Operation } from '../../operations/operation.ts';
import { WRITE_CONDITIONS } from '../../operations/schemas/requests.ts';
import { appendValues } from '../../operations/values/append-values.ts';
import { putValues } from '../../operations/values/put-values.ts';
import type { ServiceContext } from '../../service/context.ts';
import { BUSY, isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import type { MemoryBudget } from '../bodies/memory-budget.ts';
import { toFailureAnswer, toRefusalAnswer } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { toDirectRequestLine, type WriteRequestLine } from '../monitoring/request-log.ts';
import { RESERVED_SEGMENTS } from '../reserved-routes.ts';
import { formatRateHeaders, type HeaderFields, JSON_TYPE, type ResponseHeaders } from '../response-headers.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import { type FastOperation, toFastOperation } from './fast-operation.ts';
import { SmallCall } from './small-call.ts';

interface FastWriteParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  readonly origins: RequestOrigins;
  readonly authorizations: AuthorizationCache;
  /** Path prefix of the API. */
  readonly prefix: string;
  readonly headers: ResponseHeaders;
  /** Memory of answers that are being sent. */
  readonly answers: MemoryBudget;
  readonly logger: FastifyBaseLogger;
  /** Called for each request answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** A write as identified by its URL. */
interface AddressedWrite {
  readonly write: FastOperation;
  readonly documentId: string;
  /** The last part of the URL. */
  readonly last: string;
}

/** The parsed input of a write. */
interface WriteInput {
  readonly input: object;
  readonly bodyBytes: number;
}

/** A response to be sent, and the request's start time according to `performance.now`. */
interface WriteExchange {
  readonly response: HttpResponse;
  readonly start: number;
  readonly id: string;
  readonly caller: Caller;
  /** The document's id. */
  readonly document: string;
  readonly addressed: AddressedWrite;
  readonly rate: HeaderFields;
}

/** Runs long work of a write in slices. */
const runLongWork: Call['runLongWork'] = (begin) => runInSlices(begin());

/** A path with only characters that need no decoding. */
const PLAIN_PATH = "/documents/([\\w-]+)/values/([\\w!:'$.,()-]+)";
const CONDITIONS = Object.keys(WRITE_CONDITIONS);

/**
 * Fast path for small writes of values, because the framework costs as much as the rest of such a write. The request
 * must be complete when it is dispatched, and its headers must contain no options. It passes the same gate and runs the
 * same use cases as in the framework. All other requests, and requests that the gate or their schema refuses, are
 * passed on unchanged. After a use case has started, its outcome is answered here.
 */
export class FastWrites {
  private readonly parts: FastWriteParts;
  private readonly path: RegExp;
  private readonly maxBytes: number;
  private readonly put: FastOperation;
  private readonly append: FastOperation;

  constructor(parts: FastWriteParts) {
    this.parts = parts;
    this.path = new RegExp(`^${parts.prefix}${PLAIN_PATH}$`);
    this.put = toFastOperation(putValues, 'body', parts.prefix);
    this.append = toFastOperation(appendValues, 'body', parts.prefix);
    this.maxBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.context.config.limits.maxBodyBytes);
  }

  /** Answers a write, or passes it on. */
  handleWrite(request: HttpRequest, response: HttpResponse, start: number, next: () => void): void {
    const addressed = this.isPlainWrite(request) ? this.parseAddress(request) : null;
    if (addressed === null) return next();
    const { authorizations } = this.parts;
    const applyDecision = (admission: GateDecision): void => {
      const { outcome, rate } = admission;
      const sent = outcome.kind === 'refusal' || outcome.caller.proposes ? null : parseInput(request, addressed);
      if (outcome.kind === 'refusal' || sent === null) {
        authorizations.keepDecision(request, admission);
        return next();
      }
      const id = this.parts.origins.chooseRequestId(request);
      const { caller } = outcome;
      const document = requireDocument(outcome).documentId;
      this.performWrite(
        { response, start, id, caller, document, addressed, rate: formatRateHeaders(rate) },
        outcome,
        sent,
      );
    };
    const admission = this.askGate(request, addressed);
    if (admission === null) return next();
    if (admission instanceof Promise) admission.then(applyDecision, next);
    else applyDecision(admission);
  }

  /** Returns null on an error: the framework then performs the same check and reports the error. */
  private askGate(request: HttpRequest, { documentId, write }: AddressedWrite) {
    try {
      return this.parts.authorizations.askGate(request, documentId, write.operation.requires);
    } catch {
      return null;
    }
  }

  /** True if the body is short and complete, and the headers contain no options. */
  private isPlainWrite({ headers, complete }: HttpRequest): boolean {
    // Comparisons with `NaN` are false, so the header must be present.
    const length = Number(headers['content-length']);
    return (
      complete &&
      isJsonType(headers['content-type']) &&
      // Reading an empty body would end the stream before the framework listens to it.
      length > 0 &&
      length <= this.maxBytes &&
      headers['idempotency-key'] === undefined &&
      headers['if-match'] === undefined &&
      headers.origin === undefined &&
      headers['content-encoding'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined
    );
  }

  /** The document and operation that a write addresses; null if it needs the framework. */
  private parseAddress({ method, url = '' }: HttpRequest): AddressedWrite | null {
    if (url.length > FAST_WRITES.maxAddressLength) return null;
    const [, documentId, last] = this.path.exec(url) ?? [];
    if (documentId === undefined || last === undefined) return null;
    if (method === 'POST') return last === 'append' ? { write: this.append, documentId, last } : null;
    return method === 'PUT' && !RESERVED_SEGMENTS.includes(last) ? { write: this.put, documentId, last } : null;
  }

  /** Runs the write and sends its reply or its refusal. */
  private performWrite(exchange: WriteExchange, admitted: AdmittedRequest, { input, bodyBytes }: WriteInput): void {
    const { logger } = this.parts;
    const { response, id, addressed } = exchange;
    const { write, documentId } = addressed;
    const { operation } = write;
    const sent = {
      request: response.req,
      operation,
      documentId,
      admitted,
      requestId: id,
      inputBytes: bodyBytes,
      runLong: runLongWork,
    };
    runOperation(operation, new SmallCall(this.parts, sent), input).then(
      (outcome) => {
        if (isRefusal(outcome)) this.refuseWrite(exchange, outcome);
        else this.sendReply(exchange, admitted.caller.userId, (outcome as WriteReply).body);
      },
      (error) => {
        const { status, fields, body } = toFailureAnswer(error, { id, log: logger });
        this.sendAnswer(exchange, status, fields, JSON.stringify(body));
      },
    );
  }

  private refuseWrite(exchange: WriteExchange, refusal: Refusal): void {
    const { status, fields, body } = toRefusalAnswer(refusal, {
      scope: exchange.addressed.write.operation.requires.scope,
      isReceived: true,
    });
    this.sendAnswer(exchange, status, fields, JSON.stringify(body));
  }

  private sendReply(exchange: WriteExchange, user: number, body: string): void {
    if (this.parts.answers.admitBytes(user, { body }, body.length, exchange.response))
      this.sendAnswer(exchange, 200, [], body);
    else this.refuseWrite(exchange, BUSY);
  }

  /** Sends headers and body in one write, which is faster if each character is one byte. */
  private sendAnswer(exchange: WriteExchange, status: number, extraHeaders: HeaderFields, body: string): void {
    const { response, start, id, caller, document, addressed, rate } = exchange;
    const { headers, origins, onAnswered } = this.parts;
    const { req: request } = response;
    const length = Buffer.byteLength(body);
    response.writeHead(status, headers.listAnswerHeaders({ requestId: id, rate, extraHeaders, bytes: length }));
    response.end(body, length === body.length ? 'latin1' : 'utf8', (error?: Error | null) => {
      if (error) return;
      const { route } = addressed.write;
      onAnswered(toDirectRequestLine({ request, requestId: id, route, status, start, caller, document }, origins));
    });
  }
}

/** Runs an operation. An error that it throws becomes a rejection. */
function runOperation({ run }: Operation, call: Call, input: object): Promise<OperationAnswer | Refusal> {
  try {
    return Promise.resolve(run(call, input));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** Comparing texts is faster than looking up a new text in a set. */
function isJsonType(type: string | undefined): boolean {
  return type === 'application/json' || type === JSON_TYPE;
}

/** The input in a request's body. Null: the framework has to report an error in the body, which stays unread. */
function parseInput(request: HttpRequest, { write, last }: AddressedWrite): WriteInput | null {
  const bytes = request.read();
  if (bytes === null) return null;
  const body = isUtf8(bytes) ? parseJson(bytes) : null;
  if (isUnconditional(body) && write.fits(body)) {
    return { input: write.operation === putValues ? { ...body, range: last } : body, bodyBytes: bytes.length };
  }
  request.unshift(bytes);
  return null;
}

/** Whether a body contains no conditions on the state to which it is applied. */
function isUnconditional(body: unknown): body is object {
  return typeof body === 'object' && body !== null && !CONDITIONS.some((name) => name in body);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return runSynchronously(parseInPieces(bytes));
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}
