import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { send } from '../http/send.ts';
import { type Api, type Json, type Settings, startWorld, type World } from '../http/support.ts';
import { type Identity, type Received, type Receiver, startReceiver } from './receiver.ts';

/**
 * Short enough for tests, long enough that requests which belong together come together, and that a busy machine makes no
 * time-outs of its own. Where a receiver never answers: `HASTY`.
 */
export const QUICK = {
  quietMs: 60,
  maxWaitMs: 1_000,
  retryDelaysMs: [20, 20, 20, 20],
  retryJitter: 0,
  timeoutMs: 300_000,
  allowPrivateNetworks: true,
};

/** For receivers that never answer, and for attempts that nobody ends any more. */
export const HASTY = { ...QUICK, timeoutMs: 1_000 };

/** For deliveries that must come in the end: a machine that makes time-outs of its own has done with that by the last. */
export const STUBBORN_DELAYS_MS = [20, 20, 1_000, 10_000];

export async function startNotifying(
  test: TestContext,
  settings: Settings['notifications'] = {},
  around: Pick<Settings, 'oneNode'> = {},
): Promise<World> {
  const world = await startWorld({ notifications: { ...QUICK, ...settings }, ...around });
  test.after(() => world.close());
  return world;
}

export interface Subscribed {
  readonly receiver: Receiver;
  readonly book: Api;
  readonly webhook: number;
  readonly secret: string;
}

/** A document with a receiver that listens to it. */
export async function subscribe(
  test: TestContext,
  world: World,
  book?: Api,
  path?: string,
  identity?: Identity,
): Promise<Subscribed> {
  const receiver = await startReceiver(test, path, identity);
  const api = book ?? (await world.book());
  const { status, body } = await api.post('/webhooks', { url: receiver.url });
  if (status !== 200) throw new Error(`not subscribed: ${status} ${JSON.stringify(body)}`);
  return { receiver, book: api, webhook: Number(body['webhook']['id']), secret: String(body['secret']) };
}

export async function deliveries({ book }: Pick<Subscribed, 'book'>, webhook: number, query = ''): Promise<Json> {
  const answer = await book.here('GET', `/webhooks/${webhook}/deliveries${query}`);
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body['deliveries'];
}

/** Asks until the newest delivery of a subscription is in one of the states; the delivery. */
export function untilState(subscribed: Subscribed, ...states: readonly string[]): Promise<Json> {
  return untilDelivery(subscribed, (delivery) => states.includes(String(delivery['state'])));
}

/** Asks until the newest delivery of a subscription waits for an attempt after its first `count`; the delivery. */
export function untilRetry(subscribed: Subscribed, count: number): Promise<Json> {
  return untilDelivery(
    subscribed,
    (delivery) => (delivery['state'] as unknown) === 'waiting' && Number(delivery['attempts']['length']) === count,
  );
}

/** Asks until something holds of the newest delivery of a subscription; the delivery. */
export async function untilDelivery(subscribed: Subscribed, holds: (delivery: Json) => boolean): Promise<Json> {
  for (;;) {
    const newest = (await deliveries(subscribed, subscribed.webhook))['entries'][0];
    if (newest !== undefined && holds(newest)) return newest;
    await once(subscribed.receiver.progress, 'tick');
  }
}

/** Asks until a figure of `/metrics` is this. What is stored may be seen a little before the process counts it. */
export async function untilMetric(world: World, { progress }: Receiver, name: string, value: number): Promise<void> {
  while ((await metric(world, name)) !== value) await once(progress, 'tick');
}

/** A figure as `/metrics` shows it, by its name and labels; not a number where it is not there. */
export async function metric(world: World, name: string): Promise<number> {
  const { text } = await send(`${world.server.address}/metrics`);
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? Number.NaN);
}

/** The members of a JSON array. */
export function items(json: Json | undefined): readonly Json[] {
  return json as unknown as readonly Json[];
}

/** The contract's signature, worked out independently of the code under test. */
export function hasServiceSignature({ headers, raw }: Received, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const given = Buffer.from(String(headers['x-service-signature']));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** How many of the Standard Webhooks signatures a secret made. */
export function standardSignatures({ headers, raw }: Received, secret: string): number {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = Buffer.concat([Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`), raw]);
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one === expected).length;
}
