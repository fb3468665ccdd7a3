import { STATUS_CODES } from 'node:http';
import { KEEP_ALIVE_MS } from '../../limits/http.ts';
import { formatHeaderFields } from '../header-text.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { DirectRequest } from './direct-request.ts';

const MS_PER_SECOND = 1_000;
/** The fields of an answer after which the connection stays open, as `node:http` writes them. */
const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(KEEP_ALIVE_MS / MS_PER_SECOND)}\r\n`;

/** Called when an answer was handed to the operating system, or with the error that prevented this. */
type OnEnd = (error?: Error | null) => void;

/** The connection of a response. */
interface AnsweringConnection {
  /** Called when the whole answer was handed to the operating system. */
  endAnswer(): void;
  passOn(request: DirectRequest): void;
}

/** The response to a request that was read without the parser of `node:http`. Its socket gets head and body at once. */
export class DirectResponse implements HttpResponse {
  readonly req: DirectRequest;
  private readonly connection: AnsweringConnection;
  private head = '';
  private isCorked = false;
  /** The answer says that the connection ends. */
  private isLast = false;
  private closeListeners: readonly (() => void)[] = [];

  constructor(req: DirectRequest, connection: AnsweringConnection) {
    this.req = req;
    this.connection = connection;
  }

  get destroyed(): boolean {
    return this.req.socket.destroyed;
  }

  writeHead(status: number, fields: readonly string[]): void {
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === 'connection') this.isLast = fields[i + 1] === 'close';
    const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${formatHeaderFields(fields)}`;
    this.head = this.isLast ? `${start}${formatDate()}\r\n` : start + formatHeadEnd();
  }

  /** Writes the head of an answer with status 200. `fields`: lines of fields, none of them `Connection`. */
  writeFields(fields: string): void {
    this.head = `HTTP/1.1 200 OK\r\n${fields}${formatHeadEnd()}`;
  }

  write(part: Uint8Array): boolean {
    const { socket } = this.req;
    if (!socket.writable) return true;
    if (this.head !== '') socket.write(this.takeHead(), 'latin1');
    return socket.write(part);
  }

  /** If the connection was ended meanwhile, nothing is sent and `onEnd` is not called, as in `node:http`. */
  end(text: string, encoding: 'latin1' | 'utf8', onEnd?: OnEnd): void {
    const { socket } = this.req;
    if (!socket.writable) return;
    socket.write(this.takeHead() + text, encoding);
    if (this.isCorked) socket.uncork();
    // Usually the operating system takes all bytes at once, or refuses them. A callback would cost more than this check.
    if (socket.writableLength === 0) this.finish(socket.errored, onEnd);
    // The socket calls the callback of an empty write after all earlier writes, or with the error of one of them.
    else socket.write('', encoding, (error) => this.finish(error, onEnd));
  }

  cork(): void {
    this.isCorked = true;
    this.req.socket.cork();
  }

  once(event: 'drain' | 'close', listener: () => void): this {
    if (event === 'drain') this.req.socket.once(event, listener);
    else this.closeListeners = [...this.closeListeners, listener];
    return this;
  }

  off(event: 'drain' | 'close', listener: () => void): this {
    if (event === 'drain') this.req.socket.off(event, listener);
    else this.closeListeners = this.closeListeners.filter((one) => one !== listener);
    return this;
  }

  /** Lets the server answer the request. Nothing may have been written. */
  passOn(): void {
    this.connection.passOn(this.req);
  }

  /** Tells the listeners that nothing more is sent. */
  emitClose(): void {
    for (const listener of this.closeListeners) listener();
    this.closeListeners = [];
  }

  private takeHead(): string {
    const { head } = this;
    this.head = '';
    return head;
  }

  private finish(error: Error | null | undefined, onEnd: OnEnd | undefined): void {
    onEnd?.(error);
    // After an error the connection closes.
    if (error) return;
    if (this.isLast) this.req.socket.destroySoon();
    this.connection.endAnswer();
  }
}

/** The second of the texts below, since 1970-01-01 UTC. */
let second = 0;
let date = '';
let headEnd = '';

/** The line with the current time. */
function formatDate(): string {
  updateDate();
  return date;
}

/** The last lines of the head of an answer after which the connection stays open. */
function formatHeadEnd(): string {
  updateDate();
  return headEnd;
}

function updateDate(): void {
  const now = Math.floor(Date.now() / MS_PER_SECOND);
  if (now === second) return;
  second = now;
  date = `Date: ${new Date(now * MS_PER_SECOND).toUTCString()}\r\n`;
  headEnd = `${date}${KEEP_ALIVE}\r\n`;
}
