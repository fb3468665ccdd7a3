import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Caller } from '../../access/callers.ts';
import { BODY_CAPACITY_BYTES, FAST_CALLS } from '../../limits/http.ts';
import { BUSY } from '../../service/refusal.ts';
import type { MemoryBudget } from '../bodies/memory-budget.ts';
import { toFailureAnswer, toRefusalAnswer } from '../errors.ts';
import type { HeaderFields } from '../header-text.ts';
import type { HttpRequest } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import { toDirectRequestLine, type WriteRequestLine } from '../monitoring/request-log.ts';
import type { ResponseHeaders } from '../response-headers.ts';

/** A complete request that an adapter answers without the framework. */
interface SmallRequest {
  readonly raw: IncomingMessage;
  readonly id: string;
  /** The client's network address. */
  readonly clientAddress: string;
  readonly body: Buffer;
  /** The HTTP status of the answer to an error. Logs the error if the operator must know. */
  readonly toFailureStatus: (error: Error) => number;
}

/** The answer of an adapter. */
interface SmallAnswer {
  readonly status: number;
  /** Headers in addition to those of every answer, with the content type. */
  readonly fields: HeaderFields;
  readonly body: string | Buffer | AsyncIterable<Buffer>;
  /** Null: the caller is unknown. */
  readonly caller: Caller | null;
}

type AnswerSmallRequest = (request: SmallRequest) => Promise<SmallAnswer>;

/** An adapter with methods that the fast path answers. */
export interface FastAdapter {
  /** Prefix of the paths of these methods. */
  readonly prefix: string;
  /** The route in the log. */
  readonly route: string;
  /** Null: the framework has to answer the request. */
  findMethod(request: IncomingMessage): AnswerSmallRequest | null;
}

interface AdapterRequestParts {
  readonly adapter: FastAdapter;
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
  /** Memory of answers that are being sent. */
  readonly answers: MemoryBudget;
  readonly maxBodyBytes: number;
  readonly logger: FastifyBaseLogger;
  /** Called for each request answered here. */
  readonly onAnswered: WriteRequestLine;
}

/** An answer to be sent, and the request's start time according to `performance.now`. */
interface AdapterExchange {
  readonly response: ServerResponse;
  readonly start: number;
  readonly id: string;
}

const NO_BODY = Buffer.alloc(0);
/** Content types that the framework does not refuse. */
const PLAIN_TYPE = /^[a-z]+\/[a-z.+-]+(?: ?; ?charset=utf-8)?$/i;
/** Id of all callers without a token. */
const NOBODY = 0;

/** Fast path for small requests of an adapter with its own addresses, such as Google's. */
export class AdapterRequests {
  private readonly parts: AdapterRequestParts;
  private readonly maxBytes: number;

  constructor(parts: AdapterRequestParts) {
    this.parts = parts;
    this.maxBytes = Math.min(BODY_CAPACITY_BYTES.uncounted, parts.maxBodyBytes);
  }

  /** Whether a request belongs to the adapter. */
  matchesRequest({ url = '' }: HttpRequest): boolean {
    return url.startsWith(this.parts.adapter.prefix);
  }

  /** Answers a request, or passes it on. */
  handleRequest(request: IncomingMessage, response: ServerResponse, start: number, next: () => void): void {
    const { adapter, origins, logger } = this.parts;
    const answer = this.isPlainRequest(request) ? adapter.findMethod(request) : null;
    if (answer === null) return next();
    const exchange = { response, start, id: origins.chooseRequestId(request) };
    const failed = { id: exchange.id, log: logger };
    const sent: SmallRequest = {
      raw: request,
      id: exchange.id,
      clientAddress: origins.findClientAddress(request),
      body: (request.read() as Buffer | null) ?? NO_BODY,
      toFailureStatus: (error) => toFailureAnswer(error, failed).status,
    };
    answer(sent).then(
      (answered) => this.sendAnswer(exchange, answered),
      (error) => {
        const { status, fields, body } = toFailureAnswer(error, failed);
        this.sendCompleteBody(exchange, status, fields, JSON.stringify(body), null);
      },
    );
  }

  /** True if the body is short and complete, and the headers contain nothing that only the framework understands. */
  private isPlainRequest({ method, headers, complete, url = '' }: IncomingMessage): boolean {
    const length = headers['content-length'];
    const type = headers['content-type'];
    return (
      // The framework ignores the body of a GET. A GET without one can be dispatched before the parser calls it complete.
      (method === 'GET' ? length === undefined : complete) &&
      url.length <= FAST_CALLS.maxAddressLength &&
      (length === undefined || Number(length) <= this.maxBytes) &&
      (type === undefined || PLAIN_TYPE.test(type)) &&
      headers['content-encoding'] === undefined &&
      headers['transfer-encoding'] === undefined &&
      headers.expect === undefined
    );
  }

  private sendAnswer(exchange: AdapterExchange, { status, fields, body, caller }: SmallAnswer): void {
    if (typeof body !== 'string' && !Buffer.isBuffer(body))
      return void this.sendPieces(exchange, { status, fields, body, caller });
    const { answers } = this.parts;
    if (answers.admitBytes(caller?.userId ?? NOBODY, { body }, body.length, exchange.response))
      return this.sendCompleteBody(exchange, status, fields, body, caller);
    const refused = toRefusalAnswer(BUSY, { scope: null, isReceived: true });
    this.sendCompleteBody(exchange, refused.status, refused.fields, JSON.stringify(refused.body), caller);
  }

  /** Sends an answer whose whole body is known, with its length, and reports it. */
  private sendCompleteBody(
    exchange: AdapterExchange,
    status: number,
    fields: HeaderFields,
    body: string | Buffer,
    caller: Caller | null,
  ): void {
    const { response, id } = exchange;
    const length = Buffer.byteLength(body);
    const extra = [...fields, 'content-length', String(length)];
    response.writeHead(status, this.parts.headers.listAdapterHeaders(id, extra));
    response.end(body, length === body.length ? 'latin1' : 'utf8', (error?: Error | null) => {
      if (!error) this.reportAnswered(exchange, status, caller);
    });
  }

  /** Sends an answer whose body is generated while it is sent. */
  private async sendPieces(
    exchange: AdapterExchange,
    { status, fields, body, caller }: SmallAnswer & { readonly body: AsyncIterable<Buffer> },
  ): Promise<void> {
    const { response, id } = exchange;
    response.writeHead(status, this.parts.headers.listAdapterHeaders(id, fields));
    try {
      await pipeline(Readable.from(body, { objectMode: false }), response);
      this.reportAnswered(exchange, status, caller);
    } catch (error) {
      // The status is sent already. The pipeline has closed the connection, so that the client sees the failure.
      const isGone = (error as { readonly code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE';
      if (!isGone) toFailureAnswer(error as Error, { id, log: this.parts.logger });
    }
  }

  /** Reports an answered request for the log and the metrics. */
  private reportAnswered({ response, id, start }: AdapterExchange, status: number, caller: Caller | null): void {
    const { adapter, origins, onAnswered } = this.parts;
    const { req: request } = response;
    const { route } = adapter;
    onAnswered(toDirectRequestLine({ request, requestId: id, route, status, start, caller, document: null }, origins));
  }
}
