import type { Socket } from 'node:net';
import type { MaybePromise } from '@cellwire/event-loop';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access, DocumentAccess } from '../access/access.ts';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { LINES_RESERVE_BYTES } from '../limits/http.ts';
import type { Call, RecordLines, UploadedFile } from '../operations/call.ts';
import type { CallConditions } from '../operations/conditions.ts';
import type { ServiceContext } from '../service/context.ts';
import type { Refusal } from '../service/refusal.ts';
import { type Api, requireCaller, requireDocumentAccess } from './api.ts';
import { LineBody, readLineBatches } from './bodies/line-bodies.ts';
import { ReceivedFile } from './bodies/uploads.ts';
import { toCallConditions } from './call-conditions.ts';
import { readmitRequest, renewAccess } from './renew-access.ts';
import { acceptsLines } from './streams/ndjson-stream.ts';
import { createGoneSignal } from './streams/until-gone.ts';

/** A request as operations see it. Members are read from the request on access. */
export class HttpCall implements Call {
  private readonly api: Api;
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;
  private readonly prefix: string;

  /** `prefix`: path prefix of the API. */
  constructor(api: Api, request: FastifyRequest, reply: FastifyReply, prefix: string) {
    this.api = api;
    this.request = request;
    this.reply = reply;
    this.prefix = prefix;
  }

  get context(): ServiceContext {
    return this.api.context;
  }

  get access(): Access {
    return this.api.access;
  }

  get caller(): Caller {
    return requireCaller(this.request);
  }

  get document(): DocumentAccess {
    return requireDocumentAccess(this.request);
  }

  get conditions(): CallConditions {
    return toCallConditions(this.request);
  }

  get inputBytes(): number {
    return this.request.bodyBytes;
  }

  get ifNoneMatch(): string | null {
    return this.request.headers['if-none-match'] ?? null;
  }

  get lastEventId(): string | null {
    const { 'last-event-id': id } = this.request.headers;
    return typeof id === 'string' ? id : null;
  }

  get form(): 'json' | 'lines' {
    return acceptsLines(this.request.headers) ? 'lines' : 'json';
  }

  get query(): Readonly<Record<string, unknown>> {
    return this.request.query as Readonly<Record<string, unknown>>;
  }

  get lines(): RecordLines | null {
    const { body } = this.request;
    if (!(body instanceof LineBody)) return null;
    return { readBatches: (bounds) => readLineBatches(body, bounds, () => this.reserveLargeBatch(bounds.bytes)) };
  }

  /** Counts a body of unknown length for `bytes`. False if the memory for bodies is exhausted. */
  private reserveLargeBatch(bytes: number): boolean {
    const { headers, server } = this.request;
    if (headers['content-length'] !== undefined) return true;
    return server.bodies.admitBytes(this.caller.userId, {}, bytes - LINES_RESERVE_BYTES, this.reply.raw);
  }

  get file(): UploadedFile | null {
    const { body } = this.request;
    return body instanceof ReceivedFile ? body : null;
  }

  /** Checks again who the caller is, after rights have changed. */
  readonly renewCaller = async (): Promise<Caller | AccessRefusal> =>
    (await readmitRequest(this.api, this.request)) ?? requireCaller(this.request);

  /** Checks again what the caller may do in the document. */
  readonly renewDocument = (): Promise<DocumentAccess | AccessRefusal> => renewAccess(this.api, this.request);

  /**
   * Runs the generator in slices, in turns with the answers of other users. Refused if the client leaves or the answer
   * needs too much memory.
   */
  readonly runLongWork = <T>(begin: () => Generator<void, T>): MaybePromise<T | Refusal> => {
    const { longAnswers } = this.request.server;
    const { maxResponseBytes: maxBytes } = this.context.config.limits;
    return longAnswers.produceAnswer({ user: this.caller.userId, maxBytes, response: this.reply.raw }, begin);
  };

  createAbortSignal(): AbortSignal {
    return createGoneSignal(this.reply);
  }

  /** A path for a file that is deleted when the request has been answered. */
  createTemporaryFile(): Promise<string> {
    return this.request.server.files.createTransientPath(this.reply);
  }

  readonly formatDocumentUrl = (document: string): string => {
    const { protocol, host, socket } = this.request;
    const origin = this.context.config.publicUrl ?? `${protocol}://${host || formatLocalAddress(socket)}`;
    return `${origin}${this.prefix}/documents/${document}`;
  };
}

/** The local address of a connection, for HTTP/1.0 requests without a Host. */
function formatLocalAddress({ localAddress = '', localPort }: Socket): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
