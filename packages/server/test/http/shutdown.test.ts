import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { it } from 'node:test';
import { completeExchangesOnClose, endConnections } from '../../src/http/connections/ending-connections.ts';
import { startWorld } from './support.ts';

/** Together more than the buffers of a local connection. */
const ROWS = 400;
const TEXT = 'x'.repeat(30_000);
const BLOCK = 20;
const HEADER_END = '\r\n\r\n';

it('a stopping service completes the responses in progress', { timeout: 120_000 }, async () => {
  const world = await startWorld();
  const book = await world.createBook();
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

it('a stopping server waits for active uploads, but not for stalled ones', {
  timeout: 120_000,
}, async (t) => {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    request.on('end', () => response.end(String(bytes)));
  });
  // Far longer than a busy machine interrupts the active upload.
  completeExchangesOnClose(server, 2_000, 2_000);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const startRequest = (text: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(text);
    return socket;
  };
  const header = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ';
  const stalled = [startRequest(header), startRequest(`${header}10${HEADER_END}12345`)];
  await once(server, 'request');
  const activeUpload = startRequest(`${header}1000000${HEADER_END}`);
  await once(server, 'request');
  for (const socket of stalled) socket.resume();
  let answer = '';
  activeUpload.on('data', (part: Buffer) => {
    answer += part.toString();
  });
  const closing = endConnections(server, () => new Promise((resolve) => server.close(resolve)));
  let sent = 0;
  while (stalled.some((socket) => !socket.closed)) {
    activeUpload.write('x');
    sent++;
    await new Promise(setImmediate);
  }
  activeUpload.write('x'.repeat(1_000_000 - sent));
  await once(activeUpload, 'close');
  assert.match(answer, /200 OK[\s\S]*1000000/);
  await closing;
});
