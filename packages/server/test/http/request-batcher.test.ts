import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { RequestBatcher } from '../../src/http/fast-path/request-batcher.ts';
import { MAX_BATCHED_REQUESTS, MAX_UNBATCHED_READS } from '../../src/limits/http.ts';
import { sendHttp } from './send.ts';

const NO_END = Number.POSITIVE_INFINITY;

describe('simultaneous requests', () => {
  let batcher: RequestBatcher<ServerResponse>;
  const server = createServer((_request, response) => batcher.queueRequest(response));

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** Sends requests at once; returns their paths grouped by batch, until the connection ends. */
  async function sendBatches(
    addresses: readonly string[],
    handle: (response: ServerResponse) => void,
    maxBatchMs = NO_END,
  ) {
    const batches: string[][] = [];
    let isInBatch = false;
    batcher = new RequestBatcher((response) => {
      if (!isInBatch) {
        batches.push([]);
        queueMicrotask(() => {
          isInBatch = false;
        });
      }
      isInBatch = true;
      batches.at(-1)?.push(response.req.url ?? '');
      handle(response);
    }, maxBatchMs);
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    const requests = addresses.map((address) => `GET ${address} HTTP/1.1\r\nhost: here\r\n\r\n`);
    socket.write(requests.join(''));
    await once(socket, 'close');
    return batches;
  }

  const closeAfter = (last: string) => (response: ServerResponse) => {
    if (response.req.url === last) response.setHeader('connection', 'close');
    response.end();
  };

  it('are dispatched in one batch, in order of arrival', async () => {
    assert.deepEqual(await sendBatches(['/1', '/2', '/3'], closeAfter('/3')), [['/1', '/2', '/3']]);
  });

  it('are dispatched in several batches after the time limit', async () => {
    assert.deepEqual(await sendBatches(['/1', '/2', '/3'], closeAfter('/3'), 0), [['/1'], ['/2'], ['/3']]);
  });

  it('are dispatched before further reads if too many are queued', async () => {
    const addresses = Array.from({ length: MAX_BATCHED_REQUESTS + 5 }, (_, i) => `/${i}`);
    const batches = await sendBatches(addresses, closeAfter(addresses.at(-1) as string));
    assert.deepEqual(batches.flat(), addresses);
    assert.ok(batches.every(({ length }) => length <= MAX_BATCHED_REQUESTS));
  });

  it('are dispatched immediately after single requests, and with a body when it is complete', async () => {
    batcher = new RequestBatcher((response) => response.end(String(response.req.complete)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const areComplete: string[] = [];
    for (let i = 0; i < MAX_UNBATCHED_READS + 2; i++) areComplete.push((await sendHttp(url)).text);
    assert.deepEqual(areComplete, ['true', ...Array.from({ length: MAX_UNBATCHED_READS }, () => 'false'), 'true']);
    assert.equal((await sendHttp(url, { method: 'PUT', body: 'text' })).text, 'true');
  });

  it('are dropped if their connection has closed', async () => {
    assert.deepEqual(await sendBatches(['/1', '/2'], ({ req }) => req.socket.destroy()), [['/1']]);
  });
});
