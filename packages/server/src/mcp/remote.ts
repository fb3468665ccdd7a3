import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpBackend, McpProgress } from './server.ts';

interface RemoteService {
  /** The endpoint of a service. */
  readonly url: URL;
  readonly token: string;
}

/** A response, or a notification before it. */
interface RpcMessage {
  readonly method?: string;
  readonly params?: McpProgress;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * Creates a backend that calls a service over HTTP. Cancelling a request closes its connection, which cancels the call
 * in the service.
 */
export function createRemoteBackend({ url, token }: RemoteService): McpBackend {
  let last = 0;
  return {
    async handle(method, params, { signal, onProgress }) {
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
      if (response.status === 401) throw createInternalError('The service does not know the token in CELLWIRE_TOKEN');
      if (!response.ok) throw createInternalError(`${url.href} answered ${response.status}`);
      for await (const message of readRpcMessages(response)) {
        const { result, error } = message;
        if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
        if (result !== undefined) return result;
        if (message.method === 'notifications/progress' && message.params) {
          const { progress, message: text } = message.params;
          onProgress?.({ progress, ...(text === undefined ? {} : { message: text }) });
        }
      }
      throw createInternalError(`${url.href} ended its answer without a result`);
    },
  };
}

function createInternalError(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InternalError, message);
}

/** The messages of a response: one as JSON, or the events of a stream. */
async function* readRpcMessages(response: Response): AsyncGenerator<RpcMessage> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    yield (await response.json()) as RpcMessage;
    return;
  }
  let pending = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (pending + piece).split('\n');
    pending = lines.pop() ?? '';
    // The service writes each message in one line of data.
    for (const line of lines)
      if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as RpcMessage;
  }
}

/** The MCP endpoint of a service, from its address with or without the API's prefix. Null: the address is not valid. */
export function parseEndpoint(address: string): URL | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return new URL(`${path}/mcp`, url.origin);
}
