import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Api, memberAt } from './support.ts';

const MAIN = fileURLToPath(new URL('../../bin/cellwire.mjs', import.meta.url));
const LISTENING = /^listening on (http:\S+)$/m;
const TOKEN = /cw_[0-9A-Za-z]{43}/;

/** Numeric value of the log level `error`. */
const ERROR_LEVEL = 50;

/** Starts a request and disconnects while the service waits for the rest of the body. */
async function abortRequest({ base, token, document }: Api): Promise<void> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  const header = [
    `POST /api/v1/documents/${document}/values/clear HTTP/1.1`,
    'Host: here',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    'Expect: 100-continue',
  ];
  socket.write(`${header.join('\r\n')}\r\n\r\n{"range":`);
  await once(socket, 'data');
  socket.destroy();
}

describe('the request log', () => {
  it('has a line for each request and no user content', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cellwire-logs-'));
    const env = { ...process.env, CELLWIRE_DATA: folder, CELLWIRE_PORT: '0', CELLWIRE_LOG_LEVEL: 'info' };
    const server = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      let log = '';
      server.stderr.on('data', (bytes: Buffer) => {
        log += bytes.toString();
      });
      let output = '';
      for await (const bytes of server.stdout) {
        output += String(bytes);
        if (LISTENING.test(output)) break;
      }
      const token = TOKEN.exec(output)?.[0] ?? '';
      const api = new Api(LISTENING.exec(output)?.[1] ?? '', token, '');
      const documents = (await api.request('GET', '/documents')).body['documents'];
      const book = api.forDocument(String(memberAt(documents, 0)['id']));
      const headers = { 'x-request-id': 'the-request-in-question' };
      const body = { values: [['text in a cell']] };
      assert.equal(
        (await book.requestInDocument('PUT', '/values/H40', { body, headers, key: 'key of the write' })).status,
        200,
      );
      const url = 'https://example.com/hook-address';
      const { body: created } = await book.post('/webhooks', { url });
      assert.equal((await book.requestInDocument('PUT', '/values/H40', { raw: '{"broken body' })).status, 422);
      for (const path of ['/readyz', '/healthz']) assert.equal((await fetch(`${book.base}${path}`)).status, 200);
      await abortRequest(book);
      const closed = once(server, 'close');
      server.kill('SIGTERM');
      await closed;
      const lines = log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        lines.filter(({ route }) => route === '/readyz' || route === '/healthz'),
        [],
      );
      const line = lines.find(({ requestId }) => requestId === 'the-request-in-question');
      assert.equal(line?.['route'], '/api/v1/documents/:document/values/:range');
      assert.deepEqual([line?.['method'], line?.['status']], ['PUT', 200]);
      // A client that disconnects in the middle of a body is not logged as an error.
      assert.deepEqual(
        lines.filter(({ level }) => Number(level) >= ERROR_LEVEL),
        [],
      );
      const secrets = [token, 'text in a cell', 'H40', 'key of the write', 'hook-address', 'broken body'];
      for (const secret of [...secrets, String(created['secret'])]) assert.equal(log.includes(secret), false, secret);
    } finally {
      server.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});
