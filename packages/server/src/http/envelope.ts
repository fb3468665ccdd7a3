import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANSWER_PIECE_BYTES, RESPONSE_CACHE_BYTES } from '../limits/http.ts';
import type { JsonPart } from '../operations/answer.ts';
import { BUSY } from '../service/refusal.ts';
import { type Api, callerOf, pathText } from './api.ts';
import { sendRefusal } from './errors.ts';
import type { CachedAnswer } from './fast-path/answer-cache.ts';
import { JSON_TYPE } from './response-headers.ts';

/** Bodies up to this size are sent as text. Counted in bytes, and for text parts in UTF-16 code units. */
const TEXT_SIZE = 2 * 1024;
/** Bodies up to this size, in bytes, are joined, because copying costs less than sending parts. */
const JOINED_BYTES = 16 * 1024;

/** Decodes bytes exactly, without removing a byte order mark. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });

/** A short body as text; null for a longer one. */
function asText(body: readonly JsonPart[]): string | null {
  let size = 0;
  for (const part of body) {
    size += part.length;
    if (size > TEXT_SIZE) return null;
  }
  let text = '';
  for (const part of body) text += typeof part === 'string' ? part : DECODER.decode(part);
  return text;
}

/**
 * Sends a body in parts directly to the raw response, because all headers are known. Large parts are passed to the
 * socket without a copy, which would cost more than the rest of a read.
 */
export function sendParts(request: FastifyRequest, reply: FastifyReply, body: readonly JsonPart[]): FastifyReply {
  const { answers } = request.server;
  const { raw } = reply;
  answers.settle(raw);
  const short = asText(body);
  if (short !== null) return sendText(reply, short);
  const parts = joinedIfShort(body.map(bytesOf));
  const length = lengthOf(parts);
  const user = callerOf(request).userId;
  if (!parts.every((part) => answers.enter(user, part, part.length, raw))) return sendRefusal(reply, BUSY);
  sendHead(reply, length);
  if (length > ANSWER_PIECE_BYTES) void writePieces(raw, parts);
  else {
    raw.cork();
    for (const part of parts) raw.write(part);
    raw.end();
  }
  return reply;
}

/** Sends headers and text in one write, which is faster if each character is one byte. */
function sendText(reply: FastifyReply, text: string): FastifyReply {
  const length = Buffer.byteLength(text);
  sendHead(reply, length);
  reply.raw.end(text, length === text.length ? 'latin1' : 'utf8');
  return reply;
}

function sendHead(reply: FastifyReply, length: number): void {
  reply.header('content-type', JSON_TYPE).header('content-length', length);
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
}

function joinedIfShort(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  return parts.length > 1 && lengthOf(parts) <= JOINED_BYTES ? [Buffer.concat(parts)] : parts;
}

function lengthOf(parts: readonly JsonPart[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/** Sends a body, and caches it if it is short. */
export function sendAndKeep(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  { key, etag }: { readonly key: string; readonly etag: string },
  body: readonly JsonPart[],
): FastifyReply {
  if (lengthOf(body) > RESPONSE_CACHE_BYTES.perAnswer) return sendParts(request, reply, body);
  const text = asText(body);
  const isBytes = text === null || Buffer.byteLength(text) > text.length;
  const kept = { etag, body: isBytes ? Buffer.concat(body.map(bytesOf)) : text };
  request.server.answerCache.keep(key, kept);
  return sendKept(api, request, reply, kept);
}

/** Sends a cached body, and lets the fast path answer the same request next time. */
export function sendKept(api: Api, request: FastifyRequest, reply: FastifyReply, { body }: CachedAnswer): FastifyReply {
  const { url: route = '', config } = request.routeOptions;
  const { needs } = config;
  if (needs !== undefined)
    api.fastPath?.learn(request.raw, { documentId: pathText(request, 'document'), needs, route });
  return sendParts(request, reply, [body]);
}

function bytesOf(part: JsonPart): Uint8Array {
  return typeof part === 'string' ? Buffer.from(part) : part;
}

/** Waits for the reader between two pieces, so that its progress can be observed. */
async function writePieces(raw: ServerResponse, parts: readonly Uint8Array[]): Promise<void> {
  for (const part of parts) {
    for (let from = 0; from < part.length; from += ANSWER_PIECE_BYTES) {
      if (raw.destroyed) return;
      if (raw.write(part.subarray(from, from + ANSWER_PIECE_BYTES))) continue;
      const { promise, resolve } = Promise.withResolvers<void>();
      raw.once('drain', resolve).once('close', resolve);
      await promise;
      raw.off('drain', resolve).off('close', resolve);
    }
  }
  raw.end();
}
