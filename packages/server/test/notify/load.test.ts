import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { send } from '../http/send.ts';
import { Api, startWorld } from '../http/support.ts';
import { type Received, type Receiver, startReceiver } from './receiver.ts';
import { items } from './support.ts';

const CHILD = fileURLToPath(new URL('./load-child.ts', import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** A small part of what `npm run bench -- notify` loads, in a few seconds. */
const load = {
  documents: 10,
  subscriptionsEach: 10,
  writesPerSecond: 60,
  seconds: 4,
  settings: { quietMs: 200, maxWaitMs: 1_000, timeoutMs: 2_000 },
};

interface Setting {
  readonly books: readonly Api[];
  readonly receiver: Receiver;
  memory(): Promise<number>;
}

/** Every tenth subscription’s receiver takes the request and never answers. */
function isDead(path: string): boolean {
  return path.endsWith('0');
}

async function setUp(t: TestContext): Promise<Setting> {
  const notifications = { ...load.settings, allowPrivateNetworks: true };
  const world = await startWorld({ notifications });
  const receiver = await startReceiver(t, '/');
  receiver.behaviour = (response, request) => {
    if (!isDead(request.url ?? '')) response.writeHead(200).end();
  };
  const books: Api[] = [];
  for (let i = 0; i < load.documents; i++) books.push(await world.book());
  for (const [i, book] of books.entries()) {
    for (let j = 0; j < load.subscriptionsEach; j++) {
      const { status } = await book.post('/webhooks', { url: `${receiver.url}${i * load.subscriptionsEach + j}` });
      assert.equal(status, 200);
    }
  }
  const { config } = world.server.service.context;
  const file = join(config.dataFolder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  await world.server.close();
  const child = spawn(process.execPath, [...process.execArgv, CHILD, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  t.after(async () => {
    child.stdin.end();
    await exit;
    await world.close();
  });
  const lines = createInterface({ input: child.stdout });
  const [address] = (await once(lines, 'line')) as [string];
  return {
    books: books.map(({ token, document }) => new Api(address, token, document)),
    receiver,
    memory: async () => {
      const { text } = await send(`${address}/metrics`);
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    },
  };
}

/** Writes at a steady rate, each document in its turn; resolves with the slowest answer in milliseconds. */
async function writeSteadily(books: readonly Api[], seconds: number): Promise<number> {
  const begun = performance.now();
  const writes: Promise<number>[] = [];
  const total = seconds * load.writesPerSecond;
  while (writes.length < total) {
    const due = Math.min(total, ((performance.now() - begun) / 1000) * load.writesPerSecond);
    while (writes.length < due) writes.push(writeOnce(books[writes.length % books.length] as Api, writes.length));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Math.max(...(await Promise.all(writes)));
}

async function writeOnce(book: Api, count: number): Promise<number> {
  const begun = performance.now();
  const { status } = await book.put(`A${(count % 50) + 1}`, [[count, `text ${count}`, '=A1+1']]);
  assert.equal(status, 200);
  return performance.now() - begun;
}

/** When each revision was made. */
async function timesOf(book: Api): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>();
  for (let since = 0, more = true; more; ) {
    const { body } = await book.here('GET', `/changes?since=${since}&limit=500`);
    for (const entry of items(body['changes']['entries'])) {
      times.set(Number(entry['revision']), Date.parse(String(entry['changedAt'])));
    }
    since = Number(body['changes']['next']);
    more = Boolean(body['changes']['hasMore']);
  }
  return times;
}

/** How long after its window's end a notification came, in milliseconds. */
function delayOf({ body, at }: Received, times: ReadonlyMap<number, number>): number {
  const { quietMs, maxWaitMs } = load.settings;
  const first = times.get(Number(body['revision']['from'])) ?? Number.NaN;
  const last = times.get(Number(body['revision']['to'])) ?? Number.NaN;
  return at - Math.min(last + quietMs, first + maxWaitMs);
}

test(`${load.documents * load.subscriptionsEach} subscriptions, a tenth of the receivers dead`, async (t) => {
  const { books, receiver, memory } = await setUp(t);
  await writeSteadily(books, load.seconds / 4);
  const before = await memory();
  const slowest = await writeSteadily(books, (load.seconds * 3) / 4);
  const after = await memory();
  const live = () => receiver.received.filter(({ path }) => !isDead(path));
  const newest = new Map<string, number>();
  for (const book of books) newest.set(book.document, Number(await book.revision()));
  const liveEach = load.subscriptionsEach - 1;
  const complete = () =>
    live().filter(({ body }) => newest.get(String(body['documentId'])) === Number(body['revision']['to'])).length;
  while (complete() < books.length * liveEach) await once(receiver.progress, 'tick');
  const delays: number[] = [];
  for (const book of books) {
    const times = await timesOf(book);
    for (const request of live()) {
      if ((request.body['documentId'] as unknown) === book.document) delays.push(delayOf(request, times));
    }
  }
  assert.ok(delays.every(Number.isFinite), 'every notification is about revisions that there are');
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor((delays.length - 1) * share)] as number;
  t.diagnostic(`${delays.length} notifications: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, slowest ${at(1)} ms`);
  t.diagnostic(`slowest write ${Math.round(slowest)} ms; memory ${toMib(before)} → ${toMib(after)} MiB`);
  // A receiver that the machine kept from answering in time is asked again: that is another attempt.
  const attempts = live().map(({ body }) => `${body['deliveryId']} ${body['attempt']}`);
  assert.equal(new Set(attempts).size, attempts.length, 'no attempt is made twice');
});

function toMib(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
