import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../../access/callers.ts';
import { BUSY, type Refusal } from '../../service/refusal.ts';
import { admitBody, measurePackedBody, type PackedBody, writeBody } from '../answer-body.ts';
import type { MemoryBudget } from '../bodies/memory-budget.ts';
import { toFailureAnswer, toRefusalAnswer } from '../errors.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { toDirectRequestLine, type WriteRequestLine } from '../monitoring/request-log.ts';
import type { HeaderFields, ResponseHeaders } from '../response-headers.ts';
import type { FastOperation } from './fast-operation.ts';

export interface SmallAnswerParts {
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
  /** Memory of answers that are being sent. */
  readonly answers: MemoryBudget;
  readonly logger: FastifyBaseLogger;
  /** Called for each request answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** An admitted request whose outcome is answered here, and its start time according to `performance.now`. */
export interface SmallExchange {
  readonly response: HttpResponse;
  readonly start: number;
  /** The request's id. */
  readonly id: string;
  readonly caller: Caller;
  /** The document's id. */
  readonly document: string;
  readonly fast: FastOperation;
  readonly rate: HeaderFields;
}

/** Answers small requests with a body after their use case has run: its outcome, its refusal or its error. */
export class SmallAnswers {
  private readonly parts: SmallAnswerParts;

  constructor(parts: SmallAnswerParts) {
    this.parts = parts;
  }

  /** Answers a refusal. */
  refuse(exchange: SmallExchange, refusal: Refusal): void {
    const { scope } = exchange.fast.operation.requires;
    const { status, fields, body } = toRefusalAnswer(refusal, { scope, isReceived: true });
    this.sendText(exchange, status, fields, JSON.stringify(body));
  }

  /** Answers and logs an error. */
  fail(exchange: SmallExchange, error: Parameters<typeof toFailureAnswer>[0]): void {
    const { status, fields, body } = toFailureAnswer(error, { id: exchange.id, log: this.parts.logger });
    this.sendText(exchange, status, fields, JSON.stringify(body));
  }

  /** Answers with a text that memory is reserved for; 503 if there is none. */
  sendReply(exchange: SmallExchange, body: string): void {
    const { response, caller } = exchange;
    if (this.parts.answers.admitBytes(caller.userId, { body }, body.length, response))
      this.sendText(exchange, 200, [], body);
    else this.refuse(exchange, BUSY);
  }

  /** Answers with a body that memory is reserved for; 503 if there is none. */
  sendBody(exchange: SmallExchange, body: PackedBody): void {
    const { response, caller, id, rate } = exchange;
    const { answers, headers } = this.parts;
    answers.releaseReservation(response);
    if (!admitBody(answers, caller.userId, body, response)) return this.refuse(exchange, BUSY);
    const bytes = measurePackedBody(body);
    response.writeHead(200, headers.listAnswerHeaders({ requestId: id, rate, bytes }));
    writeBody(response, body, (error) => this.logAnswer(exchange, 200, error));
  }

  /** Sends headers and body in one write, which is faster if each character is one byte. */
  private sendText(exchange: SmallExchange, status: number, extraHeaders: HeaderFields, body: string): void {
    const { response, id, rate } = exchange;
    const length = Buffer.byteLength(body);
    const { headers } = this.parts;
    response.writeHead(status, headers.listAnswerHeaders({ requestId: id, rate, extraHeaders, bytes: length }));
    response.end(body, length === body.length ? 'latin1' : 'utf8', (error) => this.logAnswer(exchange, status, error));
  }

  /** Logs a request after its answer was handed over, unless that failed. */
  private logAnswer(
    { response, start, id, caller, document, fast }: SmallExchange,
    status: number,
    error?: Error | null,
  ): void {
    if (error) return;
    const { origins, onAnswered } = this.parts;
    const { req: request } = response;
    const { route } = fast;
    onAnswered(toDirectRequestLine({ request, requestId: id, route, status, start, caller, document }, origins));
  }
}
