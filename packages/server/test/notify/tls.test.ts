import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { createRealClock } from '../../src/notify/clock.ts';
import { createHttpSender } from '../../src/notify/http-sender.ts';
import { createGuardedLookup } from '../../src/notify/lookup.ts';
import type { ReceiverAnswer } from '../../src/notify/outcome.ts';
import { createNetworks } from '../../src/service/networks.ts';
import { Api, memberAt } from '../http/support.ts';
import { createNotifyingInstallation } from './installation.ts';
import { type ReceivedRequest, startReceiver, type TlsIdentity } from './receiver.ts';
import { hasServiceSignature, startNotifying, subscribe, toElements, waitForState } from './support.ts';

function readFixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}.pem`, import.meta.url));
}

function readIdentity(name: string): TlsIdentity {
  return {
    key: readFileSync(readFixture(`${name}.key`), 'utf8'),
    cert: readFileSync(readFixture(`${name}.cert`), 'utf8'),
  };
}

const RECEIVER = readIdentity('receiver');
const STRANGER = readIdentity('stranger');

/** Other test files of this process must not trust the certificate. */
const originalCertificates = getCACertificates('default');
before(() => setDefaultCACertificates([...originalCertificates, RECEIVER.cert]));
after(() => setDefaultCACertificates(originalCertificates));

/** Returns the server name of the TLS handshake. */
function getServerName(request: ReceivedRequest | undefined): unknown {
  assert.ok(request?.socket instanceof TLSSocket);
  return (request.socket as TLSSocket & { readonly servername?: unknown }).servername;
}

test('a receiver with TLS is notified, and its connection is reused', async (t) => {
  const world = await startNotifying(t);
  const { receiver, ...subscription } = await subscribe(t, world, undefined, '/hook', RECEIVER);
  const { book, secret } = subscription;
  await book.put('A1', [[1]]);
  const [first] = await receiver.waitForRequests(1);
  assert.ok(first && hasServiceSignature(first, secret));
  assert.equal(first.headers.host, new URL(receiver.url).host);
  assert.equal(getServerName(first), 'localhost');
  const delivered = await waitForState({ receiver, ...subscription }, 'delivered');
  assert.deepEqual([delivered['state'], memberAt(delivered, 'attempts')['length']], ['delivered', 1]);
  // The sender closes connections that are idle for some seconds, which may pass on a busy machine. Then repeat.
  for (let count = 2, isReused = false; !isReused; count++) {
    assert.ok(count < 6, 'each request had a connection of its own');
    await book.put('A1', [[count]]);
    const [previous, next] = (await receiver.waitForRequests(count)).slice(count - 2);
    isReused = previous?.socket === next?.socket;
  }
});

test('an untrusted certificate counts as a timeout, and nothing is sent', async (t) => {
  const world = await startNotifying(t);
  const subscription = await subscribe(t, world, undefined, '/hook', STRANGER);
  await subscription.book.put('A1', [[1]]);
  const delivery = await waitForState(subscription, 'delivered', 'refused', 'exhausted');
  assert.equal(delivery['state'], 'exhausted');
  for (const attempt of toElements(delivery['attempts'])) {
    assert.deepEqual([attempt['status'], attempt['error']], [null, 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  }
  assert.equal(subscription.receiver.received.length, 0);
});

/** Posts to a name that resolves to this machine. */
async function post(url: string): Promise<ReceiverAnswer> {
  const networks = createNetworks(['127.0.0.0/8']);
  const lookup = createGuardedLookup(networks, async () => [{ address: '127.0.0.1', family: 4 }]);
  const sender = createHttpSender({ clock: createRealClock(Date.now), lookup, allowsHost: networks.allowsHost });
  const outgoing = { url: new URL(url), headers: {}, body: Buffer.from('{}') };
  const answer = await sender.send(outgoing, 30_000, new AbortController().signal);
  sender.close();
  return answer;
}

test('a connection to the checked address uses the host name of the URL', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const { port } = new URL(receiver.url);
  const answer = await post(`https://receiver.example:${port}/hook?a=b`);
  assert.deepEqual(answer, { kind: 'status', status: 200, retryAfter: null, text: '' });
  const [request] = await receiver.waitForRequests(1);
  assert.equal(getServerName(request), 'receiver.example');
  assert.equal(request?.headers.host, `receiver.example:${port}`);
  assert.equal(request?.path, '/hook?a=b');
});

test('a certificate for another name is refused', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const { port } = new URL(receiver.url);
  const answer = await post(`https://other.example:${port}/hook`);
  assert.deepEqual(answer, { kind: 'failed', error: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  assert.equal(receiver.received.length, 0);
});

test('NODE_EXTRA_CA_CERTS adds a certificate authority to the service', async (t) => {
  const receiver = await startReceiver(t, '/hook', RECEIVER);
  const env = { CELLWIRE_LOG_LEVEL: 'silent', NODE_EXTRA_CA_CERTS: readFixture('receiver.cert') };
  const { cellwire, document: id, token } = await createNotifyingInstallation(t, {}, env);
  const service = await cellwire.serve();
  t.after(() => service.end('SIGTERM'));
  const book = new Api(service.address, token, id);
  const { body } = await book.post('/webhooks', { url: receiver.url });
  await book.put('A1', [[1]]);
  const [request] = await receiver.waitForRequests(1);
  assert.ok(request && hasServiceSignature(request, String(body['secret'])));
});
