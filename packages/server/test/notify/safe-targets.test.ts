import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { startServer } from '../../src/compose/server.ts';
import { createRealClock } from '../../src/notify/clock.ts';
import { createHttpSender } from '../../src/notify/http-sender.ts';
import { BlockedAddress, createGuardedLookup } from '../../src/notify/lookup.ts';
import type { ReceiverAnswer } from '../../src/notify/outcome.ts';
import { createNetworks } from '../../src/service/networks.ts';
import { Api, memberAt, startWorld } from '../http/support.ts';
import { startReceiver } from './receiver.ts';
import { QUICK, subscribe, waitForState } from './support.ts';

const clock = createRealClock(Date.now);
const neverAborted = new AbortController().signal;

function post(url: string): Promise<ReceiverAnswer> {
  const networks = createNetworks(false);
  const sender = createHttpSender({ clock, lookup: createGuardedLookup(networks), allowsHost: networks.allowsHost });
  const outgoing = { url: new URL(url), headers: {}, body: Buffer.from('{}') };
  return sender.send(outgoing, QUICK.timeoutMs, neverAborted).finally(() => sender.close());
}

/** URLs of this machine and of private networks, after parsing with `URL`. */
const PRIVATE_URLS = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://0x7f.1/',
  'http://127.1/',
  'http://0/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[::10.0.0.1]/',
  'http://[64:ff9b:1::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:1::]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://169.254.169.254/',
  'http://100.64.0.1/',
  'http://0.0.0.0/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://127.0.0.1%2f@localhost/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://any.localhost/',
];
for (const url of PRIVATE_URLS) {
  test(`${url} is not connected to`, async () => {
    assert.equal((await post(url)).kind, 'blocked');
  });
}

/** A name server that resolves every name to the given addresses. */
function resolveAllTo(...addresses: readonly string[]) {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

const RESOLUTION_CASES: readonly (readonly [
  readonly string[],
  boolean | readonly string[],
  readonly string[] | null,
])[] = [
  [['127.0.0.1'], false, null],
  [['::ffff:10.0.0.1'], false, null],
  [['64:ff9b::a00:1'], false, null],
  [['::ffff:0:a00:1'], false, null],
  [['::ffff:0:a00:1'], ['10.0.0.0/8'], ['::ffff:0:a00:1']],
  [['fe80::1%eth0'], false, null],
  [['93.184.216.34'], false, ['93.184.216.34']],
  [['10.0.0.1', '93.184.216.34'], false, ['93.184.216.34']],
  [['10.0.0.1'], ['10.0.0.0/8'], ['10.0.0.1']],
  [['10.0.0.1', '192.168.0.1'], ['10.0.0.0/8'], ['10.0.0.1']],
  [['192.168.0.1'], true, ['192.168.0.1']],
];
for (const [addresses, allow, expected] of RESOLUTION_CASES) {
  test(`a name with ${addresses.join(' and ')}, allowed ${allow}: ${expected ?? 'nothing'}`, async () => {
    const guardedLookup = createGuardedLookup(createNetworks(allow), resolveAllTo(...addresses));
    const result = await new Promise((resolve) => {
      guardedLookup('receiver.example', { all: true }, (error, list) => resolve(error ?? list));
    });
    if (expected === null) assert.ok(result instanceof BlockedAddress);
    else
      assert.deepEqual(
        (result as { address: string }[]).map(({ address }) => address),
        expected,
      );
  });
}

test('a name that resolves to a private address at the second lookup is blocked', async (t) => {
  const receiver = await startReceiver(t);
  const port = new URL(receiver.url).port;
  let lookups = 0;
  const resolveToNewAddress = async () => {
    lookups++;
    return lookups === 1 ? resolveAllTo('93.184.216.34')() : resolveAllTo('127.0.0.1')();
  };
  const networks = createNetworks(false);
  const guardedLookup = createGuardedLookup(networks, resolveToNewAddress);
  await new Promise((resolve) => guardedLookup('rebind.example', { all: true }, resolve));
  const sender = createHttpSender({ clock, lookup: guardedLookup, allowsHost: networks.allowsHost });
  const url = new URL(`http://rebind.example:${port}/`);
  const answer = await sender.send({ url, headers: {}, body: Buffer.from('{}') }, QUICK.timeoutMs, neverAborted);
  sender.close();
  assert.deepEqual([answer.kind, receiver.received.length], ['blocked', 0]);
});

test('a subscription created under laxer settings is refused at the connection', async (t) => {
  const world = await startWorld({ notifications: QUICK });
  const subscription = await subscribe(t, world);
  const { config } = world.server.service.context;
  await world.server.close();
  const notifications = { ...config.notifications, allowPrivateNetworks: false };
  const stricter = await startServer({ ...config, notifications });
  t.after(() => stricter.close().then(() => rm(config.dataFolder, { recursive: true, force: true })));
  const book = new Api(stricter.address, subscription.book.token, subscription.book.document);
  await book.put('A1', [[1]]);
  const delivery = await waitForState({ ...subscription, book }, 'refused');
  assert.match(String(memberAt(delivery, 'attempts')[0]?.['error']), /may not be sent/);
  assert.equal(subscription.receiver.received.length, 0);
});
