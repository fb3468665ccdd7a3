import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { mapMaybe } from '@cellwire/event-loop';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_BUFFERED_CHARACTERS } from '../limits/http.ts';
import type { AnswerContent, EventsAnswer, FileAnswer, OperationAnswer, TaggedAnswer } from '../operations/answer.ts';
import { LINES_TYPE } from '../operations/schemas/content-types.ts';
import { BUSY, isRefusal, type Refusal } from '../service/refusal.ts';
import { includesTag } from '../service/tags.ts';
import { packBody } from './answer-body.ts';
import { type Api, requireCaller, requireDocumentAccess, type StreamCount } from './api.ts';
import { sendPackedBody, sendParts } from './envelope.ts';
import { sendRefusal } from './errors.ts';
import { createAnswerKey } from './fast-path/answer-cache.ts';
import { JSON_TYPE, REVALIDATE } from './response-headers.ts';
import { EventStreams } from './streams/event-streams.ts';
import { sendLines } from './streams/ndjson-stream.ts';
import { createFileStream, streamPieces } from './streams/stream.ts';
import { sendReply } from './write-reply.ts';

type SentReply = FastifyReply | Promise<FastifyReply>;

/** Delay before a client reconnects after its connection broke, in milliseconds. */
const RECONNECT_MS = 2_000;
const TOO_MANY_STREAMS: Refusal = { kind: 'refusal', reason: 'rateLimited', retryAfter: 5 };

/** Sends the answers of operations. The only place where an answer becomes HTTP. */
export class AnswerSender {
  private readonly api: Api;
  private readonly streams: EventStreams;

  /** `count`: counts the open streams of all entry points. */
  constructor(api: Api, count: StreamCount) {
    this.api = api;
    this.streams = new EventStreams({ ...api, count });
  }

  /** Ends all open streams. */
  endStreams(): void {
    this.streams.endStreams();
  }

  sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: OperationAnswer | Refusal): SentReply {
    switch (answer.kind) {
      case 'refusal':
      case 'reply':
        return sendReply(this.api, request, reply, answer);
      case 'tagged':
        return this.sendTagged(request, reply, answer);
      case 'file':
        return this.sendFile(request, reply, answer);
      case 'events':
        return this.sendEvents(request, reply, answer);
      default:
        return this.sendContent(request, reply, answer);
    }
  }

  /** Sends content with its ETag, or 304 if the caller already has this content. */
  private sendTagged(request: FastifyRequest, reply: FastifyReply, answer: TaggedAnswer): SentReply {
    const { heldTag, cacheKey, revision, hasForms = false } = answer;
    if (revision !== undefined && isSessionRequest(request)) reply.header('x-revision', revision);
    return mapMaybe(heldTag ?? null, (found) => {
      // The URL contains all parameters of the request, and looking it up costs less than looking up its parts.
      const key = cacheKey === undefined ? null : createAnswerKey(cacheKey(), request.url);
      const cachedAnswer = key === null ? null : request.server.answerCache.findAnswer(key);
      const tag = cachedAnswer?.etag ?? (typeof answer.tag === 'string' ? answer.tag : answer.tag());
      reply.header('etag', found ?? tag).header('cache-control', REVALIDATE);
      if (hasForms) reply.header('vary', 'accept');
      const isHeld = heldTag === undefined ? includesTag(request.headers['if-none-match'], tag) : found !== null;
      if (isHeld) return reply.code(304).send();
      if (cachedAnswer !== null) return sendPackedBody(request, reply, cachedAnswer.body);
      return mapMaybe(answer.content(), (content) => {
        if (key !== null && content.kind === 'parts') {
          const body = packBody(content.parts);
          request.server.answerCache.keepAnswer(key, { etag: tag, body });
          return sendPackedBody(request, reply, body);
        }
        return isRefusal(content) ? sendRefusal(reply, content) : this.sendContent(request, reply, content);
      });
    });
  }

  /** Sends JSON, parts of JSON, NDJSON lines or any other form that an answer's content has. */
  private sendContent(request: FastifyRequest, reply: FastifyReply, content: AnswerContent): FastifyReply {
    switch (content.kind) {
      case 'json':
        return reply.send(content.body);
      case 'parts':
        return sendParts(request, reply, content.parts);
      case 'pieces':
        return reply.type(JSON_TYPE).send(streamPieces(this.api, request, reply, content.pieces));
      case 'lines':
        return sendLines(this.api, request, reply, content);
      case 'batchLines':
        return sendBatchLines(request, reply, content.lines);
    }
  }

  private async sendFile(request: FastifyRequest, reply: FastifyReply, answer: FileAnswer): Promise<FastifyReply> {
    const { file, tag, notes, report } = answer;
    const { files } = request.server;
    const size = file === null ? 0 : (await stat(file.path)).size;
    if (!files.reserveSpace(request, size, reply)) return sendRefusal(reply, BUSY);
    reply.header('etag', tag).header('cache-control', REVALIDATE);
    if (file === null) return reply.code(304).send();
    if (notes > 0) reply.header('cellwire-export-notes', notes);
    if (report !== null) return reply.send({ report });
    reply.header('content-type', file.contentType);
    reply.header('content-length', size).header('content-disposition', formatAttachment(file.name));
    return reply.send(createFileStream(this.api, request, reply, file.path));
  }

  private sendEvents(request: FastifyRequest, reply: FastifyReply, { from }: EventsAnswer): FastifyReply {
    if (!this.streams.canAddStream(requireCaller(request).userId)) return sendRefusal(reply, TOO_MANY_STREAMS);
    reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return reply.send();
    reply.hijack();
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    reply.raw.write(`retry: ${RECONNECT_MS}\n\n`);
    this.streams.addStream(reply.raw, this.api.readCredentials(request), requireDocumentAccess(request), from);
    return reply;
  }
}

/** True if the caller is a user signed in to the console, not a token. */
function isSessionRequest(request: FastifyRequest): boolean {
  return requireCaller(request).principal.kind === 'session';
}

/**
 * Some proxies, such as nginx, stop sending a request body when the answer begins. They use this header to get the
 * answer after the body.
 */
const ANSWER_FIELD = 'cellwire-answer';
const AFTER_BODY = 'after-body';

/** Sends the reply lines of an upload: as they appear, or after the body has been read if the request asks for that. */
function sendBatchLines(request: FastifyRequest, reply: FastifyReply, lines: AsyncIterable<string>): FastifyReply {
  request.server.answers.releaseReservation(reply.raw);
  reply.type(`${LINES_TYPE}; charset=utf-8`);
  const waitsForBody = request.headers[ANSWER_FIELD] === AFTER_BODY;
  return reply.send(Readable.from(waitsForBody ? joinLines(lines) : lines));
}

/** Joins lines to one text up to the limit; later lines follow as they arrive. */
async function* joinLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < MAX_BUFFERED_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

const NOT_PLAIN = /[^A-Za-z0-9._ -]/g;
/** Characters that RFC 8187 requires to be percent-encoded and `encodeURIComponent` does not encode. */
const UNENCODED_CHARACTERS = /['()*]/g;
/** Folder separators, which no file name may contain. */
const SEPARATORS = /[/\\]/g;

/** `Content-Disposition` according to RFC 6266: the name, and an ASCII fallback for old clients. */
function formatAttachment(title: string): string {
  const name = title.replace(SEPARATORS, '_');
  const encoded = encodeURIComponent(name).replace(
    UNENCODED_CHARACTERS,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}
