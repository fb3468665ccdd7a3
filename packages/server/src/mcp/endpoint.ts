import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { MAX_MCP_BODY_BYTES } from '../limits/mcp.ts';
import { createSessionBackend } from './backend.ts';
import { createMcpServer } from './server.ts';
import { type McpParts, McpSession } from './session.ts';

/** A request to the MCP endpoint with its caller. */
type McpRequest = Omit<ConstructorParameters<typeof McpSession>[1], 'signal'> & {
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
  /** The reason why the request is refused. Null: it is not refused. */
  readonly refusal: string | null;
  /** The text for the client about an unexpected failure; logs it. */
  readonly failureText: (error: Error) => string;
};

/** The protocol over HTTP. `RequestInfo`: the facts about a request that the adapter has, without its body. */
interface McpTransport<RequestInfo> {
  fetch(request: Request, info: RequestInfo, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Creates the endpoint of the service. */
export function createMcpEndpoint(parts: McpParts, onError: (error: Error) => void): McpTransport<McpRequest> {
  return createMcpTransport((request) => {
    const createSession = (signal: AbortSignal) =>
      new McpSession(parts, { ...request, signal: AbortSignal.any([signal, request.signal]) });
    return createMcpServer(createSessionBackend(createSession, request));
  }, onError);
}

const REQUEST_KEY = 'cellwire';

/** Creates a transport without sessions: each request gets its own server, also for clients of the 2025 protocol. */
export function createMcpTransport<RequestInfo>(
  serverFor: (info: RequestInfo) => Server,
  onError: (error: Error) => void,
): McpTransport<RequestInfo> {
  const modern = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.[REQUEST_KEY] as RequestInfo), {
    legacy: 'reject',
    maxRequestBodySize: MAX_MCP_BODY_BYTES,
    keepAliveMs: 0,
    maxSubscriptions: 0,
    onerror: onError,
  });
  return {
    async fetch(request, info, parsedBody) {
      if (!(await isLegacyRequest(request, parsedBody))) {
        // The SDK passes `authInfo` to the server that it creates for the request.
        const authInfo = { token: '', clientId: '', scopes: [], extra: { [REQUEST_KEY]: info } };
        return modern.fetch(request, { authInfo, parsedBody });
      }
      // A JSON response cannot contain notifications before the result. No `sessionIdGenerator`: there are no sessions.
      const isJson = !hasProgressToken(parsedBody);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: isJson, keepAliveMs: 0 });
      const server = serverFor(info);
      await server.connect(transport);
      if (!isJson) {
        request.signal.addEventListener('abort', () => void server.close(), { once: true });
        return transport.handleRequest(request, { parsedBody });
      }
      try {
        return await transport.handleRequest(request, { parsedBody });
      } finally {
        await server.close();
      }
    },
    close: () => modern.close(),
  };
}

/** Whether a message of a body requests notifications about its progress. */
function hasProgressToken(parsedBody: unknown): boolean {
  const messages = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
  return messages.some((message) => {
    const { params } = (message ?? {}) as {
      readonly params?: { readonly _meta?: { readonly progressToken?: unknown } };
    };
    return params?._meta?.progressToken !== undefined;
  });
}
