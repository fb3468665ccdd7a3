import type { FastifyRequest } from 'fastify';
import type { ContentTypeParserDoneFunction } from 'fastify/types/content-type-parser.js';
import { LongIntegerError } from '../../operations/json/json-pieces.ts';
import { createLongIntegerRefusal } from '../../operations/json/long-integers.ts';
import type { Refusal } from '../../service/refusal.ts';
import { parseJsonBody, RefusedBody } from './json-body.ts';

/** The JSON-RPC messages of an agent's request. */
export class McpBody {
  readonly messages: unknown;
  /** The reason why every call in the messages is refused; null: they are not refused. */
  readonly refusal: Refusal | null;

  constructor(messages: unknown, refusal: Refusal | null) {
    this.messages = messages;
    this.refusal = refusal;
  }
}

/**
 * Reads JSON-RPC messages like any other JSON body. An argument with an integer that cannot be stored exactly refuses
 * the call and not the body, because the answer to a call needs the id of its message.
 */
export function parseMcpBody(request: FastifyRequest, bytes: Buffer, done: ContentTypeParserDoneFunction): void {
  parseJsonBody(request, bytes, (error, messages) => {
    if (error === null) return done(null, new McpBody(messages, null));
    const refused = error instanceof RefusedBody ? findRefusedArgument(error.cause) : null;
    if (refused === null) done(error);
    else done(null, refused);
  });
}

/** The body with a refusal of the tool's argument whose integer is too long for JSON numbers; null for other errors. */
function findRefusedArgument(cause: unknown): McpBody | null {
  if (!(cause instanceof LongIntegerError)) return null;
  const { path, integer, rounded } = cause;
  const at = path.indexOf('arguments');
  return at === -1 ? null : new McpBody(rounded, createLongIntegerRefusal(path.slice(at + 1), integer));
}
