import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { MAX_CONNECTIONS } from '../../limits/http.ts';
import { GOOGLE_HOSTS, openAuthority } from './authority.ts';

interface ProxyOptions {
  readonly host: string;
  /** Port of the proxy; 0 picks a free one. */
  readonly port: number;
  /** The service's URL, without a trailing slash. */
  readonly server: URL;
  /** Folder of the authority. */
  readonly folder: string;
  /** Called when the proxy's address is known, before it accepts the first connection. */
  readonly onListening: (address: ProxyAddress) => void;
}

interface ProxyAddress {
  readonly url: string;
  readonly certificatePath: string;
}

export interface RunningProxy {
  close(): Promise<void>;
}

const HOSTS: ReadonlySet<string> = new Set(GOOGLE_HOSTS);
const TLS_PORT = '443';
const REFUSED = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';

/** Headers that belong to one connection (RFC 9110 §7.6.1). */
const HOP_HEADERS = ['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'upgrade', 'trailer'];

/** Starts the proxy. It terminates TLS for Google's hosts with its own certificate, and refuses every other host. */
export async function startProxy({ host, port, server, folder, onListening }: ProxyOptions): Promise<RunningProxy> {
  const { certificatePath, server: identity } = await openAuthority(folder, Date.now());
  const secureContext = tls.createSecureContext({ cert: identity.certificate, key: identity.key });
  const agent = new (server.protocol === 'https:' ? https : http).Agent({ keepAlive: true });
  const inner = http.createServer((request, response) => forwardRequest(server, agent, request, response));
  const outer = http.createServer((_request, response) => {
    response.writeHead(403, { 'content-length': 0, connection: 'close' }).end();
  });
  const sockets = new Set<Socket>();
  outer.maxConnections = MAX_CONNECTIONS;
  outer.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  outer.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (!isGoogleAuthority(request.url ?? '')) {
      socket.end(REFUSED);
      return;
    }
    socket.write(ESTABLISHED);
    if (head.length > 0) socket.unshift(head);
    const secure = new tls.TLSSocket(socket as Socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    secure.on('error', () => secure.destroy());
    inner.emit('connection', secure);
  });
  await new Promise<void>((resolve, reject) => {
    outer.once('error', reject);
    outer.listen(port, host, () => {
      const { port: own } = outer.address() as AddressInfo;
      onListening({ url: `http://${host.includes(':') ? `[${host}]` : host}:${own}`, certificatePath });
      resolve();
    });
  });
  return {
    close: async () => {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => outer.close(resolve));
    },
  };
}

/** Whether a CONNECT names one of the hosts, with the HTTPS port. */
function isGoogleAuthority(authority: string): boolean {
  const at = authority.lastIndexOf(':');
  return at > 0 && authority.slice(at + 1) === TLS_PORT && HOSTS.has(authority.slice(0, at).toLowerCase());
}

/** Forwards a request to the service, below `/google`. */
function forwardRequest(server: URL, agent: http.Agent, request: IncomingMessage, response: ServerResponse): void {
  const { authorization, ...headers } = dropHopHeaders(request.headers);
  const sent = (server.protocol === 'https:' ? https : http).request(
    {
      protocol: server.protocol,
      hostname: server.hostname.replace(/^\[|\]$/g, ''),
      port: server.port,
      path: `/google${toServicePath(request)}`,
      method: request.method,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }), host: server.host },
      agent,
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, dropHopHeaders(answer.headers));
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    },
  );
  sent.once('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'content-type': 'application/json' }).end(UNREACHABLE);
  });
  response.once('close', () => sent.destroy());
  request.pipe(sent);
}

const UNREACHABLE = JSON.stringify({
  error: { code: 502, message: 'google-proxy cannot reach the Cellwire server; see --server.', status: 'UNAVAILABLE' },
});

/** Maps older token endpoint URLs to the current one. */
function toServicePath({ url = '/', headers }: IncomingMessage): string {
  const host = headers.host?.replace(/:\d+$/, '').toLowerCase();
  if (host === 'accounts.google.com' && /^\/o\/oauth2(?:\/v2)?\/token(?:$|\?)/.test(url)) return '/token';
  return url.startsWith('/') ? url : '/';
}

function dropHopHeaders(headers: http.IncomingHttpHeaders): http.IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}
