import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsSettings } from '../../config/types.ts';
import { HEADERS_TIMEOUT_MS, MAX_METRICS_CONNECTIONS } from '../../limits/http.ts';
import type { Metrics } from './metrics.ts';

/** A response header for a reader without the required token. */
export const READER_UNKNOWN = ['www-authenticate', 'Bearer'] as const;

const BEARER = /^Bearer +(\S+)$/i;

/** Whether a request's `Authorization` has the configured token; null: none is required. */
export function isMetricsReader(authorization: string | undefined, token: string | null): boolean {
  if (token === null) return true;
  const shown = BEARER.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(computeDigest(shown), computeDigest(token));
}

/** The hash of a text. It has a fixed length, which comparison in constant time requires. */
function computeDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** `/metrics` on a separate port. */
export interface MetricsServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Starts to listen. Rejects if the address is not usable. */
export async function openMetricsServer(
  metrics: Metrics,
  { host, port, token }: { readonly host: string; readonly port: number; readonly token: MetricsSettings['token'] },
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: HEADERS_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS });
  server.maxConnections = MAX_METRICS_CONNECTIONS;
  server.on('request', (request, response) => void answerRequest(request, response, metrics, token));
  await listenOnAddress(server, host, port);
  const { address, family, port: reached } = server.address() as AddressInfo;
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${reached}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listenOnAddress(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      // An error of one connection does not affect the others.
      server.on('error', () => {});
      resolve();
    });
  });
}

async function answerRequest(
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  metrics: Metrics,
  token: MetricsSettings['token'],
): Promise<void> {
  const isMetrics = url.split('?', 1)[0] === '/metrics' && (method === 'GET' || method === 'HEAD');
  if (!isMetrics) return refuseRequest(response, 404, 'Not found');
  if (!isMetricsReader(headers.authorization, token)) {
    return refuseRequest(response.setHeader(...READER_UNKNOWN), 401, 'Unauthorized');
  }
  const text = await metrics.formatMetrics();
  response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? undefined : text);
}

function refuseRequest(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify({ message }));
}
