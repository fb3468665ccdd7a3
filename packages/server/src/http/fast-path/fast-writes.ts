import { runInSlices } from '@cellwire/event-loop';
import type { Access } from '../../access/access.ts';
import { type AdmittedRequest, type Gate, type GateDecision, requireDocument } from '../../access/gate.ts';
import { BODY_CAPACITY_BYTES, FAST_WRITES } from '../../limits/http.ts';
import type { OperationAnswer } from '../../operations/answer.ts';
import type { Call } from '../../operations/call.ts';
import type { Operation } from '../../operations/operation.ts';
import { WRITE_CONDITIONS } from '../../operations/schemas/requests.ts';
import { appendValues } from '../../operations/values/append-values.ts';
import { putValues } from '../../operations/values/put-values.ts';
import type { ServiceContext } from '../../service/context.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import type { WriteReply } from '../../service/reply.ts';
import type { HttpRequest, HttpResponse } from '../http-exchange.ts';
import { RESERVED_SEGMENTS } from '../reserved-routes.ts';
import { formatRateHeaders } from '../response-headers.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import { type FastOperation, toFastOperation } from './fast-operation.ts';
import { type SmallAnswerParts, SmallAnswers, type SmallExchange } from './small-answers.ts';
import { hasSmallBody, takeSmallBody } from './small-bodies.ts';
import { SmallCall } from './small-call.ts';

interface FastWriteParts extends SmallAnswerParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  readonly authorizations: AuthorizationCache;
  /** Path prefix of the API. */
  readonly prefix: string;
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

interface WriteExchange extends SmallExchange {
  readonly addressed: AddressedWrite;
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
  private readonly sender: SmallAnswers;
  private readonly path: RegExp;
  private readonly maxBytes: number;
  private readonly put: FastOperation;
  private readonly append: FastOperation;

  constructor(parts: FastWriteParts) {
    this.parts = parts;
    this.sender = new SmallAnswers(parts);
    this.path = new RegExp(`^${parts.prefix}${PLAIN_PATH}$`);
    this.put = toFastOperation(putValues, 'body', parts.prefix);
    this.append = toFastOperation(appendValues, 'body', parts.prefix);
    this.maxBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.context.config.limits.maxBodyBytes);
  }

  /** Answers a write, or passes it on. */
  handleWrite(request: HttpRequest, response: HttpResponse, start: number, next: () => void): void {
    const addressed = hasSmallBody(request, this.maxBytes) ? this.parseAddress(request) : null;
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
        { response, start, id, caller, document, addressed, fast: addressed.write, rate: formatRateHeaders(rate) },
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
        if (isRefusal(outcome)) this.sender.refuse(exchange, outcome);
        else this.sender.sendReply(exchange, (outcome as WriteReply).body);
      },
      (error) => this.sender.fail(exchange, error),
    );
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

/** The input in a request's body. Null: the framework has to report an error in the body, which stays unread. */
function parseInput(request: HttpRequest, { write, last }: AddressedWrite): WriteInput | null {
  const body = takeSmallBody(request, write, isUnconditional);
  if (body === null) return null;
  const { value, bytes } = body;
  return { input: write.operation === putValues ? { ...value, range: last } : value, bodyBytes: bytes };
}

/** Whether a body contains no conditions on the state to which it is applied. */
function isUnconditional(body: object): boolean {
  return !CONDITIONS.some((name) => name in body);
}
