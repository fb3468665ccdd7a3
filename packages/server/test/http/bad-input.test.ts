import assert from 'node:assert/strict';
import { METHODS, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sendHttp } from './send.ts';
import { type Json, memberAt, startWorld, type World } from './support.ts';

let world: World;
before(async () => {
  world = await startWorld({ limits: { maxBodyBytes: 100_000 }, oneNode: true });
});
after(() => world.close());

describe('a request body', () => {
  it('is refused with 422 and the field name if it has the wrong shape', async () => {
    const book = await world.createBook();
    const cases: readonly [raw: string, field: string][] = [
      ['{}', 'values'],
      ['[]', 'body'],
      ['null', 'body'],
      ['"x"', 'body'],
      ['{"values":null}', 'values'],
      ['{"values":[]}', 'values'],
      ['{"values":[[]]}', 'values'],
      ['{"values":[[],[]]}', 'values'],
      ['{"values":[1]}', 'values.0'],
      ['{"values":["A"]}', 'values.0'],
      ['{"values":[[{}]]}', 'values.0.0'],
      ['{"values":[[[1]]]}', 'values.0.0'],
      ['{"values":[[1e309]]}', 'values.0.0'],
      ['{"values":[[1],[2,-1e999]]}', 'values.1.1'],
      ['{"values":[[1]],"valueInputOption":"raw"}', 'valueInputOption'],
      ['{"values":[[1]],"valueInputOption":null}', 'valueInputOption'],
      ['{"values":[[1]],"majorDimension":"BOTH"}', 'majorDimension'],
    ];
    for (const [raw, field] of cases) {
      const { status, body } = await book.requestInDocument('PUT', '/values/A1', { raw });
      assert.deepEqual([status, Object.keys(body['errors'] ?? {})], [422, [field]], raw);
      assert.equal(memberAt(body, 'errors', field)[0], body['message'], raw);
    }
    assert.equal(await book.revision(), '0');
  });

  it('is checked by the other write operations, too', async () => {
    const book = await world.createBook();
    const cases: readonly [path: string, body: unknown, field: string][] = [
      ['/values/append', { values: [[1]] }, 'range'],
      ['/values/append', { range: 5, values: [[1]] }, 'range'],
      ['/values/append', { range: 'A1' }, 'values'],
      ['/values/clear', {}, 'range'],
      ['/values/batchUpdate', {}, 'data'],
      ['/values/batchUpdate', { data: [] }, 'data'],
      ['/values/batchUpdate', { data: [{ range: 'A1' }] }, 'data.0.values'],
      ['/values/batchUpdate', { data: [{ range: 'A1', values: [[1]] }, { values: [[1]] }] }, 'data.1.range'],
      ['/values/batchUpdate', { data: [{ range: 'A1', values: [[]] }] }, 'data.0.values'],
    ];
    for (const [path, body, field] of cases) {
      const answer = await book.post(path, body);
      assert.deepEqual(
        [answer.status, Object.keys(memberAt(answer.body, 'errors'))],
        [422, [field]],
        JSON.stringify(body),
      );
    }
  });

  it('is refused with 422 if it is not JSON or not UTF-8', async () => {
    const book = await world.createBook();
    for (const raw of [
      '{"values":[[1]]',
      'values=1',
      "{'values':[[1]]}",
      '{"values":[[NaN]]}',
      '{"values":[[01]]}',
      new Uint8Array([...Buffer.from('{"values":[["'), 0xff, ...Buffer.from('"]]}')]),
    ]) {
      const { status, body } = await book.requestInDocument('PUT', '/values/A1', { raw });
      assert.equal(status, 422);
      assert.equal(typeof body['message'], 'string');
    }
    assert.equal((await book.requestInDocument('PUT', '/values/A1')).status, 422);
    assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw: '' })).status, 422);
    // A byte order mark is ignored.
    assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw: '\uFEFF{"values":[[1]]}' })).status, 200);
  });

  it('is refused with 422 if its content type is not JSON', async () => {
    const book = await world.createBook();
    const send = async (type: string) => {
      const headers = { 'content-type': type };
      return (await book.requestInDocument('PUT', '/values/A1', { raw: '{"values":[[1]]}', headers })).status;
    };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'x']) {
      assert.equal(await send(type), 422, type);
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/merge-patch+json',
    ]) {
      assert.equal(await send(type), 200, type);
    }
  });

  it('is refused with 422 if it is compressed', async () => {
    const book = await world.createBook();
    const body = JSON.stringify({ values: [[1]] });
    const cases: readonly [encoding: string, raw: string | Uint8Array<ArrayBuffer>, status: number][] = [
      ['gzip', new Uint8Array(gzipSync(body)), 422],
      ['br', new Uint8Array(brotliCompressSync(body)), 422],
      ['gzip', body, 422],
      ['identity, gzip', body, 422],
      ['identity', body, 200],
      ['Identity', body, 200],
    ];
    for (const [encoding, raw, status] of cases) {
      const answer = await book.requestInDocument('PUT', '/values/A1', {
        raw,
        headers: { 'content-encoding': encoding },
      });
      assert.equal(answer.status, status, encoding);
      if (status !== 200) assert.equal(answer.body['message'], 'The body must not be compressed');
    }
  });

  it('is read as UTF-8 regardless of the charset, with any JSON content type', async () => {
    const book = await world.createBook();
    const cases: readonly [type: string, status: number][] = [
      ['application/json', 200],
      ['Application/JSON; charset=UTF-8', 200],
      ['application/json;charset=iso-8859-1', 200],
      ['application/vnd.api+json', 200],
      ['application/json-seq', 422],
      ['text/json', 422],
      ['text/plain', 422],
      ['application/x-www-form-urlencoded', 422],
      ['application/json, text/plain', 422],
      ['json', 422],
    ];
    for (const [type, status] of cases) {
      const options = { body: { values: [['é']] }, headers: { 'content-type': type } };
      assert.equal((await book.requestInDocument('PUT', '/values/A1', options)).status, status, type);
    }
    assert.deepEqual(await book.cell('A1'), { v: 'é', m: 'é' });
  });

  it('gets an error message that names the accepted values', async () => {
    const book = await world.createBook();
    const cases: readonly [body: unknown, message: string][] = [
      [{ values: [[[]]] }, 'values.0.0 must be string or number or boolean or null or object'],
      [
        { values: [[{}]] },
        'values.0.0 must be { "value", "as" } with as one of text, number, date, time, duration, boolean, formula',
      ],
      [{ values: [] }, 'values must not be empty'],
      [{ values: 5 }, 'values must be array'],
      [{}, 'values is required'],
      [{ values: [[1]], majorDimension: 'rows' }, 'majorDimension must be one of ROWS, COLUMNS'],
    ];
    for (const [body, message] of cases) {
      assert.equal((await book.requestInDocument('PUT', '/values/A1', { body })).body['message'], message);
    }
    const long = await book.post('/webhooks', { url: `https://example.com/${'x'.repeat(2048)}` });
    assert.equal(long.body['message'], 'url must not have more than 2048 characters');
  });

  it('is refused with 413 if it is too large', async () => {
    const book = await world.createBook();
    const { status, body } = await book.put('A1', [['x'.repeat(100_000)]]);
    assert.deepEqual([status, body], [413, { message: 'The body is too large' }]);
    // Authentication is checked first.
    assert.equal((await world.apiFor('nobody', book.document).put('A1', [['x'.repeat(100_000)]])).status, 401);
  });

  it('gets a complete 413 response even if it is far too large', async () => {
    const book = await world.createBook();
    const raw = JSON.stringify({ values: [['x'.repeat(20_000_000)]] });
    for (let round = 0; round < 5; round++) {
      assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw })).status, 413);
    }
    assert.equal((await book.put('A1', [[1]])).status, 200);
  });

  it('cannot change a prototype through its names', async () => {
    const book = await world.createBook();
    for (const raw of [
      '{"values":[[1]],"__proto__":{"valueInputOption":"nonsense"}}',
      '{"values":[[1]],"constructor":{"prototype":{"x":1}}}',
    ]) {
      assert.equal(
        (await book.requestInDocument('PUT', '/values/A1', { raw, key: raw.slice(15, 40) })).status,
        422,
        raw,
      );
    }
    assert.equal(({} as Record<string, unknown>)['x'], undefined);
    const onlyProto = await book.requestInDocument('PUT', '/values/A1', { raw: '{"__proto__":{"values":[[1]]}}' });
    assert.equal(onlyProto.status, 422);
  });

  it('is refused if it is nested too deeply', async () => {
    const book = await world.createBook();
    const depth = 49_000;
    const raw = `{"values":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw })).status, 422);
    assert.equal((await book.requestInDocument('PUT', '/values/A1', { raw, key: 'deep' })).status, 422);
  });

  it('keeps numbers at the limits of a double', async () => {
    const book = await world.createBook();
    await book.requestInDocument('PUT', '/values/A1', { raw: '{"values":[[1.2345678901234567e19, -0.0, 5e-324]]}' });
    const [row] = (await book.cells('A1:C1')) as unknown as { v: number }[][];
    assert.deepEqual(
      row?.map(({ v }) => v),
      [12345678901234567000, 0, 5e-324],
    );
  });
});

describe('a request path', () => {
  it('is not found if it cannot be decoded', async () => {
    const book = await world.createBook();
    for (const path of ['/values/%zz', '/values/%', '/values/%C3%28', '/sheets/%ff']) {
      const { status, body } = await book.requestInDocument('GET', path);
      assert.deepEqual([status, body], [404, { message: 'Not found' }], path);
    }
  });

  it('is not found in another form or with another method', async () => {
    const book = await world.createBook();
    for (const [method, path] of [
      ['GET', '/values/A1/'],
      ['GET', '/values'],
      ['POST', '/values/A1'],
      ['DELETE', '/values/A1'],
      ['GET', '/values/A1/B1'],
      ['PUT', '/sheets/Sheet1'],
      ['GET', '/sheets/Sheet1'],
      ['OPTIONS', '/values/A1'],
      ['PUT', ''],
    ] as const) {
      const { status, body } = await book.requestInDocument(method, path);
      assert.deepEqual([status, body], [404, { message: 'Not found' }], `${method} ${path}`);
    }
  });

  it('refuses every other HTTP method', async () => {
    const book = await world.createBook();
    const { hostname, port } = new URL(world.server.address);
    for (const method of METHODS) {
      // The service refuses CONNECT by closing the connection.
      if (['CONNECT', 'GET', 'HEAD', 'PUT'].includes(method)) continue;
      const path = `/api/v1/documents/${book.document}/values/A1`;
      const status = await new Promise((resolve, reject) => {
        const outgoing = request({ hostname, port, path, method, headers: { authorization: `Bearer ${book.token}` } });
        outgoing.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
        outgoing.end();
      });
      assert.equal(status, 404, method);
    }
  });

  it('is refused if a path segment is empty', async () => {
    const book = await world.createBook();
    assert.equal((await book.requestInDocument('GET', '/values/')).status, 422);
    assert.equal((await book.request('GET', '/documents/')).status, 404);
    assert.equal((await book.request('GET', '/documents//values/A1')).status, 404);
  });

  it('answers HEAD like GET, without a body', async () => {
    const book = await world.createBook();
    await book.put('A1', [[1]]);
    const head = await book.requestInDocument('HEAD', '/values/A1');
    const get = await book.requestInDocument('GET', '/values/A1');
    assert.deepEqual([head.status, head.body], [200, null]);
    assert.equal(head.headers.get('etag'), get.headers.get('etag'));
    assert.equal((await world.apiFor('nobody', book.document).requestInDocument('HEAD', '/values/A1')).status, 401);
    // Large responses take a different code path.
    await book.put('A1', [Array.from({ length: 2_000 }, (_, index) => index)]);
    const readLength = async (method: string) => {
      const answer = await book.requestInDocument(method, '/values/A1:BXX1');
      return [answer.status, Number(answer.headers.get('content-length')), answer.body === null];
    };
    const [status, bytes] = await readLength('GET');
    assert.ok(Number(bytes) > 32_000);
    assert.deepEqual(await readLength('HEAD'), [status, bytes, true]);
    assert.equal((await book.get('A1')).status, 200);
  });

  it('may be long, within a limit', async () => {
    const book = await world.createBook();
    const longest = `'${'я'.repeat(255)}'!A1`;
    assert.equal((await book.batchGet(Array.from({ length: 20 }, () => longest))).status, 200);
    assert.equal((await book.get('x'.repeat(70_000))).status, 431);
    const { status } = await book.get(`'${'я'.repeat(255)}'!A1`);
    assert.equal(status, 404);
    assert.equal((await book.get(`${'x'.repeat(5_000)}!A1`)).status, 404);
  });
});

describe('every response', () => {
  it('has a request id; a harmless id of the caller is kept', async () => {
    const book = await world.createBook();
    const readRequestId = async (given?: string) => {
      const answer = await book.requestInDocument(
        'GET',
        '/values/A1',
        given === undefined ? {} : { headers: { 'x-request-id': given } },
      );
      return answer.headers.get('x-request-id') ?? '';
    };
    assert.equal(await readRequestId('job-42:7'), 'job-42:7');
    assert.notEqual(await readRequestId(), await readRequestId());
    for (const odd of ['a b', '<script>', 'x'.repeat(129)]) assert.match(await readRequestId(odd), /^[0-9a-f-]{36}$/);
    for (const path of ['/values/%zz', '/nothing', '/values/nonsense']) {
      assert.match(
        (await book.requestInDocument('GET', path)).headers.get('x-request-id') ?? '',
        /^[0-9a-f-]{36}$/,
        path,
      );
    }
  });

  it('forbids caching and content sniffing', async () => {
    const book = await world.createBook();
    const { headers } = await book.requestInDocument('GET', '/webhooks');
    assert.deepEqual(
      [headers.get('cache-control'), headers.get('x-content-type-options'), headers.get('access-control-allow-origin')],
      ['no-store', 'nosniff', null],
    );
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
  });
});

/** Sends raw bytes and returns all bytes until the connection ends. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(world.server.address);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (bytes) => {
      received += bytes.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('a connection', () => {
  it('stays open after a refusal and serves the next request', async () => {
    const book = await world.createBook();
    const path = `/api/v1/documents/${book.document}/values/A1`;
    const body = '{"values":[[1]]}';
    const formatHead = (method: string, target: string, ...fields: string[]) =>
      [`${method} ${target} HTTP/1.1`, 'Host: here', ...fields, '', ''].join('\r\n');
    const json = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    const token = `Authorization: Bearer ${book.token}`;
    const text = await exchange(
      [
        formatHead('PUT', path, ...json) + body,
        formatHead('PUT', '/nothing', token, ...json) + body,
        formatHead('PUT', path.replace('A1', 'A0'), token, ...json) + body,
        formatHead('PUT', path, token, 'Content-Type: text/plain', `Content-Length: ${body.length}`) + body,
        formatHead('PUT', path, token, ...json) + body,
        formatHead('GET', path, token, 'Connection: close'),
      ].join(''),
    );
    const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
    assert.deepEqual(statuses, [401, 404, 422, 422, 200, 200]);
  });

  it('accepts a chunked body', async () => {
    const book = await world.createBook();
    const head = [
      `PUT /api/v1/documents/${book.document}/values/A1 HTTP/1.1`,
      'Host: here',
      `Authorization: Bearer ${book.token}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Connection: close',
    ];
    const text = await exchange(`${head.join('\r\n')}\r\n\r\n5\r\n{"val\r\nb\r\nues":[[7]]}\r\n0\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.deepEqual(await book.cell('A1'), { v: 7, m: '7' });
  });

  it('of HTTP/1.0 without a Host header gets absolute URLs that work', async () => {
    const book = await world.createBook();
    const path = `/api/v1/documents/${book.document}`;
    const text = await exchange(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${book.token}\r\n\r\n`);
    assert.ok(text.includes(`"contentUrl":"${world.server.address}${path}/content"`), text);
  });

  it('without HTTP gets 400, and the service keeps running', async () => {
    const text = await exchange('this is no request\r\n\r\n');
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    assert.match(text, /\{"message":"[^"]+"\}$/);
    const health = JSON.parse((await sendHttp(`${world.server.address}/healthz`)).text) as Json;
    assert.deepEqual(health, { status: 'ok' });
  });
});
