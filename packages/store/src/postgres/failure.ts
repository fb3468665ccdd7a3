import pg from 'pg';
import { StoreError } from '../database/database.ts';

/** The database is not reachable, or does not answer; whoever asked may come again. */
export const UNAVAILABLE = 'UNAVAILABLE';

/** Codes with which the server itself says that it is not there for us now. */
const UNAVAILABLE_CODES: ReadonlySet<string> = new Set([
  '57P01', // ended by its operator
  '57P02', // … by a crash
  '57P03', // starting, or ending
  '25006', // read only, as a standby, or by its operator
  '25P03', // a transaction that stood still too long
  '57P05', // an idle session that stood still too long
]);

/** … and that a statement took too long, or a lock was not free in time: the connection goes on. */
const TIMEOUT_CODES: ReadonlySet<string> = new Set(['57014', '55P03']);

/** … and that it has no memory left for it, or for one more lock: the connection goes on, too. */
const RESOURCE_CODES: ReadonlySet<string> = new Set(['53000', '53200', '53400']);
const CONNECTION_CLASS = '08';
const SERVER_CODE = /^[0-9A-Z]{5}$/;
const TOO_MANY_CONNECTIONS = '53300';

/** The server has as many connections as it takes; those that there are go on. */
export class ServerFullError extends StoreError {}

/** An error as the rest of the server knows them. Whatever has no code of the server's is the connection's. */
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
 * Why there is no connection. Whatever keeps a node from having one, as a password that was changed or a database that
 * was renamed, is somebody's to mend at the server, and until then it is away: the caller may come again.
 */
export function toUnavailable(error: StoreError): StoreError {
  if (error.code === UNAVAILABLE) return error;
  return new StoreError(`The database is not available: ${error.message}`, UNAVAILABLE);
}

/** A statement was refused for the moment, and the connection is as good as before. */
function isTransient(code: string | undefined): boolean {
  return code !== undefined && (TIMEOUT_CODES.has(code) || RESOURCE_CODES.has(code));
}

export function isTransientError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && isTransient(error.code);
}
