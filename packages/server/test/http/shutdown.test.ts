import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { completeExchangesOnClose, endConnections } from '../../src/http/connections/ending-connections.ts';
import { startWorld } from './support.ts';

/** In all more than the buffers of a connection within one machine take. */
const ROWS = 400;
const TEXT = 'x'.repeat(30_000);
const BLOCK = 20;
const HEADER_END = '\r\n\r\n';

it('a service that stops finishes the answers that are on their way', { timeout: 120_000 }, async () => {
  const world = await startWorld();
  const book = await world.book();
  for (let row = 0; row < ROWS; row += BLOCK) {
    const texts = Array.from({ length: BLOCK }, (_, i) => [`${row + i} ${TEXT}`]);
    assert.equal((await book.put(`A${row + 1}`, texts)).status, 200);
  }
  const { hostname, port } = new URL(book.base);
  const socket = connect(Number(port), hostname);
  const request = [
    `GET /api/v1/documents/${book.document}/values/A1:A${ROWS} HTTP/1.1`,
    'Host: here',
    `Authorization: Bearer ${book.token}`,
  ];
  socket.write(`${request.join('\r\n')}${HEADER_END}`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  const parts = [first];
  socket.on('data', (bytes: Buffer) => parts.push(bytes));
  const closed = world.close();
  await once(socket, 'close');
  await closed;
  const answer = Buffer.concat(parts);
  const header = answer.subarray(0, answer.indexOf(HEADER_END)).toString();
  const length = Number(/content-length: (\d+)/i.exec(header)?.[1]);
  assert.ok(length > ROWS * TEXT.length, header);
  assert.equal(answer.length - header.length - HEADER_END.length, length);
});

it('a server that stops waits for a body that comes, not for what has stopped coming', {
  timeout: 120_000,
}, async (t) => {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    request.on('end', () => response.end(String(bytes)));
  });
  // Far longer than a busy machine keeps the body that comes from doing so.
  completeExchangesOnClose(server, 2_000, 2_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const begin = (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(text);
    return socket;
  };
  const header = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ';
  const stalled = [begin(header), begin(`${header}10${HEADER_END}12345`)];
  await once(server, 'request');
  const coming = begin(`${header}1000000${HEADER_END}`);
  await once(server, 'request');
  for (const socket of stalled) socket.resume();
  let answer = '';
  coming.on('data', (part: Buffer) => {
    answer += part.toString();
  });
  const closing = endConnections(server, () => new Promise((resolve) => server.close(resolve)));
  let sent = 0;
  while (stalled.some((socket) => !socket.closed)) {
    coming.write('x');
    sent++;
    await new Promise(setImmediate);
  }
  coming.write('x'.repeat(1_000_000 - sent));
  await once(coming, 'close');
  assert.match(answer, /200 OK[\s\S]*1000000/);
  await closing;
});
