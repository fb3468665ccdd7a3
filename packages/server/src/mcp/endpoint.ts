import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { MAX_MCP_BODY_BYTES } from '../limits/mcp.ts';
import { sessionBackend } from './backend.ts';
import { mcpServer } from './server.ts';
import { type McpParts, McpSession } from './session.ts';

/** Who asks, and how the service was reached. */
export type McpRequest = Omit<ConstructorParameters<typeof McpSession>[1], 'signal'> & {
  /** Aborted when the connection ends. */
  readonly gone: AbortSignal;
  /** Why nothing is done, as the rate is used up; null: it is done. */
  readonly refusal: string | null;
};

const REQUEST = 'cellwire';

/** What the SDK hands through to the server of a request. */
function authInfoOf(request: McpRequest): AuthInfo {
  return { token: '', clientId: String(request.caller.userId), scopes: [], extra: { [REQUEST]: request } };
}

/** The endpoint of the protocol over HTTP. */
export interface McpEndpoint {
  fetch(request: Request, asked: McpRequest, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Without sessions: each request is served by a server of its own, which clients of 2025 get, too. */
export function mcpEndpoint(parts: McpParts, onError: (error: Error) => void): McpEndpoint {
  const serverFor = (request: McpRequest) =>
    mcpServer(
      sessionBackend(
        (signal) => new McpSession(parts, { ...request, signal: AbortSignal.any([signal, request.gone]) }),
        request.refusal,
      ),
    );
  const modern = createMcpHandler(({ authInfo }) => serverFor(requestOf(authInfo)), {
    legacy: 'reject',
    maxRequestBodySize: MAX_MCP_BODY_BYTES,
    keepAliveMs: 0,
    maxSubscriptions: 0,
    onerror: onError,
  });
  return {
    async fetch(request, asked, parsedBody) {
      if (!(await isLegacyRequest(request, parsedBody))) {
        return modern.fetch(request, { authInfo: authInfoOf(asked), parsedBody });
      }
      // No `sessionIdGenerator`: there are no sessions.
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = serverFor(asked);
      await server.connect(transport);
      try {
        return await transport.handleRequest(request, { parsedBody });
      } finally {
        await server.close();
      }
    },
    close: () => modern.close(),
  };
}

function requestOf(authInfo: AuthInfo | undefined): McpRequest {
  const request = authInfo?.extra?.[REQUEST] as McpRequest | undefined;
  if (request === undefined) throw new Error('A request came without its caller');
  return request;
}
