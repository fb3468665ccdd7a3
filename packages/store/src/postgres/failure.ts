import pg from 'pg';
import { StoreError } from '../database/database.ts';

/** Code: the database is unreachable or does not answer; the caller may retry. */
export const UNAVAILABLE = 'UNAVAILABLE';

/** Codes of a server that is temporarily unavailable. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  '57P01', // terminated by an administrator
  '57P02', // terminated by a crash
  '57P03', // starting up or shutting down
  '25006', // read-only: a standby, or set by an administrator
  '25P03', // transaction idle too long
  '57P05', // session idle too long
]);

/** Codes for exceeded statement and lock timeouts. The connection stays usable. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['57014', '55P03']);

/** Codes for exhausted memory or lock space. The connection stays usable. */
const RESOURCE_CODES: ReadonlySet<string> = new Set(['53000', '53200', '53400']);
const CONNECTION_CLASS = '08';
const SERVER_CODE = /^[0-9A-Z]{5}$/;
const TOO_MANY_CONNECTIONS = '53300';

/** The server accepts no more connections. Existing connections stay usable. */
export class ServerFullError extends StoreError {}

/** Converts an error to a `StoreError`. An error without a server code is a connection failure. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? error.message : String(error);
  const isServers = error instanceof pg.DatabaseError && SERVER_CODE.test(code);
  const isAway = !isServers || UNAVAILABLE_CODES.has(code) || isTransient(code) || code.startsWith(CONNECTION_CLASS);
  if (code === TOO_MANY_CONNECTIONS)
    return new ServerFullError(`The database is not available: ${message}`, UNAVAILABLE);
  if (isAway) return new StoreError(`The database is not available: ${message}`, UNAVAILABLE);
  return new StoreError(message, code);
}

/**
 * Converts the error of a failed connection. The cause, such as a changed password or a renamed database, must be
 * repaired at the server. Until then the database is unavailable, and the caller may retry.
 */
export function toUnavailable(error: StoreError): StoreError {
  if (error.code === UNAVAILABLE) return error;
  return new StoreError(`The database is not available: ${error.message}`, UNAVAILABLE);
}

/** True for the code of a temporary failure of one statement that leaves the connection usable. */
function isTransient(code: string | undefined): boolean {
  return code !== undefined && (TIMEOUT_CODES.has(code) || RESOURCE_CODES.has(code));
}

export function isTransientError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && isTransient(error.code);
}
