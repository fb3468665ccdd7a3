import type { IncomingHttpHeaders } from 'node:http';
import { MAX_DIRECT_HEADER_BYTES } from '../../limits/http.ts';
import { addToTextHash, finishTextHash, hashText, TEXT_HASH_START } from '../text-hash.ts';

/** Request line and header fields. */
export interface RequestHead {
  readonly method: string;
  /** The request target in origin form, and its `hashText`. */
  readonly url: string;
  readonly urlHash: number;
  /** By lower-case name. Requests with equal fields share the object. */
  readonly headers: IncomingHttpHeaders;
  /** The first bytes of the request, at least the header, each byte as one character. */
  readonly text: string;
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

/** The part of a request line after its URL. */
const LINE_END = ' HTTP/1.1\r\n';
/** The field with the size of the body. */
const LENGTH_FIELD = /(?<=^|\r\n)content-length: ?([0-9]+)(?=\r\n)/i;
const SPACE = 0x20;
const FIRST_VISIBLE = 0x21;
const LAST_VISIBLE = 0x7e;

/**
 * Reads the heads of the requests of one connection, if they have only one possible meaning: a strict subset of HTTP/1.1
 * in which every recipient finds the same fields and the same end of the message. `node:http` reads all other requests.
 * Clients repeat their fields, so equal fields are parsed once.
 */
export class RequestHeadReader {
  /** The last method. */
  private method = 'GET';
  /** The beginning of a request line with the last method, up to the first character of the URL. */
  private lineStart = 'GET /';
  /** The last field lines and the empty line after them. */
  private fieldsText = '';
  private fields: HeaderFields | null = null;

  /** The head at the beginning of `length` bytes; null if it is incomplete or not in the subset. */
  readHead(bytes: Buffer, length: number): RequestHead | null {
    const text = bytes.toString('latin1', 0, Math.min(length, MAX_DIRECT_HEADER_BYTES));
    return this.readRepeatedHead(bytes, text) ?? this.readAnyHead(text);
  }

  /**
   * The head of a request with the same method and fields as the last one; null if the request is different. This takes a
   * fraction of the time of `readAnyHead`.
   */
  private readRepeatedHead(bytes: Buffer, text: string): RequestHead | null {
    const { method, lineStart, fields, fieldsText } = this;
    if (fields === null || !text.startsWith(lineStart)) return null;
    const urlStart = lineStart.length - 1;
    let hash = TEXT_HASH_START;
    let urlEnd = urlStart;
    // The loop ends at the latest with the bytes of the text.
    for (; urlEnd < text.length; urlEnd++) {
      const byte = bytes[urlEnd] as number;
      if (byte === SPACE) break;
      if (byte < FIRST_VISIBLE || byte > LAST_VISIBLE) return null;
      hash = addToTextHash(hash, byte);
    }
    const fieldsStart = urlEnd + LINE_END.length;
    const headerBytes = fieldsStart + fieldsText.length;
    // `startsWith` with a position takes nine times as long.
    if (text.slice(urlEnd, fieldsStart) !== LINE_END || text.slice(fieldsStart, headerBytes) !== fieldsText)
      return null;
    const { headers, bodyBytes } = fields;
    const url = text.slice(urlStart, urlEnd);
    return { method, url, urlHash: finishTextHash(hash), headers, bodyBytes, text, headerBytes };
  }

  private readAnyHead(text: string): RequestHead | null {
    const lineEnd = text.indexOf('\r\n');
    const end = text.indexOf(EMPTY_LINE, lineEnd);
    // Without fields, `end` is the end of the request line.
    if (lineEnd < 0 || end <= lineEnd) return null;
    const headerBytes = end + EMPTY_LINE.length;
    const fields = this.parseFields(text.slice(lineEnd + 2, headerBytes));
    if (fields === null) return null;
    const [, method, url] = REQUEST_LINE.exec(text.slice(0, lineEnd)) ?? [];
    if (method === undefined || url === undefined) return null;
    this.method = method;
    this.lineStart = `${method} /`;
    return { method, url, urlHash: hashText(url), ...fields, text, headerBytes };
  }

  private parseFields(text: string): HeaderFields | null {
    if (text !== this.fieldsText) {
      this.fields = this.replaceLength(text) ?? parseFields(text.slice(0, -EMPTY_LINE.length));
      this.fieldsText = text;
    }
    return this.fields;
  }

  /** The last fields with another size of the body; null if the text differs in other respects. */
  private replaceLength(text: string): HeaderFields | null {
    const { fields, fieldsText } = this;
    const [last, next] = [LENGTH_FIELD.exec(fieldsText), LENGTH_FIELD.exec(text)];
    if (fields === null || last === null || next === null) return null;
    const length = next[1] as string;
    const rest = (match: RegExpExecArray, whole: string) => whole.slice(match.index + match[0].length);
    const isSame =
      text.slice(0, next.index) === fieldsText.slice(0, last.index) && rest(next, text) === rest(last, fieldsText);
    if (!isSame || !LENGTH.test(length)) return null;
    const headers = Object.freeze({ ...fields.headers, 'content-length': length });
    return { headers, bodyBytes: Number(length) };
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
