import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../access/callers.ts';
import type { AdmittedRequest } from '../../access/gate.ts';
import { type GooglePath, parsePath } from './path.ts';

/** A complete request of a Google client. */
export interface SentRequest {
  readonly raw: IncomingMessage;
  readonly address: RequestAddress;
  readonly body: Buffer;
  /** The id in the log and in the audit log. */
  readonly id: string;
  /** The client's network address. */
  readonly clientAddress: string;
  /** The service's host as the client sees it, and its origin. */
  readonly host: string;
  readonly origin: string;
  /** Records who sent the request; null: the caller is unknown. */
  readonly recordCaller: (caller: Caller | null, admitted: AdmittedRequest | null) => void;
  /** The HTTP status of the answer to an error. Logs the error if the operator must know. */
  readonly toFailureStatus: (error: Error) => number;
  /** Aborted when the connection of the answer closes. */
  readonly createGoneSignal: () => AbortSignal;
  /** A path for a file that is removed after the answer. */
  readonly createTemporaryFile: () => Promise<string>;
}

/** The parsed address of a request. */
interface RequestAddress {
  /** Null: invalid percent-encoding. */
  readonly path: GooglePath | null;
  readonly query: URLSearchParams;
  /** Whether errors have the form of the Drive API. */
  readonly isDrive: boolean;
}

/** Parses an address. `url`: as sent; `path`: its path after `/google`, percent-encoded. */
export function parseRequestAddress(url: string, path: string): RequestAddress {
  const start = url.indexOf('?');
  const end = url.indexOf('#');
  const query = start < 0 ? '' : url.slice(start + 1, end < 0 ? undefined : end);
  return { path: parsePath(path), query: new URLSearchParams(query), isDrive: DRIVE_PATH.test(path) };
}

const DRIVE_PATH = /^\/(?:upload\/)?drive\//;
