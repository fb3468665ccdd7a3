import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/** What Node's parser says of a request that never became one: the status line and a sentence. */
const ANSWERS: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request header is too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
};
const OTHERWISE = ['400 Bad Request', 'This is no HTTP request'] as const;

/** Answers what is no HTTP request, and ends the connection. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, message] = ANSWERS[error.code ?? ''] ?? OTHERWISE;
  const body = JSON.stringify({ message });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
