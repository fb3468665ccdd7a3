import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpRequest } from '../http-exchange.ts';
import type { RequestHead } from './request-head.ts';

/** A request that was read without the parser of `node:http`. */
export class DirectRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly urlHash: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly complete = true;
  private readonly head: RequestHead;
  private readonly receivedBody: Buffer | null;
  private body: Buffer | null;

  constructor(socket: Socket, head: RequestHead, body: Buffer | null) {
    this.socket = socket;
    this.head = head;
    this.method = head.method;
    this.url = head.url;
    this.urlHash = head.urlHash;
    this.headers = head.headers;
    this.receivedBody = body;
    this.body = body;
  }

  /** The bytes of the request. */
  get bytes(): Buffer {
    const head = Buffer.from(this.head.text.slice(0, this.head.headerBytes), 'latin1');
    return this.receivedBody === null ? head : Buffer.concat([head, this.receivedBody]);
  }

  read(): Buffer | null {
    const { body } = this;
    this.body = null;
    return body;
  }

  unshift(body: Buffer): void {
    this.body = body;
  }

  resume(): void {}
}
