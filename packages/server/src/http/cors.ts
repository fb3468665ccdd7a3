import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { PREFLIGHT_SECONDS } from '../limits/http.ts';

const ANY_ORIGIN = '*';
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
/** Headers that requests of the API may have, beside those that every page may send. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'X-Request-Id',
].join(', ');
/** Headers of answers that scripts may read, beside those that every script may. */
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

/** Of every answer of the API; null: none differs by who asks. */
export function varyOf(origins: readonly string[]): 'Origin' | null {
  return origins.length === 0 || origins.includes(ANY_ORIGIN) ? null : 'Origin';
}

/**
 * Lets scripts of other sites' pages use the API below `prefix`, as the Fetch standard has it (CORS). They bring their own
 * token: nothing that a browser holds is ever let along with a request, so `*` gives away nothing.
 */
export function corsHook(origins: readonly string[], prefix: string) {
  const isAny = origins.includes(ANY_ORIGIN);
  const vary = varyOf(origins);
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (!request.url.startsWith(`${prefix}/`)) return done();
    if (vary !== null) reply.header('vary', vary);
    const { origin, 'access-control-request-method': asked } = request.headers;
    if (origin === undefined || !(isAny || origins.includes(origin))) return done();
    reply.header('access-control-allow-origin', isAny ? ANY_ORIGIN : origin);
    if (request.method !== 'OPTIONS' || asked === undefined) {
      reply.header('access-control-expose-headers', ANSWER_HEADERS);
      return done();
    }
    reply.header('access-control-allow-methods', METHODS).header('access-control-allow-headers', REQUEST_HEADERS);
    void reply.header('access-control-max-age', PREFLIGHT_SECONDS).code(204).send();
  };
}
