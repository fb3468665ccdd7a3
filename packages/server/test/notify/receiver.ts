import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Json } from '../http/support.ts';

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Json;
  /** Arrival time of the headers, in milliseconds. */
  readonly at: number;
  readonly socket: Socket;
}

export type ReceiverBehaviour = (response: ServerResponse, request: IncomingMessage, count: number) => void;

/** Creates a behaviour that always sends the same response. */
export const respondWith =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): ReceiverBehaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A receiver that stores all requests and responds as the test chooses. */
export class Receiver {
  readonly received: ReceivedRequest[] = [];
  behaviour: ReceiverBehaviour = respondWith(200);
  readonly url: string;
  /** Emits `tick` at short intervals during the test, for states that must be polled. */
  readonly progress: EventEmitter;
  private readonly events: EventEmitter;

  constructor(url: string, events: EventEmitter, progress: EventEmitter) {
    this.url = url;
    this.events = events;
    this.progress = progress;
  }

  /** Stores a request and resolves the waits for it. */
  add(received: ReceivedRequest): void {
    this.received.push(received);
    this.events.emit('received');
  }

  /** Waits for `count` requests and returns all requests. */
  async waitForRequests(count: number): Promise<readonly ReceivedRequest[]> {
    while (this.received.length < count) await once(this.events, 'received');
    return this.received;
  }

  async waitForNext(): Promise<ReceivedRequest> {
    const count = this.received.length;
    return (await this.waitForRequests(count + 1))[count] as ReceivedRequest;
  }
}

/** TLS key and certificate of a receiver, in PEM. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Polling interval in milliseconds. Each poll costs as much as a small write. */
const TICK_MS = 50;

/** Starts a receiver on a free local port, with TLS if it has an identity. It closes after the test. */
export async function startReceiver(test: TestContext, path = '/hook', identity?: TlsIdentity): Promise<Receiver> {
  const events = new EventEmitter();
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const at = Date.now();
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => {});
    request.on('end', () => {
      const raw = Buffer.concat(parts);
      const { headers, url = '', socket } = request;
      receiver.add({ path: url, headers, raw, body: JSON.parse(raw.toString()) as Json, at, socket });
      receiver.behaviour(response, request, receiver.received.length);
    });
  };
  const server = identity === undefined ? createServer(onRequest) : createTlsServer({ ...identity }, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const progress = new EventEmitter();
  const timer = setInterval(() => progress.emit('tick'), TICK_MS);
  const origin = identity === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`;
  const receiver = new Receiver(origin + path, events, progress);
  test.after(() => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  });
  return receiver;
}
