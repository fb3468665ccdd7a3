import { type AdmittedRequest, type GateDecision, requireDocument } from '../../access/gate.ts';
import { BODY_CAPACITY_BYTES, FAST_CALLS } from '../../limits/http.ts';
import type { OperationAnswer } from '../../operations/answer.ts';
import type { Operation } from '../../operations/operation.ts';
import { queryRecords } from '../../operations/records/query-records.ts';
import { WRITE_CONDITIONS } from '../../operations/schemas/requests.ts';
import { appendValues } from '../../operations/values/append-values.ts';
import { putValues } from '../../operations/values/put-values.ts';
import type { Refusal } from '../../service/refusal.ts';
import type { HttpRequest, HttpResponse } from '../http-exchange.ts';
import { RESERVED_SEGMENTS } from '../reserved-routes.ts';
import { formatRateHeaders } from '../response-headers.ts';
import { acceptsLines } from '../streams/ndjson-stream.ts';
import { type FastOperation, type FastOperationParts, toFastOperation } from './fast-operation.ts';
import { SmallAnswers, type SmallExchange } from './small-answers.ts';
import { hasSmallBody, type SmallBody, takeSmallBody } from './small-body.ts';
import { SmallCall } from './small-call.ts';

/** An operation with a body, and the parts of its URL. */
interface AddressedCall {
  readonly fast: FastOperation;
  readonly documentId: string;
  /** The range in the URL; null: the URL has none. */
  readonly range: string | null;
}

/** Paths with only characters that need no decoding. */
const PLAIN_PATH = "/documents/([\\w-]+)/(?:values/([\\w!:'$.,()-]+)|records/query)";
const QUERY = '/records/query';
const CONDITIONS = Object.keys(WRITE_CONDITIONS);

/**
 * Fast path for small requests with a body: writes of values and queries of records. The framework costs as much as the
 * rest of such a request. The request must be complete when it is dispatched, and its headers must contain no options.
 * It passes the same gate and runs the same operation as in the framework. All other requests, and requests that the
 * gate or their schema refuses, are passed on unchanged. After the operation has started, its outcome is answered here.
 */
export class FastCalls {
  private readonly parts: FastOperationParts;
  private readonly sender: SmallAnswers;
  private readonly documents: string;
  private readonly path: RegExp;
  private readonly maxBytes: number;
  private readonly put: FastOperation;
  private readonly append: FastOperation;
  private readonly query: FastOperation;

  constructor(parts: FastOperationParts) {
    this.parts = parts;
    this.sender = new SmallAnswers(parts);
    this.documents = `${parts.prefix}/documents/`;
    this.path = new RegExp(`^${parts.prefix}${PLAIN_PATH}$`);
    this.maxBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.context.config.limits.maxBodyBytes);
    this.put = toFastOperation(putValues, 'body', parts.prefix);
    this.append = toFastOperation(appendValues, 'body', parts.prefix);
    this.query = toFastOperation(queryRecords, 'body', parts.prefix);
  }

  /** Whether a URL may be the address of queries of a document. */
  mayBeQuery(url: string): boolean {
    return url.endsWith(QUERY) && url.startsWith(this.documents);
  }

  /** Answers a request, or passes it on. */
  handleCall(request: HttpRequest, response: HttpResponse, start: number, next: () => void): void {
    const addressed = hasSmallBody(request, this.maxBytes) ? this.parseAddress(request) : null;
    if (addressed === null) return next();
    const applyDecision = (decision: GateDecision): void => {
      const { outcome, rate } = decision;
      const body = outcome.kind === 'refusal' ? null : takeCallBody(request, addressed, outcome);
      if (outcome.kind === 'refusal' || body === null) {
        this.parts.authorizations.keepDecision(request, decision);
        return next();
      }
      const exchange: SmallExchange = {
        response,
        start,
        id: this.parts.origins.chooseRequestId(request),
        caller: outcome.caller,
        document: requireDocument(outcome).documentId,
        fast: addressed.fast,
        rate: formatRateHeaders(rate),
      };
      this.runOperation(exchange, addressed, outcome, body);
    };
    const decision = this.askGate(request, addressed);
    if (decision === null) return next();
    if (decision instanceof Promise) decision.then(applyDecision, next);
    else applyDecision(decision);
  }

  /** The document and operation that a request addresses; null if it needs the framework. */
  private parseAddress({ method, url = '', headers }: HttpRequest): AddressedCall | null {
    if (url.length > FAST_CALLS.maxAddressLength) return null;
    const [, documentId, last] = this.path.exec(url) ?? [];
    if (documentId === undefined) return null;
    if (method === 'PUT' && last !== undefined && !RESERVED_SEGMENTS.includes(last))
      return { fast: this.put, documentId, range: last };
    if (method !== 'POST') return null;
    if (last === 'append') return { fast: this.append, documentId, range: null };
    return last === undefined && !acceptsLines(headers) ? { fast: this.query, documentId, range: null } : null;
  }

  /** Returns null on an error: the framework then performs the same check and reports the error. */
  private askGate(request: HttpRequest, { documentId, fast }: AddressedCall) {
    try {
      return this.parts.authorizations.askGate(request, documentId, fast.operation.requires);
    } catch {
      return null;
    }
  }

  /** Runs an operation, and sends its answer or its error. */
  private runOperation(
    exchange: SmallExchange,
    { fast: { operation }, documentId, range }: AddressedCall,
    admitted: AdmittedRequest,
    { value, bytes }: SmallBody,
  ): void {
    const { response, id } = exchange;
    const requestId = isWrite(operation) ? id : null;
    const sent = { response, operation, documentId, admitted, requestId, inputBytes: bytes };
    const call = new SmallCall(this.parts, sent);
    let answer: ReturnType<Operation['run']>;
    try {
      answer = operation.run(call, range === null ? value : { ...value, range });
    } catch (error) {
      return this.sender.fail(exchange, error as Error);
    }
    if (!(answer instanceof Promise)) return this.sendAnswer(exchange, answer);
    answer.then(
      (answered) => this.sendAnswer(exchange, answered),
      (error: Error) => this.sender.fail(exchange, error),
    );
  }

  private sendAnswer(exchange: SmallExchange, answer: OperationAnswer | Refusal): void {
    switch (answer.kind) {
      case 'refusal':
        return this.sender.refuse(exchange, answer);
      case 'reply':
        return this.sender.sendParts(exchange, [answer.body]);
      case 'parts':
        return this.sender.sendParts(exchange, answer.parts);
      default:
        throw new Error(`The fast path cannot send ${answer.kind}`);
    }
  }
}

/**
 * The input in a request's body. Null: the framework has to report an error in the body, to check a condition or to
 * create a proposal. The body then stays unread.
 */
function takeCallBody(request: HttpRequest, { fast }: AddressedCall, { caller }: AdmittedRequest): SmallBody | null {
  if (!isWrite(fast.operation)) return takeSmallBody(request, fast.fits);
  return caller.proposes ? null : takeSmallBody(request, (body) => isUnconditional(body) && fast.fits(body));
}

function isWrite({ effect }: Operation): boolean {
  return effect === 'write';
}

/** Whether a body contains no conditions on the state to which it is applied. */
function isUnconditional(body: object): boolean {
  return !CONDITIONS.some((name) => name in body);
}
