import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/callers.ts';
import type { AccessRefusal } from '../access/refusal.ts';
import { SCOPES } from '../access/scopes.ts';
import { MAX_MCP_BODY_BYTES } from '../limits/mcp.ts';
import { mcpEndpoint } from '../mcp/endpoint.ts';
import { refusalText } from '../mcp/results.ts';
import { isRefusal } from '../service/refusal.ts';
import type { Api, App } from './api.ts';
import { ownNames } from './console/console-guard.ts';
import { sendNotFound } from './errors.ts';
import { noteRefusedToken } from './gate-hook.ts';
import { untilGone } from './streams/until-gone.ts';

const MCP_PATH = '/mcp';
const MCP_METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

/** Adds the MCP endpoint for agents. */
export function addMcpRoutes(app: App, api: Api, prefix: string): void {
  const { config } = api.context;
  const endpoint = mcpEndpoint(api, (error) => app.log.error({ err: error }, 'a request of an agent failed'));
  app.addHook('preClose', () => endpoint.close());
  const route = { schema: { hide: true } };
  app.get(MCP_METADATA_PATH, route, async (request, reply) => {
    if (!config.mcp.isOn) return sendNotFound(request, reply);
    return reply.send({
      resource: `${originOf(api, request)}${MCP_PATH}`,
      bearer_methods_supported: ['header'],
      scopes_supported: [...SCOPES],
    });
  });
  app.route({
    ...route,
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    bodyLimit: MAX_MCP_BODY_BYTES,
    handler: async (request, reply) => {
      if (!config.mcp.isOn) return sendNotFound(request, reply);
      if (!isAllowedOrigin(api, request)) return reply.code(403).send({ message: 'Origin is not allowed' });
      const identify = async (): Promise<Caller | AccessRefusal> => {
        const found = await api.access.identify(api.credentialsOf(request));
        return isRefusal(found) ? found : { ...found, via: 'mcp', requestId: request.id };
      };
      const caller = await identify();
      if (isRefusal(caller)) {
        noteRefusedToken(api, request);
        const metadata = `${originOf(api, request)}${MCP_METADATA_PATH}`;
        reply.header('www-authenticate', `Bearer resource_metadata="${metadata}"`);
        return reply.code(401).send({ message: 'Unauthenticated' });
      }
      request.knownCaller = caller;
      if (request.method !== 'POST') {
        return reply.code(405).header('allow', 'POST').send({ message: 'Method not allowed' });
      }
      const refusal = await countMessages(api, request);
      const gone = untilGone(reply);
      const addressOf = (document: string) => `${originOf(api, request)}${prefix}/documents/${document}`;
      const asked = { caller, identify, addressOf, gone, refusal };
      const answer = await endpoint.fetch(webRequest(api, request, gone), asked, request.body);
      return send(reply, answer);
    },
  });
}

/** MCP methods that count against an agent's quota. Other methods count only for the rate limit. */
const QUOTA_METHODS: ReadonlySet<unknown> = new Set(['tools/call', 'resources/read']);

/** Counts each message as one request of the API. Returns a message if the request is refused. */
async function countMessages(api: Api, request: FastifyRequest): Promise<string | null> {
  // Clients of the 2025 protocol may send several messages in one body.
  const messages: readonly unknown[] = Array.isArray(request.body) ? request.body : [request.body];
  const asked = { credentials: api.credentialsOf(request), documentId: null, isReplay: async () => false };
  for (const message of messages) {
    const isFree = !QUOTA_METHODS.has((message as { method?: unknown } | null)?.method);
    const { outcome } = await api.gate.admit(asked, { scope: null, usesNoQuota: isFree });
    if (isRefusal(outcome)) return refusalText(outcome);
  }
  return null;
}

function originOf({ context }: Api, { protocol, host }: FastifyRequest): string {
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
  if (page === null || page.origin !== origin || !ownNames(config).has(page.hostname)) return false;
  return page.host === host || (config.publicUrl !== null && origin === new URL(config.publicUrl).origin);
}

function webRequest(api: Api, request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(':'))
      headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.delete('content-length');
  const url = `${originOf(api, request)}${MCP_PATH}`;
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(request.body ?? null), signal });
}

async function send(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  for (const [name, value] of answer.headers) reply.header(name, value);
  reply.code(answer.status);
  return reply.send(answer.body === null ? '' : await answer.text());
}
