import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { sendHttp } from '../http/send.ts';
import { type Api, type Json, memberAt, startWorld, type World, type WorldSettings } from '../http/support.ts';
import { type ReceivedRequest, type Receiver, startReceiver, type TlsIdentity } from './receiver.ts';

/**
 * Short enough for tests, but long enough that related requests share a window and that a busy machine does not time
 * out. Use `SHORT_TIMEOUT` for receivers that never respond.
 */
export const QUICK = {
  quietMs: 60,
  maxWaitMs: 1_000,
  retryDelaysMs: [20, 20, 20, 20],
  retryJitter: 0,
  timeoutMs: 300_000,
  allowPrivateNetworks: true,
};

/** Settings for receivers that never respond, and for aborted attempts. */
export const SHORT_TIMEOUT = { ...QUICK, timeoutMs: 1_000 };

/** Retry delays for deliveries that must succeed in the end: a busy machine has recovered by the last retry. */
export const LATE_RETRY_DELAYS_MS = [20, 20, 1_000, 10_000];

export async function startNotifying(
  test: TestContext,
  settings: WorldSettings['notifications'] = {},
  options: Pick<WorldSettings, 'oneNode'> = {},
): Promise<World> {
  const world = await startWorld({ notifications: { ...QUICK, ...settings }, ...options });
  test.after(() => world.close());
  return world;
}

export interface TestSubscription {
  readonly receiver: Receiver;
  readonly book: Api;
  readonly webhook: number;
  readonly secret: string;
}

/** A document with a subscribed receiver. */
export async function subscribe(
  test: TestContext,
  world: World,
  book?: Api,
  path?: string,
  identity?: TlsIdentity,
): Promise<TestSubscription> {
  const receiver = await startReceiver(test, path, identity);
  const api = book ?? (await world.createBook());
  const { status, body } = await api.post('/webhooks', { url: receiver.url });
  if (status !== 200) throw new Error(`not subscribed: ${status} ${JSON.stringify(body)}`);
  return { receiver, book: api, webhook: Number(memberAt(body, 'webhook', 'id')), secret: String(body['secret']) };
}

export async function listDeliveries(
  { book }: Pick<TestSubscription, 'book'>,
  webhook: number,
  query = '',
): Promise<Json> {
  const answer = await book.requestInDocument('GET', `/webhooks/${webhook}/deliveries${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return memberAt(answer.body, 'deliveries');
}

/** Polls until the newest delivery of a subscription is in one of the states; returns the delivery. */
export function waitForState(subscription: TestSubscription, ...states: readonly string[]): Promise<Json> {
  return waitForDelivery(subscription, (delivery) => states.includes(String(delivery['state'])));
}

/** Polls until the newest delivery of a subscription waits for a retry after `count` attempts; returns the delivery. */
export function waitForRetry(subscription: TestSubscription, count: number): Promise<Json> {
  return waitForDelivery(
    subscription,
    (delivery) =>
      (delivery['state'] as unknown) === 'waiting' && Number(memberAt(delivery, 'attempts', 'length')) === count,
  );
}

/** Polls until the newest delivery of a subscription matches; returns the delivery. */
export async function waitForDelivery(
  subscription: TestSubscription,
  matches: (delivery: Json) => boolean,
): Promise<Json> {
  for (;;) {
    const newest = memberAt(await listDeliveries(subscription, subscription.webhook), 'entries')[0];
    if (newest !== undefined && matches(newest)) return newest;
    await once(subscription.receiver.progress, 'tick');
  }
}

/** Polls until a metric has the given value. The process counts an event shortly after storing it. */
export async function waitForMetric(world: World, { progress }: Receiver, name: string, value: number): Promise<void> {
  while ((await readMetric(world, name)) !== value) await once(progress, 'tick');
}

/** Reads a metric by its name and labels; NaN if it is missing. */
export async function readMetric(world: World, name: string): Promise<number> {
  const { text } = await sendHttp(`${world.server.address}/metrics`);
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? Number.NaN);
}

/** Returns the elements of a JSON array. */
export function toElements(json: Json | undefined): readonly Json[] {
  return json as unknown as readonly Json[];
}

/** Checks the signature of the contract, independent of the code under test. */
export function hasServiceSignature({ headers, raw }: ReceivedRequest, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const actual = Buffer.from(String(headers['x-service-signature']));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** The number of Standard Webhooks signatures made with a secret. */
export function countStandardSignatures({ headers, raw }: ReceivedRequest, secret: string): number {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), raw]);
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one === expected).length;
}
