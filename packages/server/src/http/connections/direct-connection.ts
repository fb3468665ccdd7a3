import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { DirectRequest } from './direct-request.ts';
import { DirectResponse } from './direct-response.ts';
import { type RequestHead, RequestHeadReader } from './request-head.ts';
import { readIntoSharedBuffer } from './shared-read-buffer.ts';

interface DirectConnectionParts {
  /** The listener by which the server receives the connection's bytes. */
  readonly receive: (bytes: Buffer) => void;
  /** Gives the server a request after its connection has closed. */
  readonly emitRequest: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a request may be answered directly, by its method and URL. */
  readonly isDirect: (method: string, url: string) => boolean;
  readonly onRequest: (response: DirectResponse) => void;
  /** Called once after each `onRequest`: the answer was sent, or is not needed any more. */
  readonly onAnswered: () => void;
}

/**
 * The bytes of one connection. A piece that is exactly one simple request is answered directly; the server receives
 * everything else. Whether the server's parser is between two messages is always known: after a piece that does not
 * show where its message ends, the server receives all bytes.
 */
export class DirectConnection {
  private readonly socket: Socket;
  private readonly parts: DirectConnectionParts;
  private readonly heads = new RequestHeadReader();
  /** The response to a direct request that is not answered yet. */
  private current: DirectResponse | null = null;
  /** The direct request that the server is receiving. */
  private passedOn: DirectRequest | null = null;
  /** Bytes that arrived before the answer to the current request was sent. */
  private waiting: Buffer | null = null;
  /** Bytes that the server has yet to receive of a body. */
  private bodyBytesLeft = 0;
  /** Number of the server's exchanges that are in progress. */
  private exchanges = 0;
  /** The server measures the time to the first complete request, so it has to receive the first one. */
  private hasServedFirst = false;
  /** The server receives all bytes. */
  private isLeftToServer = false;

  constructor(socket: Socket, parts: DirectConnectionParts) {
    this.socket = socket;
    this.parts = parts;
  }

  get isAnswering(): boolean {
    return this.current !== null;
  }

  /** Receives the bytes of the connection in place of the server. */
  start(): void {
    const { socket } = this;
    socket.on('data', this.receiveBytes);
    socket.off('data', this.parts.receive);
    socket.once('close', this.endAnswer);
    readIntoSharedBuffer(socket, this.receiveShared);
  }

  /** Notes an exchange of the server. */
  trackExchange(response: ServerResponse): void {
    this.exchanges++;
    response.once('close', () => {
      this.exchanges--;
      this.hasServedFirst = true;
    });
  }

  /** The direct request that the server is receiving; null: it receives another one. */
  takePassedOn(): DirectRequest | null {
    const { passedOn } = this;
    this.passedOn = null;
    return passedOn;
  }

  /** Lets the server answer a direct request. */
  readonly passOn = (request: DirectRequest): void => {
    this.passedOn = request;
    // The server's parser is finished after the end of a connection. The request may still have to be logged.
    if (!this.socket.writable) this.parts.emitRequest(...createClosedExchange(request));
    else this.parts.receive(request.bytes);
    this.passedOn = null;
    this.endAnswer();
  };

  /**
   * Receives bytes that are overwritten after the call. If they are not answered directly, a copy of them arrives as
   * `data`, after the data that the socket still holds. False if the socket holds enough data.
   */
  private readonly receiveShared = (length: number, buffer: Buffer): boolean => {
    const { socket } = this;
    if (this.isIdle && socket.readableLength === 0) {
      const head = this.heads.readHead(buffer, length);
      if (head !== null && this.isDirect(head, length)) {
        const body = head.bodyBytes === 0 ? null : Buffer.from(buffer.subarray(head.headerBytes, length));
        this.answer(head, body);
        return true;
      }
    }
    if (this.isReceivingBody(length)) {
      // The parser of the server copies bytes of a body.
      this.receiveBody(buffer.subarray(0, length));
      return true;
    }
    return socket.push(Buffer.from(buffer.subarray(0, length)));
  };

  /** Whether the next `length` bytes are part of a body, and the server receives them at once. */
  private isReceivingBody(length: number): boolean {
    const { readableFlowing, readableLength } = this.socket;
    return this.current === null && length <= this.bodyBytesLeft && readableFlowing === true && readableLength === 0;
  }

  private readonly receiveBytes = (bytes: Buffer): void => {
    if (this.current === null) return this.bodyBytesLeft > 0 ? this.receiveBody(bytes) : this.receiveRequest(bytes);
    this.waiting = bytes;
    // No more bytes arrive until `resume`.
    this.socket.pause();
  };

  private receiveBody(bytes: Buffer): void {
    if (bytes.length > this.bodyBytesLeft) return this.leaveToServer(bytes);
    this.bodyBytesLeft -= bytes.length;
    this.parts.receive(bytes);
  }

  private receiveRequest(bytes: Buffer): void {
    const head = this.exchanges === 0 ? this.heads.readHead(bytes, bytes.length) : null;
    if (head === null) return this.leaveToServer(bytes);
    const bytesLeft = head.headerBytes + head.bodyBytes - bytes.length;
    if (bytesLeft < 0) return this.leaveToServer(bytes);
    if (!this.isDirect(head, bytes.length)) {
      this.bodyBytesLeft = bytesLeft;
      return this.parts.receive(bytes);
    }
    this.answer(head, head.bodyBytes === 0 ? null : bytes.subarray(head.headerBytes));
  }

  /** Whether the next byte begins a request and nothing is in progress. */
  private get isIdle(): boolean {
    return this.current === null && this.bodyBytesLeft === 0 && this.exchanges === 0 && !this.isLeftToServer;
  }

  /** Whether `length` bytes with this head are exactly one request that is answered directly. */
  private isDirect({ method, url, headerBytes, bodyBytes }: RequestHead, length: number): boolean {
    if (headerBytes + bodyBytes !== length || !this.hasServedFirst || !this.socket.writable) return false;
    return this.parts.isDirect(method, url);
  }

  private answer(head: RequestHead, body: Buffer | null): void {
    this.current = new DirectResponse(new DirectRequest(this.socket, head, body), this);
    this.parts.onRequest(this.current);
  }

  /** Lets the server receive these bytes and all that follow. */
  private leaveToServer(bytes: Buffer): void {
    const { socket, parts } = this;
    this.isLeftToServer = true;
    // The server removes its listener when a connection changes its protocol.
    socket.on('data', parts.receive);
    socket.off('data', this.receiveBytes);
    parts.receive(bytes);
  }

  /** Ends the current exchange, and lets bytes arrive again. */
  readonly endAnswer = (): void => {
    const { current, waiting, socket } = this;
    if (current === null) return;
    this.current = null;
    this.waiting = null;
    this.parts.onAnswered();
    current.emitClose();
    if (waiting === null || !socket.writable) return;
    // The bytes arrive again, after the present work.
    socket.unshift(waiting);
    socket.resume();
  };
}

/** A request for the server after its connection closed. The answer is not sent. */
function createClosedExchange(direct: DirectRequest): [IncomingMessage, ServerResponse] {
  const request = new IncomingMessage(direct.socket);
  request.method = direct.method;
  request.url = direct.url;
  request.httpVersion = '1.1';
  request.headers = { ...direct.headers };
  request.rawHeaders = Object.entries(direct.headers).flat() as string[];
  request.complete = true;
  const body = direct.read();
  if (body !== null) request.push(body);
  request.push(null);
  return [request, new ServerResponse(request)];
}
