import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type Credentials, tokenCredentials } from '../access/callers.ts';

interface Shown {
  readonly header: string;
  readonly credentials: Credentials;
}

/** What the last request of each connection showed. A connection holds its headers as long anyway. */
const LAST = new WeakMap<Socket, Shown>();

/**
 * The token of a request. A program shows the same with each request of a connection, and hashing it took a twelfth of
 * what a small read costs.
 */
export function shownToken({ headers, socket }: IncomingMessage): Credentials {
  const { authorization: header } = headers;
  if (header === undefined) return tokenCredentials(header);
  const last = LAST.get(socket);
  if (last?.header === header) return last.credentials;
  const credentials = tokenCredentials(header);
  LAST.set(socket, { header, credentials });
  return credentials;
}
