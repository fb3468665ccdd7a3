import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';
import { startWorld } from './support.ts';

/** In all more than the buffers of a connection within one machine take. */
const ROWS = 400;
const TEXT = 'x'.repeat(30_000);
const BLOCK = 20;
const HEADER_END = '\r\n\r\n';

it('a service that stops finishes the answers that are on their way', { timeout: 60_000 }, async () => {
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
