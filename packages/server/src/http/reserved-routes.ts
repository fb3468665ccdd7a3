import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './api.ts';
import { sendNotFound } from './errors.ts';

/** Path segments after `values` that are not ranges. */
export const RESERVED_SEGMENTS = ['batchGet', 'batchUpdate', 'append', 'clear'] as const;

const VALUES = '/documents/:document/values';

/**
 * Static segments take precedence over a range, also for methods without a route. A sheet named `append` is addressed
 * as `'append'`.
 */
export function addReservedRoutes(app: App): void {
  const notFound = async (request: FastifyRequest, reply: FastifyReply) => sendNotFound(request, reply);
  const hide = { schema: { hide: true } };
  for (const segment of RESERVED_SEGMENTS) {
    if (segment !== 'batchGet') app.get(`${VALUES}/${segment}`, hide, notFound);
    app.put(`${VALUES}/${segment}`, hide, notFound);
  }
}
