import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** The members of a request that code outside the framework uses. Requests of `node:http` and direct ones have them. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The `hashText` of the URL, if it is known. */
  readonly urlHash?: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** Whether the whole body has arrived. */
  readonly complete: boolean;
  /** Takes the body that has arrived; null: none is left. */
  read(): Buffer | null;
  /** Puts a body back that was read. */
  unshift(body: Buffer): void;
  /** Drops the rest of the body. */
  resume(): unknown;
}

/** The members of a response that code outside the framework uses, as in `node:http`. */
export interface HttpResponse {
  readonly req: HttpRequest;
  /** Whether the client has left. */
  readonly destroyed: boolean;
  /** `fields`: alternating names and values. */
  writeHead(status: number, fields: string[]): unknown;
  /** False: wait for `drain` before the next part. */
  write(part: Uint8Array): boolean;
  /**
   * `onEnd`: called once, when everything was handed to the operating system, or with an error. Not called if the
   * connection was ended before.
   */
  end(text: string, encoding: 'latin1' | 'utf8', onEnd?: (error?: Error | null) => void): unknown;
  cork(): void;
  once(event: 'drain' | 'close', listener: () => void): HttpResponse;
  off(event: 'drain' | 'close', listener: () => void): HttpResponse;
}
