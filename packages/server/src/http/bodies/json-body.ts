import { isUtf8 } from 'node:buffer';
import { type MaybePromise, runInSlices } from '@cellwire/event-loop';
import type { FastifyRequest } from 'fastify';
import type { ContentTypeParserDoneFunction } from 'fastify/types/content-type-parser.js';
import { JsonError, LongIntegerError, parseInPieces } from '../../operations/json/json-pieces.ts';
import { createLongIntegerRefusal } from '../../operations/json/long-integers.ts';
import type { Refusal } from '../../service/refusal.ts';

/** The request's body does not match its content type. Answered with 422 like any other invalid body. */
export class MalformedBody extends Error {
  readonly statusCode = 422;
}

/** The request's body is valid JSON, and is refused before its schema is checked. */
export class RefusedBody extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause: unknown) {
    super(refusal.reason, { cause });
    this.refusal = refusal;
  }
}

/** Smaller bodies are not freed explicitly. */
const MIN_FREED_BYTES = 64 * 1024;

/** The only supported `Content-Encoding`, RFC 9110 §12.5.3. */
const NOT_ENCODED = 'identity';

/**
 * Reads a JSON body. Invalid UTF-8 is refused rather than replaced, so that text is stored exactly as sent. An empty
 * body counts as no body, because many clients set a content type on DELETE without a body. `__proto__` becomes an
 * ordinary own property, and no code here copies properties by name.
 */
export function parseJsonBody(request: FastifyRequest, bytes: Buffer, done: ContentTypeParserDoneFunction): void {
  const fail = (error: unknown): void => done(toBodyError(error));
  let body: MaybePromise<unknown>;
  try {
    body = parseBodyValue(request, bytes);
  } catch (error) {
    return fail(error);
  }
  const finish = (value: unknown): void => {
    freeLargeBody(bytes);
    done(null, value);
  };
  // A short body is parsed synchronously.
  if (body instanceof Promise) body.then(finish, fail);
  else finish(body);
}

/**
 * Frees the memory of a parsed body. Memory outside of the heap that waits for a collection makes V8 collect its whole
 * heap more often.
 */
function freeLargeBody({ buffer, length }: Buffer<ArrayBufferLike>): void {
  // Small bodies share memory with others.
  if (length >= MIN_FREED_BYTES && buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** The error that makes the service answer an invalid body with 422. Any other error is returned unchanged. */
function toBodyError(error: unknown): Error {
  if (error instanceof LongIntegerError)
    return new RefusedBody(createLongIntegerRefusal(error.path, error.integer), error);
  return error instanceof JsonError ? new MalformedBody(error.message) : (error as Error);
}

/** Parses a JSON body in slices; undefined for an empty body. Throws a `MalformedBody` if it is not UTF-8. */
function parseBodyValue(request: FastifyRequest, bytes: Buffer): MaybePromise<unknown> {
  request.bodyBytes = bytes.length;
  if (bytes.length === 0) return undefined;
  checkEncoding(request);
  if (!isUtf8(bytes)) throw new MalformedBody('The body is not UTF-8');
  return runInSlices(parseInPieces(bytes));
}

/** Throws if a body is compressed. */
export function checkEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? NOT_ENCODED;
  if (encoding.trim().toLowerCase() !== NOT_ENCODED) throw new MalformedBody('The body must not be compressed');
}
