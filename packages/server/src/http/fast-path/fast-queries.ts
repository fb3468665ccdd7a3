import type { Access } from '../../access/access.ts';
import { type AdmittedRequest, type Gate, type GateDecision, requireDocument } from '../../access/gate.ts';
import { BODY_CAPACITY_BYTES } from '../../limits/http.ts';
import type { OperationAnswer } from '../../operations/answer.ts';
import type { Call } from '../../operations/call.ts';
import { queryRecords } from '../../operations/records/query-records.ts';
import type { ServiceContext } from '../../service/context.ts';
import { isRefusal, type Refusal } from '../../service/refusal.ts';
import { packBody } from '../answer-body.ts';
import type { HttpRequest, HttpResponse } from '../http-exchange.ts';
import { formatRateHeaders } from '../response-headers.ts';
import type { LongAnswers } from '../streams/long-answers.ts';
import { acceptsLines } from '../streams/ndjson-stream.ts';
import type { AuthorizationCache } from './authorization-cache.ts';
import { type FastOperation, toFastOperation } from './fast-operation.ts';
import { type SmallAnswerParts, SmallAnswers, type SmallExchange } from './small-answers.ts';
import { hasSmallBody, takeSmallBody } from './small-bodies.ts';
import { SmallCall } from './small-call.ts';

interface FastQueryParts extends SmallAnswerParts {
  readonly context: ServiceContext;
  readonly access: Access;
  readonly gate: Gate;
  readonly authorizations: AuthorizationCache;
  /** Path prefix of the API. */
  readonly prefix: string;
  readonly longAnswers: LongAnswers;
}

const QUERY = '/records/query';
/** Length of a document's id. */
const ID_LENGTH = 36;
const ID = /^[\w-]{36}$/;

/**
 * Fast path for queries of records, because the framework costs more than a lookup in an index. The request must be
 * complete when it is dispatched, and its headers must contain no options. It passes the same gate and runs the same
 * operation as in the framework. All other requests, and requests that the gate or their schema refuses, are passed on
 * unchanged. After the operation has started, its outcome is answered here.
 */
export class FastQueries {
  private readonly parts: FastQueryParts;
  private readonly sender: SmallAnswers;
  /** The path of documents. */
  private readonly documents: string;
  private readonly maxBytes: number;
  private readonly query: FastOperation;

  constructor(parts: FastQueryParts) {
    this.parts = parts;
    this.sender = new SmallAnswers(parts);
    this.documents = `${parts.prefix}/documents/`;
    this.maxBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.context.config.limits.maxBodyBytes);
    this.query = toFastOperation(queryRecords, 'body', parts.prefix);
  }

  /** Whether a URL is the address of queries of a document. */
  matchesPath(url: string): boolean {
    const { documents } = this;
    return (
      url.length === documents.length + ID_LENGTH + QUERY.length && url.endsWith(QUERY) && url.startsWith(documents)
    );
  }

  /** Answers a query, or passes it on. */
  handleQuery(request: HttpRequest, response: HttpResponse, start: number, next: () => void): void {
    const { documents } = this;
    const documentId = request.url?.slice(documents.length, documents.length + ID_LENGTH) ?? '';
    if (!ID.test(documentId) || !hasSmallBody(request, this.maxBytes) || acceptsLines(request.headers)) return next();
    const applyDecision = (decision: GateDecision): void => {
      const { outcome, rate } = decision;
      const body = outcome.kind === 'refusal' ? null : takeSmallBody(request, this.query);
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
        fast: this.query,
        rate: formatRateHeaders(rate),
      };
      this.runQuery(exchange, { documentId, admitted: outcome, inputBytes: body.bytes }, body.value).then(
        (answer) => this.sendAnswer(exchange, answer),
        (error: Error) => this.sender.fail(exchange, error),
      );
    };
    const decision = this.askGate(request, documentId);
    if (decision === null) return next();
    if (decision instanceof Promise) decision.then(applyDecision, next);
    else applyDecision(decision);
  }

  /** Returns null on an error: the framework then performs the same check and reports the error. */
  private askGate(request: HttpRequest, documentId: string) {
    try {
      return this.parts.authorizations.askGate(request, documentId, this.query.operation.requires);
    } catch {
      return null;
    }
  }

  private async runQuery(
    { response, caller }: SmallExchange,
    asked: { readonly documentId: string; readonly admitted: AdmittedRequest; readonly inputBytes: number },
    input: object,
  ): Promise<OperationAnswer | Refusal> {
    const { longAnswers, context } = this.parts;
    const { maxResponseBytes: maxBytes } = context.config.limits;
    const runLong: Call['runLongWork'] = (begin) =>
      longAnswers.produceAnswer({ user: caller.userId, maxBytes, response }, begin);
    const { operation } = this.query;
    const call = new SmallCall(this.parts, { ...asked, request: response.req, operation, requestId: null, runLong });
    return operation.run(call, input);
  }

  private sendAnswer(exchange: SmallExchange, answer: OperationAnswer | Refusal): void {
    if (isRefusal(answer)) this.sender.refuse(exchange, answer);
    else if (answer.kind === 'parts') this.sender.sendBody(exchange, packBody(answer.parts));
    else throw new Error(`A query was answered with ${answer.kind}`);
  }
}
