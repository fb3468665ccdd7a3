import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Json } from '../http/support.ts';

/** What a receiver was sent. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Json;
  /** When its header came, in milliseconds. */
  readonly at: number;
  readonly socket: Socket;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage, count: number) => void;

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** A receiver that keeps everything it was sent, and answers as the test tells it to. */
export class Receiver {
  readonly received: Received[] = [];
  behaviour: Behaviour = answering(200);
  readonly url: string;
  /** Emits `tick` at short intervals while the test runs, for what can only be asked for. */
  readonly progress: EventEmitter;
  private readonly events: EventEmitter;

  constructor(url: string, events: EventEmitter, progress: EventEmitter) {
    this.url = url;
    this.events = events;
    this.progress = progress;
  }

  add(received: Received): void {
    this.received.push(received);
    this.events.emit('received');
  }

  /** Waits until so many requests have come; all of them. */
  async take(count: number): Promise<readonly Received[]> {
    while (this.received.length < count) await once(this.events, 'received');
    return this.received;
  }

  async next(): Promise<Received> {
    const count = this.received.length;
    return (await this.take(count + 1))[count] as Received;
  }
}

/** What a receiver shows of itself, in PEM. */
export interface Identity {
  readonly key: string;
  readonly cert: string;
}

/** How often what can only be asked for is asked for, in milliseconds: each time costs as much as a small write. */
const TICK_MS = 50;

/** Starts a receiver on a free port of this machine, with TLS where it has an identity; closed after the test. */
export async function startReceiver(test: TestContext, path = '/hook', identity?: Identity): Promise<Receiver> {
  const events = new EventEmitter();
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
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
  const server = identity === undefined ? createServer(listen) : createTlsServer({ ...identity }, listen);
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
