import type { ServerOptions } from 'node:http';
import { jsonText } from '@cellwire/engine';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import Fastify, { LogController } from 'fastify';
import { Registry } from 'prom-client';
import {
  ANSWER_CAPACITY_BYTES,
  BODY_CAPACITY_BYTES,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_MS,
  LINES_RESERVE_BYTES,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_PATH_SEGMENT_LENGTH,
  REQUEST_TIMEOUT_MS,
  TIMEOUT_SWEEP_MS,
} from '../limits/http.ts';
import { OPERATIONS } from '../operations/registry.ts';
import { LINES_TYPE } from '../operations/schemas/content-types.ts';
import { BUSY, toHttpAnswer } from '../service/refusal.ts';
import type { Api, ApiParts, App } from './api.ts';
import { parseJsonBody } from './bodies/json-body.ts';
import { MemoryBudget } from './bodies/memory-budget.ts';
import { parseQuery } from './bodies/query.ts';
import { refuseUnknownInput } from './bodies/unknown-input.ts';
import { TransientFiles } from './bodies/uploads.ts';
import { compileValidator } from './bodies/validation.ts';
import { readPreconditions } from './call-conditions.ts';
import { DirectConnections } from './connections/direct-connections.ts';
import { Drain } from './connections/drain.ts';
import { endStalledReaders } from './connections/stalled-readers.ts';
import { ConsoleBuild } from './console/build.ts';
import { addConsole } from './console/console.ts';
import { addPageRoutes } from './console/pages.ts';
import { chooseVaryHeader, createCorsHook } from './cors.ts';
import { addShedHeaders, sendError, sendRefusal } from './errors.ts';
import { AdapterRequests, type FastAdapter } from './fast-path/adapter-requests.ts';
import { AnswerCache } from './fast-path/answer-cache.ts';
import { AuthorizationCache } from './fast-path/authorization-cache.ts';
import { FastCalls } from './fast-path/fast-calls.ts';
import { FastPath } from './fast-path/fast-path.ts';
import { createFastPathServer } from './fast-path/fast-path-server.ts';
import { FastReads } from './fast-path/fast-reads.ts';
import { createBodyGateHook, createGateHook } from './gate-hook.ts';
import { addMcpRoutes } from './mcp-routes.ts';
import { addHealthRoutes } from './monitoring/health-routes.ts';
import { createMetrics } from './monitoring/metrics.ts';
import { logFailure } from './monitoring/operator-conditions.ts';
import { RequestOrigins } from './monitoring/request-id.ts';
import { isHealthCheck, toRequestLine, type WriteRequestLine } from './monitoring/request-log.ts';
import { describeApi } from './openapi/openapi.ts';
import { addOperationRoutes } from './operation-routes.ts';
import { readRequestCredentials } from './request-credentials.ts';
import { addReservedRoutes } from './reserved-routes.ts';
import { ResponseHeaders } from './response-headers.ts';
import { LongAnswers } from './streams/long-answers.ts';

const API_PREFIX = '/api/v1';

const JSON_CONTENT = /^application\/(?:[\w.-]+\+)?json(?:\s*;|$)/i;

interface HttpOptions {
  readonly parts: ApiParts;
  readonly logger: FastifyBaseLogger;
  readonly writeRequestLine: WriteRequestLine;
  /** Adds routes of other adapters under their own paths. */
  readonly mounts?: readonly ((app: App) => void)[];
  /** Answers small requests of another adapter without the framework. */
  readonly fastAdapter?: FastAdapter;
  /** Metrics of other parts, exposed together with the metrics of HTTP. */
  readonly registry?: Registry;
}

/** Creates the HTTP server, ready to listen. */
export async function createHttpServer(options: HttpOptions): Promise<App> {
  const { parts, logger, writeRequestLine, mounts = [], fastAdapter, registry = new Registry() } = options;
  const metrics = createMetrics(registry, (name, error) =>
    logFailure(logger, error, { metric: name }, 'a figure failed'),
  );
  const onAnswered: WriteRequestLine = (line) => {
    metrics.countRequest(line);
    if (isHealthCheck(line)) logger.debug(line, 'request');
    else writeRequestLine(line);
  };
  const { allowedOrigins } = parts.context.config;
  const answerCache = new AnswerCache();
  const isSecure = parts.context.config.publicUrl?.startsWith('https:') ?? false;
  const headers = new ResponseHeaders({ isSecure, vary: chooseVaryHeader(allowedOrigins) });
  const answers = new MemoryBudget(ANSWER_CAPACITY_BYTES);
  const origins = new RequestOrigins(parts.context.config.trustedProxies);
  const authorizations = new AuthorizationCache(parts.gate);
  const longAnswers = new LongAnswers(answers);
  const sending = { origins, headers, answers, logger, onAnswered };
  const onFastPath = { ...parts, ...sending, authorizations, longAnswers, prefix: API_PREFIX };
  const reads = new FastReads({ ...onFastPath, answerCache });
  const calls = new FastCalls(onFastPath);
  const { maxBodyBytes } = parts.context.config.limits;
  const adapted =
    fastAdapter === undefined ? null : new AdapterRequests({ ...sending, adapter: fastAdapter, maxBodyBytes });
  const fastPath = new FastPath({ origins, authorizations, reads, calls, adapted, headers, onAnswered });
  const api: Api = { ...parts, readCredentials: ({ raw }) => readRequestCredentials(raw), fastPath };
  const direct = new DirectConnections();
  const app = createApp(parts, { fastPath, authorizations, direct, origins, headers, logger });
  app.addHook('preClose', async () => {
    fastPath.close();
    direct.stop();
  });
  app.decorate('drain', new Drain(app.server, () => direct.stop()));
  app.decorate('bodies', new MemoryBudget(BODY_CAPACITY_BYTES));
  app.decorate('answers', answers);
  app.decorate('longAnswers', longAnswers);
  const files = new TransientFiles();
  app.decorate('files', files);
  app.addHook('onClose', () => files.close());
  app.decorate('answerCache', answerCache);
  app.decorate('eventStreams', { open: 0 });
  app.decorate('metrics', metrics);
  app.decorateRequest('admitted', null);
  app.decorateRequest('knownCaller', null);
  app.decorateRequest('keyed', null);
  app.decorateRequest('preconditions', null);
  app.decorateRequest('bodyBytes', 0);
  app.decorateRequest('bytesAtGate', 0);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_CONTENT, { parseAs: 'buffer' }, parseJsonBody);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(() => (answer) => jsonText(answer));
  app.setErrorHandler(sendError);
  app.addHook('onRequest', (_request, reply, done) => {
    headers.setCommonHeaders(reply);
    done();
  });
  if (allowedOrigins.length > 0) app.addHook('onRequest', createCorsHook(allowedOrigins, API_PREFIX));
  app.addHook('preParsing', countBody);
  app.addHook('onSend', countAnswer);
  app.addHook('onResponse', (request, reply, done) => {
    onAnswered(toRequestLine(request, reply, origins));
    done();
  });
  // Registered before the OpenAPI description starts, so that it contains each route of the API once.
  await addConsole(app, parts, addApiRoutes);
  await describeApi(app);
  await app.register(async (scope) => addApiRoutes(scope as App, api), { prefix: API_PREFIX });
  for (const mount of mounts) mount(app);
  await app.register(async (scope) => addMcpRoutes(scope as App, api, API_PREFIX));
  addHealthRoutes(app, api, metrics, app.drain);
  addPageRoutes(app, new ConsoleBuild());
  await app.ready();
  return app;
}

const CONNECTIONS: ServerOptions = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
  connectionsCheckingInterval: TIMEOUT_SWEEP_MS,
};

interface AppParts {
  readonly fastPath: FastPath;
  readonly authorizations: AuthorizationCache;
  readonly direct: DirectConnections;
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
  readonly logger: FastifyBaseLogger;
}

function createApp({ context }: ApiParts, parts: AppParts): App {
  const { origins, headers, logger } = parts;
  const app = Fastify({
    loggerInstance: createSharedLogger(logger),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (raw) => origins.chooseRequestId(raw),
    trustProxy: [...context.config.trustedProxies],
    bodyLimit: context.config.limits.maxBodyBytes,
    serverFactory: (handler) => createFastPathServer(CONNECTIONS, parts, handler),
    // The fast path answers requests that arrive while the service stops.
    return503OnClosing: false,
    // The server's own listener answers these errors.
    clientErrorHandler: () => {},
    forceCloseConnections: 'idle',
    // Errors before routing, where no hook runs.
    frameworkErrors: (error, request, reply) => {
      headers.setCommonHeaders(reply);
      sendError(error, request, reply);
    },
    routerOptions: { maxParamLength: MAX_PATH_SEGMENT_LENGTH, querystringParser: parseQuery },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = MAX_CONNECTIONS;
  endStalledReaders(app.server);
  return app;
}

/** One logger for all requests. A logger for each request costs more than its log line. */
function createSharedLogger(logger: FastifyBaseLogger): FastifyBaseLogger {
  const shared = logger.child({});
  shared.child = () => shared;
  return shared;
}

async function addApiRoutes(app: App, api: Api): Promise<void> {
  app.addHook('onRequest', createGateHook(api));
  app.addHook('preValidation', createBodyGateHook(api));
  app.addHook('preHandler', readPreconditions);
  addReservedRoutes(app);
  refuseUnknownInput(app);
  await addOperationRoutes(app, api, OPERATIONS);
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => reply.send(app.swagger()));
}

/**
 * Counts a body before it arrives, by its declared length. Otherwise many slow or waiting bodies would hold what has
 * arrived of them. A refused body is read to its end and dropped.
 */
function countBody(request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: () => void): void {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type } = request.headers;
  const limit = request.routeOptions.bodyLimit ?? Number.POSITIVE_INFINITY;
  const isLines = type?.split(';', 1)[0]?.trim() === LINES_TYPE;
  const most = length === undefined && isLines ? Math.min(limit, LINES_RESERVE_BYTES) : limit;
  const bytes = length === undefined ? (encoding === undefined ? 0 : most) : Math.min(Number(length), most);
  const user = request.admitted?.caller.userId ?? NOBODY;
  if (request.server.bodies.admitBytes(user, request, bytes, reply.raw)) done();
  else void sendRefusal(reply, BUSY);
}

/** Counts answers that are text or bytes. Answers with cells are counted where they are sent. */
function countAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const bytes = typeof payload === 'string' ? payload.length : payload instanceof Uint8Array ? payload.length : 0;
  const user = request.admitted?.caller.userId ?? NOBODY;
  if (request.server.answers.admitBytes(user, { payload }, bytes, reply.raw)) return done(null, payload);
  addShedHeaders(reply.removeHeader('content-length')).code(503);
  done(null, JSON.stringify({ message: toHttpAnswer(BUSY).message }));
}

/** Common id of all callers without a token. */
const NOBODY = 0;
