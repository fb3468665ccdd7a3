import assert from 'node:assert/strict';
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ProtocolServer } from '../../src/http/connections/protocol-errors.ts';
import { RequestOrigins } from '../../src/http/monitoring/request-id.ts';
import { ResponseHeaders } from '../../src/http/response-headers.ts';
import { type Api, startWorld, type World } from './support.ts';

let world: World;
let book: Api;
before(async () => {
  world = await startWorld({ oneNode: true });
  book = await world.createBook();
});
after(() => world.close());

interface RawResponse {
  readonly status: number;
  /** The reason phrase of the status line. */
  readonly reason: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes; returns everything that the service sends until it closes the connection. */
function exchangeBytes(base: string, text: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
  });
  socket.write(text);
  return once(socket, 'close').then(() => received);
}

/** Splits the received text into responses by their content length. */
function parseResponses(received: string): readonly RawResponse[] {
  const answers: RawResponse[] = [];
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, rest);
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = new Map(
      lines.map((line) => line.split(/: /, 2) as [string, string]).map(([k, v]) => [k.toLowerCase(), v]),
    );
    const [, code, ...words] = first.split(' ');
    const status = Number(code);
    const length = status === 100 ? 0 : Number(headers.get('content-length'));
    assert.ok(length >= 0, rest);
    answers.push({ status, reason: words.join(' '), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

/** Asserts the common form of API errors. */
function assertApiError(answer: RawResponse | undefined = NO_RESPONSE, expected: number, what: string): void {
  const { status, reason, headers, body } = answer;
  assert.equal(status, expected, `${what}: ${body}`);
  assert.equal(reason, STATUS_CODES[status], what);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', what);
  assert.match(headers.get('x-request-id') ?? '', /^[\w-]{8,}$/, what);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.equal(headers.get('cache-control'), 'no-store', what);
  const { message } = JSON.parse(body) as { message: unknown };
  assert.ok(typeof message === 'string' && message.length > 0, what);
}

const NO_RESPONSE: RawResponse = { status: 0, reason: '', headers: new Map(), body: '' };

interface ProtocolCase {
  readonly line: string;
  readonly fields?: readonly string[];
  readonly body?: string;
  readonly status: number;
}

const PUT = 'PUT /api/v1/documents/DOCUMENT/values/A1 HTTP/1.1';
const JSON_FIELDS = ['Host: here', 'Content-Type: application/json'];
const GET = 'GET /api/v1/usage HTTP/1.1';

/** Requests that Node's server, its parser or the framework refuses before a route sees them. */
const CASES: Readonly<Record<string, ProtocolCase>> = {
  'no host': { line: GET, status: 400 },
  'two hosts': { line: GET, fields: ['Host: here', 'host: there'], status: 400 },
  'a method that there is not': { line: 'FETCH /api/v1/usage HTTP/1.1', fields: ['Host: here'], status: 400 },
  'a method of another protocol': { line: 'PROPFIND /api/v1/usage HTTP/1.1', fields: ['Host: here'], status: 404 },
  TRACE: { line: 'TRACE /api/v1/usage HTTP/1.1', fields: ['Host: here'], status: 404 },
  CONNECT: { line: 'CONNECT example.com:443 HTTP/1.1', fields: ['Host: example.com'], status: 404 },
  'a method that the address does not have': {
    line: 'POST /api/v1/usage HTTP/1.1',
    fields: ['Host: here'],
    status: 404,
  },
  'OPTIONS for the whole server': { line: 'OPTIONS * HTTP/1.1', fields: ['Host: here'], status: 404 },
  'the beginning of HTTP/2': { line: 'PRI * HTTP/2.0', body: 'SM\r\n\r\n', status: 400 },
  'an unknown version': { line: 'GET /api/v1/usage HTTP/3.0', fields: ['Host: here'], status: 400 },
  'the beginning of TLS': { line: '\x16\x03\x01\x02', status: 400 },
  'an unknown expectation': {
    line: PUT,
    fields: [...JSON_FIELDS, 'Expect: fire', 'Content-Length: 2'],
    body: '{}',
    status: 417,
  },
  'bad percent-encoding': { line: 'GET /api/v1/documents/%zz HTTP/1.1', fields: ['Host: here'], status: 404 },
  'percent-encoding that is no UTF-8': {
    line: 'GET /api/v1/documents/%E0%A4%A HTTP/1.1',
    fields: ['Host: here'],
    status: 404,
  },
  'a segment that is too long': {
    line: `GET /api/v1/documents/${'x'.repeat(5_000)} HTTP/1.1`,
    fields: ['Host: here'],
    status: 404,
  },
  'an address that is too long': {
    line: `GET /api/v1/${'x'.repeat(70_000)} HTTP/1.1`,
    fields: ['Host: here'],
    status: 431,
  },
  'a header that is too large': { line: GET, fields: ['Host: here', `X-Long: ${'x'.repeat(70_000)}`], status: 431 },
  'a header without a colon': { line: GET, fields: ['Host: here', 'what is this'], status: 400 },
  'a length that is no number': { line: PUT, fields: [...JSON_FIELDS, 'Content-Length: ten'], status: 400 },
  'two lengths': {
    line: PUT,
    fields: [...JSON_FIELDS, 'Content-Length: 2', 'Content-Length: 3'],
    body: '{}',
    status: 400,
  },
  'a length and chunks': {
    line: PUT,
    fields: [...JSON_FIELDS, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
    status: 400,
  },
  'an unknown transfer encoding': { line: PUT, fields: [...JSON_FIELDS, 'Transfer-Encoding: gzip'], status: 400 },
  'a chunk without a length': {
    line: PUT,
    fields: [...JSON_FIELDS, 'Transfer-Encoding: chunked'],
    body: 'zz\r\n',
    status: 400,
  },
  'a chunk whose extension is too long': {
    line: PUT,
    fields: [...JSON_FIELDS, 'Transfer-Encoding: chunked'],
    body: `5;${'x'.repeat(20_000)}\r\n`,
    status: 413,
  },
  'a body that is too large': { line: PUT, fields: [...JSON_FIELDS, 'Content-Length: 999999999'], status: 413 },
  'another content type': {
    line: PUT,
    fields: ['Host: here', 'Content-Type: text/plain', 'Content-Length: 2', 'Connection: close'],
    body: '{}',
    status: 422,
  },
};

describe('a request that no route receives', () => {
  for (const [what, { line, fields = [], body = '', status }] of Object.entries(CASES)) {
    it(`gets an API error: ${what}`, { timeout: 60_000 }, async () => {
      const close = status === 404 && !line.startsWith('CONNECT') ? ['Connection: close'] : [];
      const requestLines = [line, ...fields, `Authorization: Bearer ${book.token}`, ...close];
      const text = `${requestLines.join('\r\n')}\r\n\r\n${body}`.replace('DOCUMENT', book.document);
      const answers = parseResponses(await exchangeBytes(book.base, text));
      assert.equal(answers.length, 1);
      assertApiError(answers[0], status, what);
    });
  }

  it('may contain an unknown upgrade, which is ignored', async () => {
    const fields = [
      'Host: here',
      `Authorization: Bearer ${book.token}`,
      'Connection: Upgrade, close',
      'Upgrade: websocket',
    ];
    const [answer] = parseResponses(await exchangeBytes(book.base, `${[GET, ...fields].join('\r\n')}\r\n\r\n`));
    assert.equal(answer?.status, 200);
  });

  it('may omit the host in HTTP/1.0', async () => {
    const text = `GET /api/v1/usage HTTP/1.0\r\nAuthorization: Bearer ${book.token}\r\n\r\n`;
    assert.equal(parseResponses(await exchangeBytes(book.base, text))[0]?.status, 200);
  });

  it('gets 408 if its headers arrive too late', async (t) => {
    const options = { headersTimeout: 50, connectionsCheckingInterval: 10 };
    const { server, onClientError } = new ProtocolServer(options, {
      origins: new RequestOrigins([]),
      headers: new ResponseHeaders({ isSecure: false, vary: null }),
      onRequest: (response) => void response.end(),
    });
    server.on('clientError', onClientError).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const [answer] = parseResponses(await exchangeBytes(`http://127.0.0.1:${port}`, `${GET}\r\nHost: here\r\n`));
    assertApiError(answer, 408, 'too late');
  });

  it('does not affect the response to the previous request on the connection', async () => {
    const body = '{"values":[["kept"]]}';
    const fields = [...JSON_FIELDS, `Authorization: Bearer ${book.token}`, `Content-Length: ${body.length}`];
    const put = `${[PUT, ...fields].join('\r\n')}\r\n\r\n${body}`.replace('DOCUMENT', book.document);
    const [first, second] = parseResponses(await exchangeBytes(book.base, `${put}\x00\x01 what is this\r\n\r\n`));
    assert.equal(first?.status, 200, String(first?.body));
    assertApiError(second, 400, 'the second');
    assert.equal((await book.cell('A1'))['v'], 'kept');
  });
});

describe('CONNECT', () => {
  it('is refused after the previous response, and its connection closes', { timeout: 60_000 }, async () => {
    const { server, onClientError } = new ProtocolServer(
      {},
      {
        origins: new RequestOrigins([]),
        headers: new ResponseHeaders({ isSecure: false, vary: null }),
        onRequest: (response) => setImmediate(() => response.end('first')),
      },
    );
    server.on('clientError', onClientError).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const tunnel = 'CONNECT there:80 HTTP/1.1\r\nHost: there\r\n\r\n';
    for (const first of ['', 'GET / HTTP/1.1\r\nHost: here\r\n\r\n']) {
      const received = await exchangeBytes(`http://127.0.0.1:${port}`, `${first}${tunnel}bytes of the tunnel`);
      assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), [...(first === '' ? [] : ['HTTP/1.1 200']), 'HTTP/1.1 404']);
    }
    const closed = once(server, 'close');
    server.close();
    await closed;
  });
});

describe('a request during shutdown', () => {
  it('gets 503 with Retry-After', { timeout: 60_000 }, async () => {
    const stoppingWorld = await startWorld({ oneNode: true });
    const api = await stoppingWorld.createBook();
    const { hostname, port } = new URL(api.base);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let received = '';
    socket.on('data', (part: string) => {
      received += part;
    });
    const body = '{"values":[[1]]}';
    const token = `Authorization: Bearer ${api.token}`;
    const path = `/api/v1/documents/${api.document}/values/A1`;
    const put = [
      `PUT ${path} HTTP/1.1`,
      ...JSON_FIELDS,
      token,
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ];
    socket.write(`${put.join('\r\n')}\r\n\r\n`);
    while (!received.includes('100 Continue')) await once(socket, 'data');
    const closed = stoppingWorld.close();
    // The server stops accepting connections when shutdown starts.
    while (await isAccepted(hostname, Number(port))) await new Promise(setImmediate);
    socket.write(`${body}GET ${path} HTTP/1.1\r\nHost: here\r\nX-Request-Id: mine-4711\r\n${token}\r\n\r\n`);
    await once(socket, 'close');
    const [, first, second] = parseResponses(received);
    assert.equal(first?.status, 200, received);
    assertApiError(second, 503, received);
    assert.equal(second?.headers.get('x-request-id'), 'mine-4711');
    assert.match(second?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.deepEqual(JSON.parse(second?.body ?? ''), { message: 'Service busy' });
    await closed;
  });
});

function isAccepted(hostname: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, hostname);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
