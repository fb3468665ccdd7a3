import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';

/** An HTTP response with its complete body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
}

/** Options of a request; the default is a GET without headers. */
export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** Headers of a response, by names in any case. */
export class ResponseHeaders {
  private readonly fields: IncomingHttpHeaders;

  constructor(fields: IncomingHttpHeaders) {
    this.fields = fields;
  }

  /** Value of a header; null if the header is missing. */
  get(name: string): string | null {
    const value = this.fields[name.toLowerCase()];
    return value === undefined ? null : String(value);
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  toString(): string {
    return JSON.stringify(this.fields);
  }
}

const agent = new Agent({ keepAlive: true });

/** Sends a request to a service on this machine. `fetch` would take more processor time than the service itself. */
export async function sendHttp(url: string | URL, options: HttpRequest = {}): Promise<HttpResponse> {
  const response = await sendAndAwaitHeaders(url, options);
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  const headers = new ResponseHeaders(response.headers);
  return { status: readStatus(response), headers, text: Buffer.concat(parts).toString() };
}

/** Reads a response to its end and returns the status only. */
export async function sendForStatus(url: string | URL, options: HttpRequest = {}): Promise<number> {
  const response = await sendAndAwaitHeaders(url, options);
  await once(response.resume(), 'end');
  return readStatus(response);
}

function sendAndAwaitHeaders(
  url: string | URL,
  { method = 'GET', headers = {}, body, signal }: HttpRequest,
): Promise<IncomingMessage> {
  const length: Record<string, string> = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
  return new Promise((resolve, reject) => {
    request(url, { agent, method, headers: { ...length, ...headers }, ...(signal && { signal }) }, resolve)
      .on('error', reject)
      .end(body);
  });
}

function readStatus({ statusCode = 0 }: IncomingMessage): number {
  return statusCode;
}
