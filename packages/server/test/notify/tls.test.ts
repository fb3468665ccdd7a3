import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { realClock } from '../../src/notify/clock.ts';
import { createHttpSender } from '../../src/notify/http-sender.ts';
import { createGuardedLookup } from '../../src/notify/lookup.ts';
import type { ReceiverAnswer } from '../../src/notify/outcome.ts';
import { createNetworks } from '../../src/service/networks.ts';
import { Api } from '../http/support.ts';
import { notifyingInstallation } from './installation.ts';
import { type Identity, type Received, startReceiver } from './receiver.ts';
import { hasServiceSignature, items, startNotifying, subscribe, untilState } from './support.ts';

function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}.pem`, import.meta.url));
}

function identity(name: string): Identity {
  return { key: readFileSync(fixture(`${name}.key`), 'utf8'), cert: readFileSync(fixture(`${name}.cert`), 'utf8') };
}

const RECEIVER = identity('receiver');
const STRANGER = identity('stranger');

before(() => setDefaultCACertificates([...getCACertificates('default'), RECEIVER.cert]));

/** The name that the sender asked for in the TLS handshake. */
function serverName(request: Received | undefined): unknown {
  assert.ok(request?.socket instanceof TLSSocket);
  return (request.socket as TLSSocket & { readonly servername?: unknown }).servername;
}

test('a receiver with TLS is told, and its connection kept', async (t) => {
  const world = await startNotifying(t);
  const { receiver, ...subscribed } = await subscribe(t, world, undefined, '/hook', RECEIVER);
  const { book, secret } = subscribed;
  await book.put('A1', [[1]]);
  const [first] = await receiver.take(1);
  assert.ok(first && hasServiceSignature(first, secret));
  assert.equal(first.headers.host, new URL(receiver.url).host);
  assert.equal(serverName(first), 'localhost');
  const delivered = await untilState({ receiver, ...subscribed }, 'delivered');
  assert.deepEqual([delivered['state'], delivered['attempts']['length']], ['delivered', 1]);
  await book.put('A1', [[2]]);
  const [, second] = await receiver.take(2);
  assert.equal(second?.socket, first.socket);
});

test('a receiver whose certificate nobody vouches for counts as a time-out, and is told nothing', async (t) => {
  const world = await startNotifying(t);
  const subscribed = await subscribe(t, world, undefined, '/hook', STRANGER);
  await subscribed.book.put('A1', [[1]]);
  const delivery = await untilState(subscribed, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  for (const attempt of items(delivery['attempts'])) {
    assert.deepEqual([attempt['status'], attempt['error']], [null, 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  }
  assert.equal(subscribed.receiver.received.length, 0);
});

/** Posts to a name that a name server says is this machine. */
async function post(url: string): Promise<ReceiverAnswer> {
  const networks = createNetworks(['127.0.0.0/8']);
  const lookup = createGuardedLookup(networks, async () => [{ address: '127.0.0.1', family: 4 }]);
  const sender = createHttpSender({ clock: realClock(Date.now), lookup, allowsHost: networks.allowsHost });
  const outgoing = { url: new URL(url), headers: {}, body: Buffer.from('{}') };
  const answer = await sender.send(outgoing, 30_000, new AbortController().signal);
  sender.close();
  return answer;
}

test('a connection to the address that was checked asks for the name of the URL', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const { port } = new URL(receiver.url);
  const answer = await post(`https://receiver.example:${port}/hook?a=b`);
  assert.deepEqual(answer, { kind: 'status', status: 200, retryAfter: null, text: '' });
  const [request] = await receiver.take(1);
  assert.equal(serverName(request), 'receiver.example');
  assert.equal(request?.headers.host, `receiver.example:${port}`);
  assert.equal(request?.path, '/hook?a=b');
});

test('a certificate for another name is not taken', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const { port } = new URL(receiver.url);
  const answer = await post(`https://other.example:${port}/hook`);
  assert.deepEqual(answer, { kind: 'failed', error: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  assert.equal(receiver.received.length, 0);
});

test('an operator’s own authority is given to the service by NODE_EXTRA_CA_CERTS', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const env = { CELLWIRE_LOG_LEVEL: 'silent', NODE_EXTRA_CA_CERTS: fixture('receiver.cert') };
  const { cellwire, document: id, token } = await notifyingInstallation(t, {}, env);
  const serving = await cellwire.serve();
  t.after(() => serving.end('SIGTERM'));
  const book = new Api(serving.address, token, id);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  await book.put('A1', [[1]]);
  const [request] = await receiver.take(1);
  assert.ok(request && hasServiceSignature(request, String(body['secret'])));
});
