import type { FastifyReply, FastifyRequest } from 'fastify';

/** What the log and the metrics say of a request. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern: real addresses can hold what users wrote. Null where there is no route. */
  readonly route: string | null;
  readonly status: number;
  /** From the request's header to the end of its answer, in milliseconds. */
  readonly ms: number;
}

export type WriteRequestLine = (line: RequestLine) => void;

const HEALTH_ROUTES: ReadonlySet<string | null> = new Set(['/healthz', '/readyz']);

/** Balancers ask every second: lines of these requests would hide the others. */
export function isHealthCheck({ route }: RequestLine): boolean {
  return HEALTH_ROUTES.has(route);
}

export function requestLine(request: FastifyRequest, reply: FastifyReply): RequestLine {
  return {
    requestId: request.id,
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    ms: reply.elapsedTime,
  };
}
