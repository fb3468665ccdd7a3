import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { MemoryBudget } from '../../src/http/bodies/memory-budget.ts';
import { AdapterRequests, type FastAdapter } from '../../src/http/fast-path/adapter-requests.ts';
import { RequestOrigins } from '../../src/http/monitoring/request-id.ts';
import { ResponseHeaders } from '../../src/http/response-headers.ts';
import { ANSWER_CAPACITY_BYTES } from '../../src/limits/http.ts';
import { type HttpRequest, sendHttp } from './send.ts';

const MAX_BODY_BYTES = 100;

const adapter: FastAdapter = {
  prefix: '/adapter/',
  route: '/adapter/*',
  findMethod: () => async () => ({ status: 200, fields: [], body: 'adapter', caller: null }),
};

describe('an adapter without the framework', () => {
  const requests = new AdapterRequests({
    adapter,
    origins: new RequestOrigins([]),
    headers: new ResponseHeaders({ isSecure: false, vary: null }),
    answers: new MemoryBudget(ANSWER_CAPACITY_BYTES),
    maxBodyBytes: MAX_BODY_BYTES,
    logger: pino({ enabled: false }),
    onAnswered: () => {},
  });
  const server = createServer((request, response) => {
    const dispatch = () => requests.handleRequest(request, response, 0, () => response.end('framework'));
    // As `RequestBatcher` does: writes get time for their body to arrive, single reads do not.
    if (request.method === 'GET') dispatch();
    else setImmediate(dispatch);
  });
  before(async () => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => server.close());

  const json = { 'content-type': 'application/json; charset=utf-8' };
  const cases: readonly (readonly [name: string, answeredBy: 'adapter' | 'framework', request: HttpRequest])[] = [
    ['a GET that the parser has not completed', 'adapter', {}],
    ['a GET with a body', 'framework', { headers: { ...json, 'content-length': '2' }, body: '{}' }],
    ['a short body', 'adapter', { method: 'POST', headers: { ...json, 'content-length': '2' }, body: '{}' }],
    ['an invalid content type', 'framework', { headers: { 'content-type': 'json' } }],
    ['an empty content type', 'framework', { headers: { 'content-type': '' } }],
    ['a compressed body', 'framework', { headers: { 'content-encoding': 'gzip' } }],
  ];
  for (const [name, answeredBy, request] of cases) {
    it(`the ${answeredBy} answers ${name}`, async () => {
      const { port } = server.address() as AddressInfo;
      assert.equal((await sendHttp(`http://127.0.0.1:${port}/adapter/x`, request)).text, answeredBy);
    });
  }
});
