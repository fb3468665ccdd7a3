import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { RequestBatcher } from '../../src/http/fast-path/request-batcher.ts';
import { MAX_BATCHED_REQUESTS, MAX_UNBATCHED_READS } from '../../src/limits/http.ts';
import { send } from './send.ts';

const NO_END = Number.POSITIVE_INFINITY;

describe('requests that come together', () => {
  let batcher: RequestBatcher;
  const server = createServer((_request, response) => batcher.add(response));

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** Sends requests in one go; their addresses by the pieces in which they are taken up, until the connection ends. */
  async function pieces(addresses: readonly string[], handle: (response: ServerResponse) => void, pieceMs = NO_END) {
    const found: string[][] = [];
    let hasBegun = false;
    batcher = new RequestBatcher((response) => {
      if (!hasBegun) {
        found.push([]);
        queueMicrotask(() => {
          hasBegun = false;
        });
      }
      hasBegun = true;
      found.at(-1)?.push(response.req.url ?? '');
      handle(response);
    }, pieceMs);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    const requests = addresses.map((address) => `GET ${address} HTTP/1.1\r\nhost: here\r\n\r\n`);
    socket.write(requests.join(''));
    await once(socket, 'close');
    return found;
  }

  const endAt = (last: string) => (response: ServerResponse) => {
    if (response.req.url === last) response.setHeader('connection', 'close');
    response.end();
  };

  it('are taken up in one piece, in the order in which they came', async () => {
    assert.deepEqual(await pieces(['/1', '/2', '/3'], endAt('/3')), [['/1', '/2', '/3']]);
  });

  it('let others have a turn once a piece has taken its time', async () => {
    assert.deepEqual(await pieces(['/1', '/2', '/3'], endAt('/3'), 0), [['/1'], ['/2'], ['/3']]);
  });

  it('are taken up before more are read where too many wait', async () => {
    const addresses = Array.from({ length: MAX_BATCHED_REQUESTS + 5 }, (_, i) => `/${i}`);
    const found = await pieces(addresses, endAt(addresses.at(-1) as string));
    assert.deepEqual(found.flat(), addresses);
    assert.ok(found.every(({ length }) => length <= MAX_BATCHED_REQUESTS));
  });

  it('are taken up as they come where one came alone, those with a body once it is there', async () => {
    batcher = new RequestBatcher((response) => response.end(String(response.req.complete)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const areComplete: string[] = [];
    for (let i = 0; i < MAX_UNBATCHED_READS + 2; i++) areComplete.push((await send(url)).text);
    assert.deepEqual(areComplete, ['true', ...Array.from({ length: MAX_UNBATCHED_READS }, () => 'false'), 'true']);
    assert.equal((await send(url, { method: 'PUT', body: 'text' })).text, 'true');
  });

  it('are left alone once their connection is gone', async () => {
    assert.deepEqual(await pieces(['/1', '/2'], ({ req }) => req.socket.destroy()), [['/1']]);
  });
});
