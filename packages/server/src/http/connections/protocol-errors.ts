import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainAnswer } from '../errors.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { RequestOrigins } from '../monitoring/request-id.ts';
import type { ResponseHeaders } from '../response-headers.ts';

/** The rest of a status line, and the message in the body. */
type ProtocolAnswer = readonly [status: string, message: string];

/** Answers by the error codes of Node's HTTP parser. */
const ANSWERS: Readonly<Record<string, ProtocolAnswer>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line or its header is too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The body is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
};
const DEFAULT_ANSWER: ProtocolAnswer = ['400 Bad Request', 'This is no HTTP request'];
const NOT_FOUND: ProtocolAnswer = ['404 Not Found', 'Not found'];
const WRONG_HOST = 'The request must have one Host header';
const WRONG_EXPECTATION = 'The only expectation that is understood is 100-continue';

interface ServerParts {
  readonly origins: RequestOrigins;
  readonly headers: ResponseHeaders;
  readonly onRequest: (response: ServerResponse) => void;
}

/**
 * Node's HTTP server, which answers in the API's form even if Node would send its own answer or none: for invalid HTTP,
 * a missing or repeated Host, an unknown expectation, and CONNECT.
 */
export class ProtocolServer {
  readonly server: Server;
  /** The response to the last request of each connection. */
  private readonly last = new WeakMap<Socket, ServerResponse>();
  /** Connections from which no more data is read. */
  private readonly ended = new WeakSet<Socket>();

  private readonly headers: ResponseHeaders;

  constructor(options: ServerOptions, { origins, headers, onRequest }: ServerParts) {
    this.headers = headers;
    const answerRefusal = (response: ServerResponse, status: number, message: string): void =>
      answerAndClose(response, status, message, { id: origins.chooseRequestId(response.req), headers });
    this.server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
      this.last.set(request.socket, response);
      if (hasHost(request)) onRequest(response);
      else answerRefusal(response, 400, WRONG_HOST);
    });
    this.server.on('checkExpectation', (request, response) => {
      this.last.set(request.socket, response);
      answerRefusal(response, 417, WRONG_EXPECTATION);
    });
    this.server.on('connect', (_request, socket: Socket) => this.refuseTunnel(socket));
  }

  /** Answers CONNECT after the request before it. The server of Node no longer reads or closes the connection. */
  private refuseTunnel(socket: Socket): void {
    // With unread bytes the socket would not see that the client leaves.
    socket.on('error', () => socket.destroy()).resume();
    const refuse = (): void => {
      if (socket.writable) this.writeAnswer(socket, NOT_FOUND);
      socket.destroySoon();
    };
    const previous = this.last.get(socket);
    if (previous === undefined || previous.writableFinished) refuse();
    else previous.once('close', refuse);
  }

  /** Answers requests that Node's parser could not read, and closes the connection. */
  readonly onClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // The parser may report further errors while an answer is pending.
    if (this.ended.has(socket)) return;
    this.ended.add(socket);
    const failed = ANSWERS[error.code ?? ''] ?? DEFAULT_ANSWER;
    const response = this.last.get(socket);
    if (response === undefined || response.writableFinished) return this.writeAnswer(socket, failed);
    // The error is in this request's own body.
    if (!response.req.complete) return response.headersSent ? void socket.destroy() : this.writeAnswer(socket, failed);
    // The error comes after a complete request, whose answer is sent first.
    response.once('close', () => (socket.writable ? this.writeAnswer(socket, failed) : socket.destroy()));
  };

  /** Writes an answer if there is no response object. */
  private writeAnswer(socket: Socket, [status, message]: ProtocolAnswer): void {
    const body = JSON.stringify({ message });
    const extraHeaders = ['connection', 'close'];
    const fields = this.headers.listAnswerHeaders({
      requestId: randomUUID(),
      extraHeaders,
      bytes: Buffer.byteLength(body),
    });
    const lines = [`HTTP/1.1 ${status}`, `date: ${new Date().toUTCString()}`];
    for (let i = 0; i < fields.length; i += 2) lines.push(`${fields[i]}: ${fields[i + 1]}`);
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  }
}

/** True if the `Host` header is valid (RFC 9112 §3.2): exactly one, except before HTTP/1.1. */
function hasHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== '1.1');
}

/** Properties of the request that its answer needs. */
interface AnswerContext {
  /** The request's id. */
  readonly id: string;
  readonly headers: ResponseHeaders;
}

/** Answers a request that reaches no route, and closes its connection. */
function answerAndClose(response: ServerResponse, status: number, message: string, answered: AnswerContext): void {
  writePlainAnswer(response, { status, fields: ['connection', 'close'], body: { message } }, answered);
}

/** Answers a request that reaches neither the framework nor a route. Further data of the request is dropped. */
export function writePlainAnswer(
  response: HttpResponse,
  { status, fields, body }: PlainAnswer,
  { id, headers }: AnswerContext,
): void {
  const text = JSON.stringify(body);
  response.writeHead(
    status,
    headers.listAnswerHeaders({ requestId: id, extraHeaders: fields, bytes: Buffer.byteLength(text) }),
  );
  response.end(text, 'utf8');
  response.req.resume();
}
