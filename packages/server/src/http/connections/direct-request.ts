import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_DIRECT_HEADER_BYTES } from '../../limits/http.ts';
import type { HttpRequest } from '../http-exchange.ts';

/** A request that was read without the parser of `node:http`. */
export class DirectRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly complete = true;
  /** The bytes of the request. */
  readonly bytes: Buffer;
  private body: Buffer | null;

  constructor(socket: Socket, bytes: Buffer, { method, url, headers, headerBytes }: RequestHead) {
    this.socket = socket;
    this.bytes = bytes;
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = bytes.length === headerBytes ? null : bytes.subarray(headerBytes);
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

/** Request line and header fields. */
interface RequestHead {
  readonly method: string;
  /** The request target in origin form. */
  readonly url: string;
  /** By lower-case name. Requests with equal fields share the object. */
  readonly headers: IncomingHttpHeaders;
  /** Size up to and including the empty line. */
  readonly headerBytes: number;
  /** Size of the body that follows. */
  readonly bodyBytes: number;
}

interface HeaderFields {
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: number;
}

const EMPTY_LINE = '\r\n\r\n';
/** RFC 9112 §3: method, origin form with visible ASCII characters, version. */
const REQUEST_LINE = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/**
 * RFC 9112 §5 without empty values, tabs and folded lines, and with at most one space before a value. The value
 * consists of visible ASCII characters and spaces between them.
 */
const FIELD_LINE = /^([A-Za-z0-9-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
/** A `Content-Length` (RFC 9112 §6.2) without leading zeros. Its value is exact as a number. */
const LENGTH = /^(?:0|[1-9][0-9]{0,11})$/;
/** Fields that change how a message is framed or a connection is used, or of which `node:http` makes a list. */
const SPECIAL_FIELDS: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'trailer',
  'te',
  'expect',
  'upgrade',
  'http2-settings',
  'proxy-connection',
  'set-cookie',
]);

/**
 * Reads the heads of the requests of one connection, if they have only one possible meaning: a strict subset of HTTP/1.1
 * in which every recipient finds the same fields and the same end of the message. `node:http` reads all other requests.
 * Clients repeat their fields, so equal fields are parsed once.
 */
export class RequestHeadReader {
  private text = '';
  private fields: HeaderFields | null = null;

  /** The head at the beginning of the bytes; null if it is incomplete or not in the subset. */
  readHead(bytes: Buffer): RequestHead | null {
    const text = bytes.toString('latin1', 0, Math.min(bytes.length, MAX_DIRECT_HEADER_BYTES));
    const lineEnd = text.indexOf('\r\n');
    const end = text.indexOf(EMPTY_LINE, lineEnd);
    // Without fields, `end` is the end of the request line.
    if (lineEnd < 0 || end <= lineEnd) return null;
    const fields = this.parseFields(text.slice(lineEnd + 2, end));
    if (fields === null) return null;
    const [, method, url] = REQUEST_LINE.exec(text.slice(0, lineEnd)) ?? [];
    if (method === undefined || url === undefined) return null;
    const { headers, bodyBytes } = fields;
    return { method, url, headers, headerBytes: end + EMPTY_LINE.length, bodyBytes };
  }

  private parseFields(text: string): HeaderFields | null {
    if (text !== this.text) {
      this.text = text;
      this.fields = parseFields(text);
    }
    return this.fields;
  }
}

/** Field lines as an object; null if one is not in the subset. */
function parseFields(text: string): HeaderFields | null {
  const headers: Record<string, string> = {};
  for (const line of text.split('\r\n')) {
    const [, writtenName, value] = FIELD_LINE.exec(line) ?? [];
    if (writtenName === undefined || value === undefined) return null;
    const name = writtenName.toLowerCase();
    // A repeated field. This is also true for `constructor`, which is no field of a usual request.
    if (headers[name] !== undefined || SPECIAL_FIELDS.has(name)) return null;
    headers[name] = value;
  }
  const { host, connection = 'keep-alive', 'content-length': length = '0' } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length)) return null;
  return { headers: Object.freeze(headers), bodyBytes: Number(length) };
}
