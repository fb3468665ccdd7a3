import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';

/** The request that a scenario expects. Absent members are not compared. */
export interface ExpectedRequest {
  readonly method?: string;
  /** Path below `/api/v1`, with the encoded query. */
  readonly path?: string;
  /** Values by lower-case name; null if the header must be missing. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  /** The number of lines of the body. */
  readonly lines?: number;
  /** Minimum time since the previous answer, in milliseconds. */
  readonly notBefore?: number;
}

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  /** Lines of JSON. */
  readonly lines?: readonly unknown[];
  /** Server-sent events: name and data. */
  readonly events?: readonly (readonly [name: string, data: unknown])[];
  /** Number of lines of the body to read before the response; as a list, before each line of the response. */
  readonly afterLines?: number | readonly number[];
  /** Breaks the connection after the response above; if there is none, without a response. */
  readonly breaks?: boolean;
  /** Leaves the connection open after the response above. */
  readonly hangs?: boolean;
  /** The `Content-Length` header; it may differ from the length of the answer. */
  readonly length?: number;
}

export interface ScriptedExchange {
  readonly request?: ExpectedRequest;
  readonly answer: ScriptedAnswer;
}

/** The expected requests of one client and their answers. The token identifies the client. */
class Script {
  readonly problems: string[] = [];
  private readonly exchanges: readonly ScriptedExchange[];
  private next = 0;
  /** Taken before the answer is written, because the client may read it long before this process continues. */
  private answeredAt = 0;
  private readonly keys: (string | undefined)[] = [];

  constructor(exchanges: readonly ScriptedExchange[]) {
    this.exchanges = exchanges;
  }

  get isComplete(): boolean {
    return this.next === this.exchanges.length;
  }

  /** The `Idempotency-Key` headers of all requests. */
  get sentKeys(): readonly (string | undefined)[] {
    return this.keys;
  }

  async serveNext(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = this.exchanges[this.next++];
    if (exchange === undefined) {
      this.problems.push(`one request too many: ${request.method} ${request.url}`);
      response.writeHead(400).end('{"message":"one request too many"}');
      return;
    }
    this.keys.push(request.headers['idempotency-key'] as string | undefined);
    const { request: expected = {}, answer } = exchange;
    const elapsedMs = Date.now() - this.answeredAt;
    // The timers of a client and the clock of this process may differ by some milliseconds.
    if (expected.notBefore !== undefined && elapsedMs < expected.notBefore - 20) {
      this.problems.push(`request ${this.next} came after ${elapsedMs} ms, not ${expected.notBefore}`);
    }
    const body = new RequestBody(request);
    if (Array.isArray(answer.afterLines)) {
      await writeInTurns(response, body, answer, answer.afterLines);
      this.answeredAt = Date.now();
    } else {
      await body.readLines(answer.afterLines as number | undefined);
      this.answeredAt = Date.now();
      writeAnswer(response, answer);
    }
    this.checkRequest(request, body.text, expected);
  }

  private checkRequest({ method, url = '', headers }: IncomingMessage, body: string, expected: ExpectedRequest): void {
    const differs = (part: string, actual: unknown, expectedValue: unknown) => {
      if (expectedValue === undefined || isDeepStrictEqual(actual, expectedValue)) return;
      this.problems.push(
        `${part} of request ${this.next} is ${JSON.stringify(actual)}, not ${JSON.stringify(expectedValue)}`,
      );
    };
    differs('the method', method, expected.method);
    differs('the address', splitAddress(url.replace(/^\/api\/v1/, '')), expected.path && splitAddress(expected.path));
    for (const [name, value] of Object.entries(expected.headers ?? {})) differs(name, headers[name] ?? null, value);
    if (expected.body !== undefined) differs('the body', body === '' ? null : JSON.parse(body), expected.body);
    if (expected.lines !== undefined) differs('the number of lines', countLines(body), expected.lines);
  }
}

export class ScriptedServer {
  private readonly server: Server;
  private readonly scripts = new Map<string, Script>();

  private constructor(server: Server) {
    this.server = server;
  }

  static async start(): Promise<ScriptedServer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const scripted = new ScriptedServer(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
      const script = scripted.scripts.get(token);
      if (script === undefined) response.writeHead(401).end();
      else script.serveNext(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  addScript(token: string, exchanges: readonly ScriptedExchange[]): Script {
    const script = new Script(exchanges);
    this.scripts.set(token, script);
    return script;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** The encoded path, and the decoded parts of the query in alphabetical order. */
function splitAddress(address: string): readonly string[] {
  const [path = '', query = ''] = address.split('?');
  return [path, ...query.split('&').map(decodeURIComponent).toSorted()];
}

function countLines(body: string): number {
  return body.split('\n').filter((line) => line !== '').length;
}

/** A request body that is read line by line. */
class RequestBody {
  text = '';
  private readonly parts: AsyncIterator<string>;
  private readonly request: IncomingMessage;

  constructor(request: IncomingMessage) {
    request.setEncoding('utf8');
    this.request = request;
    this.parts = request.iterator({ destroyOnReturn: false });
  }

  /** Reads the body to its end or up to a number of lines, and drops later lines. */
  async readLines(lines = Number.POSITIVE_INFINITY): Promise<void> {
    await this.readUpToLine(lines);
    this.request.resume();
  }

  async readUpToLine(lines: number): Promise<void> {
    while (countLines(this.text) < lines) {
      const { done, value } = await this.parts.next();
      if (done) return;
      this.text += value;
    }
  }
}

async function writeInTurns(
  response: ServerResponse,
  body: RequestBody,
  { lines = [] }: ScriptedAnswer,
  afterLines: readonly number[],
): Promise<void> {
  for (const [i, line] of lines.entries()) {
    await body.readUpToLine(afterLines[i] ?? Number.POSITIVE_INFINITY);
    if (i === 0) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(`${JSON.stringify(line)}\n`);
  }
  await body.readLines();
  response.end();
}

function writeAnswer(response: ServerResponse, answer: ScriptedAnswer): void {
  const { status = 200, headers = {}, json, lines, events, breaks = false, hangs = false, length } = answer;
  const text =
    (json === undefined ? (answer.text ?? '') : JSON.stringify(json)) +
    (lines ?? []).map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('') +
    (events ?? []).map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  const isEmpty = text === '' && answer.status === undefined;
  if (breaks && isEmpty) return void response.destroy();
  if (hangs && isEmpty) return;
  const type = lines ? 'application/x-ndjson' : events ? 'text/event-stream' : 'application/json';
  response.writeHead(status, {
    'content-type': type,
    ...(length === undefined ? {} : { 'content-length': String(length) }),
    ...headers,
  });
  if (!breaks && !hangs) return void response.end(text);
  response.write(text, () => {
    // Waits so that the written bytes arrive before the connection breaks.
    if (breaks) setTimeout(() => response.destroy(), 50);
  });
}
