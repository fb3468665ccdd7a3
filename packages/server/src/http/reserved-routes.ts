import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from './api.ts';
import { sendNotFound } from './errors.ts';

/** Last segments of addresses of values that are no range. */
export const RESERVED_SEGMENTS = ['batchGet', 'batchUpdate', 'append', 'clear'] as const;

const VALUES = '/documents/:document/values';

/**
 * Static segments win over a range, also for methods that they do not have: a sheet that is called `append` is reached as
 * `'append'`.
 */
export function addReservedRoutes(app: App): void {
  const notFound = async (request: FastifyRequest, reply: FastifyReply) => sendNotFound(request, reply);
  const hide = { schema: { hide: true } };
  for (const segment of RESERVED_SEGMENTS) {
    if (segment !== 'batchGet') app.get(`${VALUES}/${segment}`, hide, notFound);
    app.put(`${VALUES}/${segment}`, hide, notFound);
  }
}
