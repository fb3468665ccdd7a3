import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/callers.ts';
import { MAX_LOGGED_PATH_LENGTH } from '../../limits/http.ts';
import type { RequestOrigins } from './request-id.ts';

/** What the log and the metrics say of a request. */
export interface RequestLine {
  readonly requestId: string;
  /** Of a trusted proxy's `traceparent`. */
  readonly traceId: string | null;
  readonly method: string;
  /** The route's pattern: real addresses can hold what users wrote. Null where there is no route. */
  readonly route: string | null;
  /** The path as it came, without its query; null where there is a route. */
  readonly path: string | null;
  readonly status: number;
  /** From the request's header to the end of its answer, in milliseconds. */
  readonly ms: number;
  /** The client's. */
  readonly address: string;
  /** The caller's user id; null for an unknown caller. */
  readonly user: number | null;
  /** The name of the caller's token; null for sessions and unknown callers. */
  readonly token: string | null;
  /** The id of the path's document. */
  readonly document: string | null;
}

export type WriteRequestLine = (line: RequestLine) => void;

const HEALTH_ROUTES: ReadonlySet<string | null> = new Set(['/healthz', '/readyz']);

/** Balancers ask every second: lines of these requests would hide the others. */
export function isHealthCheck({ route }: RequestLine): boolean {
  return HEALTH_ROUTES.has(route);
}

/** Who asked for which document, as far as it is known. */
export function subjectOf(
  caller: Caller | null,
  document: string | null,
): Pick<RequestLine, 'user' | 'token' | 'document'> {
  const token = caller?.principal.kind === 'token' ? caller.principal.name : null;
  return { user: caller?.userId ?? null, token, document: documentIdOf(document) };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a path names as its document, if it has the form of an id. */
function documentIdOf(text: string | null): string | null {
  const id = text?.toLowerCase() ?? '';
  return UUID.test(id) ? id : null;
}

/** The path of a request for which there is no route. */
export function loggedPath({ url = '' }: IncomingMessage): string {
  return (url.split('?', 1)[0] ?? '').slice(0, MAX_LOGGED_PATH_LENGTH);
}

export function requestLine(request: FastifyRequest, reply: FastifyReply, origins: RequestOrigins): RequestLine {
  const route = request.routeOptions.url ?? null;
  const document = (request.params as Partial<Record<string, string>> | null)?.['document'] ?? null;
  return {
    requestId: request.id,
    traceId: origins.traceId(request.raw),
    method: request.method,
    route,
    path: route === null ? loggedPath(request.raw) : null,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    address: origins.address(request.raw),
    ...subjectOf(request.admitted?.caller ?? request.knownCaller, document),
  };
}
