import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sendHttp } from '../http/send.ts';
import { Api, memberAt, startWorld } from '../http/support.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from './receiver.ts';
import { toElements } from './support.ts';

const CHILD = fileURLToPath(new URL('./load-child.ts', import.meta.url));
const MEBIBYTE = 1024 * 1024;

/** A short, small version of `npm run bench -- notify`. */
const load = {
  documents: 10,
  subscriptionsPerBook: 10,
  writesPerSecond: 60,
  seconds: 4,
  // The timeout is long: after an attempt that a busy machine aborts, the next but one comes minutes later.
  settings: { quietMs: 200, maxWaitMs: 1_000, timeoutMs: 10_000 },
};

interface LoadSetup {
  readonly books: readonly Api[];
  readonly receiver: Receiver;
  readMemory(): Promise<number>;
}

/** True for the receiver of every tenth subscription, which accepts requests and never responds. */
function isDead(path: string): boolean {
  return path.endsWith('0');
}

async function setUp(t: TestContext): Promise<LoadSetup> {
  const notifications = { ...load.settings, allowPrivateNetworks: true };
  const world = await startWorld({ notifications });
  const receiver = await startReceiver(t, '/');
  receiver.behaviour = (response, request) => {
    if (!isDead(request.url ?? '')) response.writeHead(200).end();
  };
  const books: Api[] = [];
  for (let i = 0; i < load.documents; i++) books.push(await world.createBook());
  for (const [i, book] of books.entries()) {
    for (let j = 0; j < load.subscriptionsPerBook; j++) {
      const { status } = await book.post('/webhooks', { url: `${receiver.url}${i * load.subscriptionsPerBook + j}` });
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
    readMemory: async () => {
      const { text } = await sendHttp(`${address}/metrics`);
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
    },
  };
}

/** Writes at a steady rate, to each document in turn; returns the slowest response time in milliseconds. */
async function writeSteadily(books: readonly Api[], seconds: number): Promise<number> {
  const start = performance.now();
  const writes: Promise<number>[] = [];
  const total = seconds * load.writesPerSecond;
  while (writes.length < total) {
    const scheduled = Math.min(total, ((performance.now() - start) / 1000) * load.writesPerSecond);
    while (writes.length < scheduled) writes.push(writeOnce(books[writes.length % books.length] as Api, writes.length));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Math.max(...(await Promise.all(writes)));
}

async function writeOnce(book: Api, count: number): Promise<number> {
  const start = performance.now();
  const { status } = await book.put(`A${(count % 50) + 1}`, [[count, `text ${count}`, '=A1+1']]);
  assert.equal(status, 200);
  return performance.now() - start;
}

/** Reads the time of each revision. */
async function readRevisionTimes(book: Api): Promise<ReadonlyMap<number, number>> {
  const times = new Map<number, number>();
  for (let since = 0, more = true; more; ) {
    const { body } = await book.requestInDocument('GET', `/changes?since=${since}&limit=500`);
    for (const entry of toElements(memberAt(body, 'changes')['entries'])) {
      times.set(Number(entry['revision']), Date.parse(String(entry['changedAt'])));
    }
    since = Number(memberAt(body, 'changes')['next']);
    more = Boolean(memberAt(body, 'changes')['hasMore']);
  }
  return times;
}

/** Delay of a notification after the end of its window, in milliseconds. */
function computeDelay({ body, at: quantile }: ReceivedRequest, times: ReadonlyMap<number, number>): number {
  const { quietMs, maxWaitMs } = load.settings;
  const first = times.get(Number(memberAt(body, 'revision')['from'])) ?? Number.NaN;
  const last = times.get(Number(memberAt(body, 'revision')['to'])) ?? Number.NaN;
  return quantile - Math.min(last + quietMs, first + maxWaitMs);
}

test(`${load.documents * load.subscriptionsPerBook} subscriptions with a tenth of dead receivers are notified once per attempt`, async (t) => {
  const { books, receiver, readMemory: memory } = await setUp(t);
  await writeSteadily(books, load.seconds / 4);
  const before = await memory();
  const slowest = await writeSteadily(books, (load.seconds * 3) / 4);
  const after = await memory();
  const listLiveRequests = () => receiver.received.filter(({ path }) => !isDead(path));
  const newest = new Map<string, number>();
  for (const book of books) newest.set(book.document, Number(await book.revision()));
  const liveEach = load.subscriptionsPerBook - 1;
  const completeCount = () =>
    listLiveRequests().filter(
      ({ body }) => newest.get(String(body['documentId'])) === Number(memberAt(body, 'revision')['to']),
    ).length;
  while (completeCount() < books.length * liveEach) await once(receiver.progress, 'tick');
  const delays: number[] = [];
  for (const book of books) {
    const times = await readRevisionTimes(book);
    for (const request of listLiveRequests()) {
      if ((request.body['documentId'] as unknown) === book.document) delays.push(computeDelay(request, times));
    }
  }
  assert.ok(delays.every(Number.isFinite), 'every notification is about revisions that there are');
  delays.sort((a, b) => a - b);
  const findQuantile = (share: number) => delays[Math.floor((delays.length - 1) * share)] as number;
  t.diagnostic(
    `${delays.length} notifications: median ${findQuantile(0.5)} ms, 99 % ${findQuantile(0.99)} ms, slowest ${findQuantile(1)} ms`,
  );
  t.diagnostic(`slowest write ${Math.round(slowest)} ms; memory ${toMib(before)} → ${toMib(after)} MiB`);
  // A receiver that responds too late gets the next attempt, which has another number.
  const attempts = listLiveRequests().map(({ body }) => `${body['deliveryId']} ${body['attempt']}`);
  assert.equal(new Set(attempts).size, attempts.length, 'no attempt is made twice');
});

function toMib(bytes: number): number {
  return Math.round(bytes / MEBIBYTE);
}
