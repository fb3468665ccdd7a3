import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpBackend } from './server.ts';

interface RemoteService {
  /** The endpoint of a service. */
  readonly url: URL;
  readonly token: string;
}

interface RpcAnswer {
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * Creates a backend that calls a service over HTTP. Cancelling a request closes its connection, which cancels it there.
 */
export function remoteBackend({ url, token }: RemoteService): McpBackend {
  let last = 0;
  return {
    async handle(method, params, signal) {
      const id = ++last;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        signal,
      });
      if (response.status === 401) throw internalError('The service does not know the token in CELLWIRE_TOKEN');
      const text = await response.text();
      if (!response.ok) throw internalError(`${url.href} answered ${response.status}`);
      const { result, error } = parseAnswer(text);
      if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
      return result ?? {};
    },
  };
}

function internalError(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

/** Parses a response that is JSON, or an event stream with one event. */
function parseAnswer(text: string): RpcAnswer {
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(data) as RpcAnswer;
}

/** The MCP endpoint of a service, from its address with or without the API's prefix. Null: the address is not valid. */
export function parseEndpoint(address: string): URL | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return new URL(`${path}/mcp`, url.origin);
}
