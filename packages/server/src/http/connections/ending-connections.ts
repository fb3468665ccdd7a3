import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { IDLE_SWEEP_MS, SHUTDOWN_MS, STALLED_READER_MS, STALLED_SENDER_MS } from '../../limits/http.ts';
import { isAnsweringDirectly } from './direct-connections.ts';

/** Progress of a connection. */
interface ConnectionProgress {
  /** The last request and its response; null: no complete header has arrived yet. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | null;
  /** Bytes acknowledged by the peer, and bytes received from it, each at its last change. */
  acknowledged: PeerProgress | null;
  received: PeerProgress | null;
}

interface PeerProgress {
  readonly bytes: number;
  readonly at: number;
}

/**
 * Lets a closing server complete its current exchanges. The closing code then calls `closeIdleConnections` repeatedly.
 * Node considers a connection idle when its answer has been handed to the socket; closing it would cut off data that a
 * slow reader has not received yet. So no idle connection is closed while a reader makes progress. Readers that have
 * stalled, and requests whose header or body has stalled, are not waited for.
 */
export function completeExchangesOnClose(
  server: Server,
  readerMs = STALLED_READER_MS,
  senderMs = STALLED_SENDER_MS,
): void {
  const open = new Map<Socket, ConnectionProgress>();
  server.on('connection', (socket) => {
    open.set(socket, { exchange: null, acknowledged: null, received: null });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request, response) => {
    const connection = open.get(request.socket);
    if (connection !== undefined) connection.exchange = { request, response };
  });
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const now = performance.now();
    let waiting = false;
    for (const [socket, connection] of open) {
      if (socket.writableLength > 0) {
        connection.acknowledged = updateProgress(
          connection.acknowledged,
          socket.bytesWritten - socket.writableLength,
          now,
        );
        if (now - connection.acknowledged.at < readerMs) waiting = true;
      } else if (isSending(connection) && !isAnsweringDirectly(socket)) {
        connection.received = updateProgress(connection.received, socket.bytesRead, now);
        if (now - connection.received.at >= senderMs) socket.destroy();
      }
    }
    if (!waiting) closeIdle();
  };
}

/** The time at which the peer last took bytes: now if the count has changed, else the previous one. */
function updateProgress(before: PeerProgress | null, bytes: number, now: number): PeerProgress {
  return before === null || before.bytes !== bytes ? { bytes, at: now } : before;
}

/** Whether the peer must send more: everything received was answered and read. */
function isSending({ exchange }: ConnectionProgress): boolean {
  if (exchange === null || exchange.response.writableFinished) return true;
  return !exchange.request.complete && exchange.request.readableLength === 0;
}

/**
 * Closing a server closes the connections that are idle at that moment. A connection with a request in progress would
 * then stay for its whole keep-alive time. So idle connections are closed repeatedly until all are gone, and after a
 * time limit none is waited for.
 */
export async function endConnections(server: Server, close: () => Promise<unknown>): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const giveUp = setTimeout(() => server.closeAllConnections(), SHUTDOWN_MS);
  try {
    await close();
  } finally {
    clearInterval(sweep);
    clearTimeout(giveUp);
  }
}
