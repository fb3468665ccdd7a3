import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { IDLE_SWEEP_MS, SHUTDOWN_MS, STALLED_READER_MS, STALLED_SENDER_MS } from '../../limits/http.ts';

/** How far a connection is. */
interface Connection {
  /** The last request that came, with its answer; null: none has come as a whole header. */
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse } | null;
  /** Bytes that the other side had taken, and bytes that had come from it, as they were when they last changed. */
  taken: Progress | null;
  come: Progress | null;
}

interface Progress {
  readonly bytes: number;
  readonly at: number;
}

/**
 * Makes a server that closes let the exchanges under way end, which `closeIdleConnections` is then called for again and
 * again. To Node a connection is idle as soon as its answer has been handed over: closing it would cut off what a slow
 * reader has not taken yet. So no idle connection is closed while some reader goes on taking. One that has stopped is not
 * waited for, nor is a request of whose header or body nothing more comes.
 */
export function letExchangesEnd(server: Server, readerMs = STALLED_READER_MS, senderMs = STALLED_SENDER_MS): void {
  const open = new Map<Socket, Connection>();
  server.on('connection', (socket) => {
    open.set(socket, { exchange: null, taken: null, come: null });
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
        connection.taken = after(connection.taken, socket.bytesWritten - socket.writableLength, now);
        if (now - connection.taken.at < readerMs) waiting = true;
      } else if (isSending(connection)) {
        connection.come = after(connection.come, socket.bytesRead, now);
        if (now - connection.come.at >= senderMs) socket.destroy();
      }
    }
    if (!waiting) closeIdle();
  };
}

function after(before: Progress | null, bytes: number, now: number): Progress {
  return before === null || before.bytes !== bytes ? { bytes, at: now } : before;
}

/** Whether it is for the other side to send more: nothing has come that is not answered or not read yet. */
function isSending({ exchange }: Connection): boolean {
  if (exchange === null || exchange.response.writableFinished) return true;
  return !exchange.request.complete && exchange.request.readableLength === 0;
}

/**
 * Closing a server closes the connections that are idle at that moment; one whose request was under way would stay for
 * its whole keep-alive time. So idle ones are looked for until all are gone, and after a while none is waited for.
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
