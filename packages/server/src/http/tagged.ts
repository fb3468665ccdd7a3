import type { FastifyReply, FastifyRequest } from 'fastify';
import { holdsTag } from './envelope.ts';

/** Answers with what a tag names, or that the caller has it already (304). */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  tag: string,
  body: () => unknown,
): FastifyReply {
  reply.header('etag', tag).header('cache-control', 'private, no-cache');
  return holdsTag(request.headers['if-none-match'], tag) ? reply.code(304).send() : reply.send(body());
}
