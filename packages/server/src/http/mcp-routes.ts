import { Readable } from 'node:stream';
import { loadAtFirstUse, loadGradually } from '@cellwire/event-loop';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { SCOPES } from '../access/scopes.ts';
import { MAX_MCP_BODY_BYTES, MAX_MCP_MESSAGES } from '../limits/mcp.ts';
import type { createMcpEndpoint } from '../mcp/endpoint.ts';
import { describeRefusal } from '../mcp/results.ts';
import { isRefusal, type Refusal, toHttpAnswer } from '../service/refusal.ts';
import type { Api, App } from './api.ts';
import { MalformedBody, RefusedBody } from './bodies/json-body.ts';
import { McpBody, parseMcpBody } from './bodies/mcp-body.ts';
import { listOwnNames } from './console/console-guard.ts';
import { describeFailure, sendError, sendNotFound } from './errors.ts';
import { reportTokenOfRequest } from './gate-hook.ts';
import { logFailure } from './monitoring/operator-conditions.ts';
import { createGoneSignal } from './streams/until-gone.ts';

/** The protocol is 280 modules, which most services never use. */
const loadEndpoint = loadAtFirstUse(async () => {
  await loadGradually(new URL('../mcp/endpoint.ts', import.meta.url), {
    folder: new URL('../mcp/', import.meta.url),
    resolvePackage: (name) => (name.startsWith('@cellwire/') ? null : import.meta.resolve(name)),
  });
  return import('../mcp/endpoint.ts');
});

const MCP_PATH = '/mcp';
const MCP_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** Adds the MCP endpoint for agents. */
export function addMcpRoutes(app: App, api: Api, prefix: string): void {
  const { config } = api.context;
  let opened: ReturnType<typeof createMcpEndpoint> | null = null;
  const getEndpoint = async () => {
    const { createMcpEndpoint } = await loadEndpoint();
    opened ??= createMcpEndpoint(api, (error) => logFailure(app.log, error, {}, 'a request of an agent failed'));
    return opened;
  };
  app.addHook('preClose', async () => opened?.close());
  app.removeContentTypeParser(JSON_CONTENT);
  app.addContentTypeParser(JSON_CONTENT, { parseAs: 'buffer' }, parseMcpBody);
  const route = { schema: { hide: true } };
  app.get(MCP_METADATA_PATH, route, async (request, reply) => {
    if (!config.mcp.isOn) return sendNotFound(request, reply);
    return reply.send({
      resource: `${resolveServiceOrigin(api, request)}${MCP_PATH}`,
      bearer_methods_supported: ['header'],
      scopes_supported: [...SCOPES],
    });
  });
  const identifyCaller = async (request: FastifyRequest): Promise<Caller | AccessRefusal> => {
    const found = await api.access.identify(api.readCredentials(request));
    return isRefusal(found) ? found : { ...found, via: 'mcp', requestId: request.id };
  };
  /** The caller of a request; null: the request is refused, and the answer is sent. */
  const admitCaller = async (request: FastifyRequest, reply: FastifyReply): Promise<Caller | null> => {
    const refuse = (status: number, message: string): null => {
      reply.code(status).send({ message });
      return null;
    };
    if (!config.mcp.isOn) {
      sendNotFound(request, reply);
      return null;
    }
    if (!isAllowedOrigin(api, request)) return refuse(403, 'Origin is not allowed');
    const caller = await identifyCaller(request);
    if (isRefusal(caller)) {
      reportTokenOfRequest(api, request);
      const metadata = `${resolveServiceOrigin(api, request)}${MCP_METADATA_PATH}`;
      reply.header('www-authenticate', `Bearer resource_metadata="${metadata}"`);
      return refuse(401, toHttpAnswer(caller).message ?? 'Unauthenticated');
    }
    request.knownCaller = caller;
    if (request.method === 'POST') return caller;
    reply.header('allow', 'POST');
    return refuse(405, 'Method not allowed');
  };
  app.route({
    ...route,
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    bodyLimit: MAX_MCP_BODY_BYTES,
    // What is wrong with a body is only for callers with a valid token.
    errorHandler: async (error, request, reply) => {
      if ((await admitCaller(request, reply)) !== null) sendProtocolError(error, request, reply);
      return reply;
    },
    handler: async (request, reply) => {
      const caller = await admitCaller(request, reply);
      if (caller === null) return reply;
      const { body } = request;
      const { messages, refusal } = body instanceof McpBody ? body : NO_BODY;
      if (Array.isArray(messages) && messages.length > MAX_MCP_MESSAGES) {
        return sendProblem(reply, 400, INVALID_REQUEST, `A body must not have more than ${MAX_MCP_MESSAGES} messages`);
      }
      const refused = (await countMessages(api, request, messages)) ?? refusal;
      const signal = createGoneSignal(reply);
      const formatDocumentUrl = (document: string) =>
        `${resolveServiceOrigin(api, request)}${prefix}/documents/${document}`;
      const { fetch } = await getEndpoint();
      const answer = await fetch(
        toWebRequest(api, request, signal),
        {
          ...{ caller, formatDocumentUrl: formatDocumentUrl, signal },
          identify: () => identifyCaller(request),
          refusal: refused === null ? null : describeRefusal(refused),
          failureText: (error) => describeFailure(error, request),
        },
        messages,
      );
      return sendResponse(reply, answer);
    },
  });
}

const JSON_CONTENT = 'application/json';
const NO_BODY = new McpBody(null, null);

/** Error codes of JSON-RPC 2.0 §5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Errors before a request reaches the protocol, in the form of JSON-RPC. */
function sendProtocolError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code } = error;
  if (error instanceof RefusedBody) return sendProblem(reply, 400, INVALID_REQUEST, describeRefusal(error.refusal));
  if (error instanceof MalformedBody) return sendProblem(reply, 400, PARSE_ERROR, error.message);
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return sendProblem(reply, 415, INVALID_REQUEST, 'The content type must be application/json');
  }
  return sendError(error, request, reply);
}

/** Answers with an HTTP status and a JSON-RPC error of the given code. */
function sendProblem(reply: FastifyReply, status: number, code: number, message: string): FastifyReply {
  return reply.code(status).send({ jsonrpc: '2.0', error: { code, message }, id: null });
}

/** MCP methods that read or write documents. They count like requests of the API, and against an agent's quota. */
const COUNTED_METHODS: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read']);

/** Counts each message. Returns a refusal if the rate limit or the quota is used up. */
async function countMessages(api: Api, request: FastifyRequest, messages: unknown): Promise<Refusal | null> {
  const question = { credentials: api.readCredentials(request), documentId: null, isReplay: async () => false };
  // Clients of the 2025 protocol may send several messages in one body.
  for (const message of Array.isArray(messages) ? messages : [messages]) {
    const isCounted = COUNTED_METHODS.has((message as { method?: unknown } | null)?.method);
    const needs = { scope: null, ...(isCounted ? {} : { isHandshake: true, usesNoQuota: true }) };
    const { outcome } = await api.gate.admitRequest(question, needs);
    if (isRefusal(outcome)) return outcome;
  }
  return null;
}

/** The public address of the service: as configured, else as the request names it. */
function resolveServiceOrigin({ context }: Api, { protocol, host }: FastifyRequest): string {
  return context.config.publicUrl ?? `${protocol}://${host}`;
}

/**
 * Pages of other sites are allowed only if the operator lists their origin. The `Host` must be a name of this service,
 * because another site's name can be made to resolve to this machine (DNS rebinding); page and service would then have
 * the same origin.
 */
function isAllowedOrigin(api: Api, { headers: { origin, host = '' } }: FastifyRequest): boolean {
  if (origin === undefined) return true;
  const { config } = api.context;
  if (config.allowedOrigins.includes('*') || config.allowedOrigins.includes(origin)) return true;
  const page = URL.parse(origin);
  if (page === null || page.origin !== origin || !listOwnNames(config).has(page.hostname)) return false;
  return page.host === host || (config.publicUrl !== null && origin === new URL(config.publicUrl).origin);
}

/** The request in the form of the Fetch standard, which the MCP library takes. */
function toWebRequest(api: Api, request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':'))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.delete('content-length');
  const url = `${resolveServiceOrigin(api, request)}${MCP_PATH}`;
  // The protocol gets the parsed messages; it does not read this body.
  return new Request(url, { method: 'POST', headers, signal });
}

async function sendResponse(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  for (const [name, value] of answer.headers) reply.header(name, value);
  reply.code(answer.status);
  if (answer.body === null) return reply.send('');
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream');
  return reply.send(isStream ? Readable.fromWeb(answer.body) : await answer.text());
}
