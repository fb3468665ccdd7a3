import type { FastifyReply, FastifyRequest } from 'fastify';
import { OPERATIONS } from '../operations/registry.ts';
import type { App } from './api.ts';
import { sendNotFound } from './errors.ts';
import { toRoutePattern } from './operation-routes.ts';

/** The path of operations on values, in the notation of operations. A range follows, or a fixed segment. */
const VALUES = '/documents/{document}/values/';

/** Operations on values whose last path segment is fixed. */
const FIXED = OPERATIONS.filter(({ http: { path } }) => path.startsWith(VALUES) && !path.endsWith('}'));

/** Path segments after `values` that are not ranges. */
export const RESERVED_SEGMENTS: readonly string[] = [
  ...new Set(FIXED.map(({ http }) => http.path.slice(VALUES.length))),
];

/**
 * Reserves fixed path segments, such as `append`, where a range could stand, also for methods without a route. A sheet
 * named `append` is addressed as `'append'`.
 */
export function addReservedRoutes(app: App): void {
  const notFound = async (request: FastifyRequest, reply: FastifyReply) => sendNotFound(request, reply);
  const hide = { schema: { hide: true } };
  for (const segment of RESERVED_SEGMENTS) {
    const path = VALUES + segment;
    // The methods of operations on ranges.
    for (const method of ['GET', 'PUT'] as const) {
      const isTaken = FIXED.some(({ http }) => http.path === path && http.method === method);
      if (!isTaken) app.route({ method, url: toRoutePattern(path), ...hide, handler: notFound });
    }
  }
}
