import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { DirectConnection } from './direct-connection.ts';
import type { DirectRequest } from './direct-request.ts';
import type { DirectResponse } from './direct-response.ts';

interface DirectConnectionParts {
  /** Whether a request may be answered directly, by its method and URL. */
  readonly isDirect: (method: string, url: string) => boolean;
  /** Receives each request that is read directly. */
  readonly queueRequest: (response: DirectResponse) => void;
}

/** The connections of sockets, for `isAnsweringDirectly`. */
const CONNECTIONS = new WeakMap<Socket, DirectConnection>();

/** Whether a request that was read directly waits for its answer. Its connection is idle for `node:http`. */
export function isAnsweringDirectly(socket: Socket): boolean {
  return CONNECTIONS.get(socket)?.isAnswering ?? false;
}

/**
 * Reads and answers simple requests on the connections of a server of `node:http`, whose parser and objects take more
 * time than the rest of a small read. The server keeps its connections with their limits, timeouts and errors. It
 * receives the first request of each connection, and every request that is not in the subset of `RequestHeadReader`
 * or does not arrive alone and at once.
 */
export class DirectConnections {
  private isStopped = false;
  /** Number of requests whose answers are not sent yet. */
  private answering = 0;

  /** Lets the server receive all further requests. */
  stop(): void {
    this.isStopped = true;
  }

  /** Starts with the next connection. */
  attachTo(server: Server, parts: DirectConnectionParts): void {
    server.on('connection', (socket) => this.addConnection(server, socket, parts));
    server.on('request', ({ socket }, response) => CONNECTIONS.get(socket)?.trackExchange(response));
    // `node:http` would end a connection that is idle for it.
    server.on('timeout', (socket) => {
      if (!isAnsweringDirectly(socket)) socket.destroy();
    });
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => {
      if (this.answering === 0) closeIdle();
    };
  }

  /** The direct request of which the server's request is the repetition; null: it is another one. */
  takePassedOn(socket: Socket): DirectRequest | null {
    return CONNECTIONS.get(socket)?.takePassedOn() ?? null;
  }

  private addConnection(server: Server, socket: Socket, { isDirect, queueRequest }: DirectConnectionParts): void {
    const [receive, ...others] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    // Another version of Node may read its connections in another way.
    if (receive === undefined || others.length > 0) return;
    const connection = new DirectConnection(socket, {
      receive,
      emitRequest: (request, response) => server.emit('request', request, response),
      isDirect: (method, url) => !this.isStopped && isDirect(method, url),
      onRequest: (response) => {
        this.answering++;
        queueRequest(response);
      },
      onAnswered: () => {
        this.answering--;
      },
    });
    CONNECTIONS.set(socket, connection);
    connection.start();
  }
}
