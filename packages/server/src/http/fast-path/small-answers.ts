import type { Caller } from '../../access/callers.ts';
import type { JsonPart } from '../../operations/answer.ts';
import { BUSY, type Refusal } from '../../service/refusal.ts';
import { admitBody, measurePackedBody, type PackedBody, packBody, writeBody } from '../answer-body.ts';
import { DirectResponse } from '../connections/direct-response.ts';
import { type PlainAnswer, toFailureAnswer, toRefusalAnswer } from '../errors.ts';
import type { HeaderFields } from '../header-text.ts';
import type { HttpResponse } from '../http-exchange.ts';
import { toDirectRequestLine } from '../monitoring/request-log.ts';
import type { DirectAnswer } from '../response-headers.ts';
import type { FastOperation, FastOperationParts } from './fast-operation.ts';

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

/** Answers small requests after their operation has run: its outcome, its refusal or its error. */
export class SmallAnswers {
  private readonly parts: FastOperationParts;

  constructor(parts: FastOperationParts) {
    this.parts = parts;
  }

  /** Answers a refusal. */
  refuse(exchange: SmallExchange, refusal: Refusal): void {
    const { scope } = exchange.fast.operation.requires;
    this.sendFailure(exchange, toRefusalAnswer(refusal, { scope, isReceived: true }));
  }

  /** Answers and logs an error. */
  fail(exchange: SmallExchange, error: Parameters<typeof toFailureAnswer>[0]): void {
    this.sendFailure(exchange, toFailureAnswer(error, { id: exchange.id, log: this.parts.logger }));
  }

  /** Answers with JSON; 503 if there is no memory for it. */
  sendParts(exchange: SmallExchange, parts: readonly JsonPart[]): void {
    if (!this.trySendBody(exchange, packBody(parts), null)) this.refuse(exchange, BUSY);
  }

  /** Answers with a body. `etag`: null if it has none. False if there is no memory for it: nothing is sent then. */
  trySendBody(exchange: SmallExchange, body: PackedBody, etag: string | null): boolean {
    const { response, caller } = exchange;
    const { answers } = this.parts;
    answers.releaseReservation(response);
    if (!admitBody(answers, caller.userId, body, response)) return false;
    this.sendBody(exchange, 200, body, etag === null ? {} : { etag });
    return true;
  }

  private sendFailure(exchange: SmallExchange, { status, fields, body }: PlainAnswer): void {
    this.sendBody(exchange, status, packBody([JSON.stringify(body)]), { extraHeaders: fields });
  }

  /** Sends an answer and logs the request after the answer was handed over, unless that failed. */
  private sendBody(
    { response, start, id, caller, document, fast, rate }: SmallExchange,
    status: number,
    body: PackedBody,
    more: Pick<DirectAnswer, 'etag' | 'extraHeaders'>,
  ): void {
    const { headers } = this.parts;
    const answer = { requestId: id, rate, bytes: measurePackedBody(body), ...more };
    // Writing the fields as text at once takes a fraction of the time of a list.
    if (status === 200 && more.extraHeaders === undefined && response instanceof DirectResponse)
      response.writeFields(headers.formatAnswerHeaders(answer));
    else response.writeHead(status, headers.listAnswerHeaders(answer));
    writeBody(response, body, (error) => {
      if (error) return;
      const { origins, onAnswered } = this.parts;
      const { req: request } = response;
      const { route } = fast;
      onAnswered(toDirectRequestLine({ request, requestId: id, route, status, start, caller, document }, origins));
    });
  }
}
