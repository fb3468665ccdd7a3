import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { PREFLIGHT_SECONDS } from '../limits/http.ts';

const ANY_ORIGIN = '*';
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
/** Request headers that the API accepts, in addition to headers that every page may send. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'X-Request-Id',
].join(', ');
/** Response headers that scripts may read, in addition to headers that every script may read. */
const ANSWER_HEADERS = [
  'Cellwire-Export-Notes',
  'Cellwire-Proposed',
  'Content-Disposition',
  'ETag',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'X-Revision',
].join(', ');

/** Paths of the endpoint for agents and of its metadata. */
const FOR_AGENTS = /^\/(?:mcp|\.well-known\/oauth-protected-resource\/mcp)(?:\?|$)/;

/** The `Vary` header of every answer of the API; null: no answer depends on the origin. */
export function chooseVaryHeader(origins: readonly string[]): 'Origin' | null {
  return origins.length === 0 || origins.includes(ANY_ORIGIN) ? null : 'Origin';
}

/**
 * Lets scripts of other sites use the API below `prefix` and the endpoint for agents (CORS, see the Fetch standard). They send their own token.
 * Browsers are never allowed to attach credentials, so `*` discloses nothing.
 */
export function createCorsHook(origins: readonly string[], prefix: string) {
  const isAny = origins.includes(ANY_ORIGIN);
  const vary = chooseVaryHeader(origins);
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (!request.url.startsWith(`${prefix}/`) && !FOR_AGENTS.test(request.url)) return done();
    if (vary !== null) reply.header('vary', vary);
    const { origin, 'access-control-request-method': requestedMethod } = request.headers;
    if (origin === undefined || !(isAny || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', isAny ? ANY_ORIGIN : origin);
    if (request.method !== 'OPTIONS' || requestedMethod === undefined) {
      reply.header('access-control-expose-headers', ANSWER_HEADERS);
      return done();
    }
    reply.header('access-control-allow-methods', METHODS).header('access-control-allow-headers', REQUEST_HEADERS);
    void reply.header('access-control-max-age', PREFLIGHT_SECONDS).code(204).send();
  };
}
