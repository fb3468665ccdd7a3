import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/callers.ts';
import { MAX_LOGGED_PATH_LENGTH } from '../../limits/http.ts';
import type { HttpRequest } from '../http-exchange.ts';
import type { RequestOrigins } from './request-id.ts';

/** Properties of a request for the log and the metrics. */
export interface RequestLine {
  readonly requestId: string;
  /** From a trusted proxy's `traceparent`. */
  readonly traceId: string | null;
  readonly method: string;
  /** The route's pattern, because real URLs can contain user data. Null if there is no route. */
  readonly route: string | null;
  /** The path as received, without its query; null if there is a route. */
  readonly path: string | null;
  readonly status: number;
  /** From the request's header to the end of its answer, in milliseconds. */
  readonly ms: number;
  /** The client's address. */
  readonly address: string;
  /** The caller's user id; null for an unknown caller. */
  readonly user: number | null;
  /** The name of the caller's token; null for sessions and unknown callers. */
  readonly token: string | null;
  /** The id of the document in the path. */
  readonly document: string | null;
}

export type WriteRequestLine = (line: RequestLine) => void;

const HEALTH_ROUTES: ReadonlySet<string | null> = new Set(['/healthz', '/readyz']);

/**
 * True for a health check. Load balancers send these requests every second, and their log lines would hide the others.
 */
export function isHealthCheck({ route }: RequestLine): boolean {
  return HEALTH_ROUTES.has(route);
}

/** The user, token and document of a request, if known. */
function describeSubject(
  caller: Caller | null,
  document: string | null,
): Pick<RequestLine, 'user' | 'token' | 'document'> {
  const token = caller?.principal.kind === 'token' ? caller.principal.name : null;
  return { user: caller?.userId ?? null, token, document };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The document id in a path, if it has the form of an id. */
function parseDocumentId(text: string | null): string | null {
  const id = text?.toLowerCase() ?? '';
  return UUID.test(id) ? id : null;
}

/** The path of a request without a route. */
function formatLoggedPath({ url = '' }: HttpRequest): string {
  return (url.split('?', 1)[0] ?? '').slice(0, MAX_LOGGED_PATH_LENGTH);
}

/** The line of a request that the framework answered. */
export function toRequestLine(request: FastifyRequest, reply: FastifyReply, origins: RequestOrigins): RequestLine {
  const route = request.routeOptions.url ?? null;
  const document = (request.params as Partial<Record<string, string>> | null)?.['document'] ?? null;
  return {
    requestId: request.id,
    traceId: origins.readTraceId(request.raw),
    method: request.method,
    route,
    path: route === null ? formatLoggedPath(request.raw) : null,
    status: reply.statusCode,
    ms: reply.elapsedTime,
    address: origins.findClientAddress(request.raw),
    ...describeSubject(request.admitted?.caller ?? request.knownCaller, parseDocumentId(document)),
  };
}

/** A request that was answered without the framework. */
interface DirectExchange {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** See `RequestLine`. */
  readonly route: string | null;
  readonly status: number;
  /** When its header was read; the time of `performance.now`. */
  readonly start: number;
  /** Null: unknown. */
  readonly caller: Caller | null;
  /** The id of the document in the path; null: none. */
  readonly document: string | null;
}

/** The line of a request that was answered without the framework. */
export function toDirectRequestLine(
  { request, requestId, route, status, start, caller, document }: DirectExchange,
  origins: RequestOrigins,
): RequestLine {
  return {
    requestId,
    traceId: origins.readTraceId(request),
    method: request.method ?? '',
    route,
    path: route === null ? formatLoggedPath(request) : null,
    status,
    ms: performance.now() - start,
    address: origins.findClientAddress(request),
    ...describeSubject(caller, document),
  };
}
