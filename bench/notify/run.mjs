import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Installation, OWNER } from '../http/service.mjs';
import { describeMachine } from '../lib/machine.mjs';
import { computePercentile } from '../lib/stats.mjs';
import { printReport, writeDocument } from './report.mjs';

/**
 * Measures the service as an operator runs it: subscriptions on many documents, writes at a steady rate over HTTP, and
 * receivers in their own process, all on one host, a tenth of them dead. The delay of a notification is the time from
 * the end of its window (`WINDOW`, by the times of the commits) to its arrival. Every signature is verified. The load
 * shares the machine. `SETTINGS` removes the limit of requests per second, allows receivers in a private network, and
 * sets the window to its default values. All other settings are the defaults.
 */
const DOCUMENTS = 100;
const SUBSCRIPTIONS_EACH = 10;
const LIVE_EACH = 9;
const WRITES_PER_SECOND = 200;
/** Settings of the notification window, in milliseconds. */
const WINDOW = { quietMs: 2_000, maxWaitMs: 10_000 };
const SETTINGS = {
  plans: { enterprise: { requestsPerSecond: null } },
  notifications: { ...WINDOW, allowPrivateNetworks: true },
};
const SCOPES = 'sheets.read,sheets.write,sheets.webhooks';
const ROWS = 50;
const TICK_MS = 5;
const CHANGES_PAGE = 500;
/** Maximum wait for the last windows after the last write, in milliseconds. */
const PATIENCE_MS = 60_000;

const RESULTS = new URL('../results/notify.json', import.meta.url);
const DATA = fileURLToPath(new URL('../data/', import.meta.url));
const MAKE = fileURLToPath(new URL('../http/make-documents.mjs', import.meta.url));
const execute = promisify(execFile);

export async function run(args) {
  const { values: options } = parseArgs({
    args,
    options: { seconds: { type: 'string', default: '60' }, write: { type: 'boolean', default: false } },
  });
  const seconds = Number(options.seconds);
  const results = {
    machine: describeMachine(),
    figures: await withTemporaryFolder((folder) => measureNotifications(folder, seconds)),
  };
  mkdirSync(new URL('.', RESULTS), { recursive: true });
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`);
  printReport(results);
  if (options.write) writeDocument(results);
}

/** Runs work with a new folder, and removes the folder afterwards. */
async function withTemporaryFolder(work) {
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(join(DATA, 'run-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures one run: creates documents and subscriptions, writes, and waits for all notifications. */
async function measureNotifications(folder, seconds) {
  const installation = await new Installation(folder, { settings: SETTINGS, scopes: SCOPES }).setUp();
  const documents = await createDocuments(installation);
  const receivers = fork(fileURLToPath(new URL('./receivers.mjs', import.meta.url)));
  const service = await installation.start();
  const api = new Api(service.address, installation.headers);
  await createSubscriptions(api, documents, receivers);
  // Memory of compiled code and caches in the first quarter does not count as growth.
  const warm = await writeSteadily(api, documents, seconds / 4, 0);
  const usageBefore = await service.readUsage(true);
  const writes = [...warm, ...(await writeSteadily(api, documents, (seconds * 3) / 4, warm.length))];
  const busy = await service.readUsage();
  const newest = await waitUntilNotified(api, documents, receivers);
  const usageAfter = await service.readUsage(true);
  const { received, counts } = await requestFromChild(receivers, { ask: 'received' });
  const delays = await measureNotificationDelays(api, documents, received);
  receivers.disconnect();
  await service.stop();
  const revisions = [...newest.values()].reduce((sum, revision) => sum + revision, 0);
  if (revisions !== writes.length) throw new Error(`${writes.length} writes made ${revisions} revisions`);
  return {
    seconds,
    writes: summarizeTimes(writes),
    delays: summarizeTimes(delays),
    counts,
    before: usageBefore,
    busy,
    after: usageAfter,
  };
}

/** Creates the documents without HTTP. Returns their ids. */
async function createDocuments({ env }) {
  const args = [MAKE, env.CELLWIRE_DATA, OWNER, DOCUMENTS, 1, 1].map(String);
  return JSON.parse((await execute(process.execPath, args)).stdout);
}

class Api {
  constructor(address, headers) {
    this.base = `${address}/api/v1/documents`;
    this.headers = headers;
  }

  /** Sends a request to a document and returns its parsed answer. `path` begins with the id of the document. */
  async call(method, path, body) {
    const init = { method, headers: this.headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.base}/${path}`, init);
    const content = await response.json();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(content)}`);
    return content;
  }
}

/** Subscribes all receivers to the documents, and tells the receivers their secrets. */
async function createSubscriptions(api, documents, receivers) {
  const address = await requestFromChild(receivers, { ask: 'address' });
  const secrets = [];
  for (const [i, document] of documents.entries()) {
    for (let j = 0; j < SUBSCRIPTIONS_EACH; j++) {
      const number = i * SUBSCRIPTIONS_EACH + j;
      const { secret } = await api.call('POST', `${document}/webhooks`, { url: `${address}/${number}` });
      secrets.push([number, secret]);
    }
  }
  await requestFromChild(receivers, { secrets });
}

/** Sends a message to a child process and returns its answer. */
async function requestFromChild(child, message) {
  child.send(message);
  const [reply] = await once(child, 'message');
  return reply;
}

/** Writes at a steady rate to the documents in turns, and returns the time of each write in milliseconds. */
async function writeSteadily(api, documents, seconds, from) {
  const startMs = performance.now();
  const writes = [];
  const total = seconds * WRITES_PER_SECOND;
  while (writes.length < total) {
    const due = Math.min(total, ((performance.now() - startMs) / 1000) * WRITES_PER_SECOND);
    while (writes.length < due) writes.push(writeOnce(api, documents, from + writes.length));
    await pause(TICK_MS);
  }
  return Promise.all(writes);
}

/** Writes one row to the document whose turn it is. `count`: number of the write. Returns its time in milliseconds. */
async function writeOnce(api, documents, count) {
  const startMs = performance.now();
  const range = `A${(count % ROWS) + 1}`;
  const values = [[count, `text ${count}`, '=A1+1']];
  await api.call('PUT', `${documents[count % documents.length]}/values/${range}`, { values });
  return performance.now() - startMs;
}

/** Waits until every live receiver was notified of the newest revision of its document, and returns these revisions. */
async function waitUntilNotified(api, documents, receivers) {
  const newest = new Map();
  for (const document of documents) {
    newest.set(document, Number((await api.call('GET', document)).document.revisionId));
  }
  const giveUp = performance.now() + PATIENCE_MS;
  for (;;) {
    const progress = new Map(await requestFromChild(receivers, { ask: 'progress' }));
    const unnotified = documents.filter((document) => {
      const delivery = progress.get(document);
      return delivery === undefined || delivery.revision !== newest.get(document) || delivery.notified < LIVE_EACH;
    });
    if (unnotified.length === 0) return newest;
    if (performance.now() > giveUp)
      throw new Error(`${unnotified.length} documents have receivers without their newest revision`);
    await pause(50 * TICK_MS);
  }
}

/** The delay of each notification after the end of its window, in milliseconds. */
async function measureNotificationDelays(api, documents, received) {
  const times = new Map();
  for (const document of documents) times.set(document, await readCommitTimes(api, document));
  return received.map(([document, from, to, at]) => {
    const commitTimes = times.get(document);
    return at - Math.min(commitTimes.get(to) + WINDOW.quietMs, commitTimes.get(from) + WINDOW.maxWaitMs);
  });
}

/** Returns the time of each commit of a document by revision, in milliseconds since 1970-01-01 UTC. */
async function readCommitTimes(api, document) {
  const times = new Map();
  for (let since = 0, hasMore = true; hasMore; ) {
    const { changes } = await api.call('GET', `${document}/changes?since=${since}&limit=${CHANGES_PAGE}`);
    for (const { revision, changedAt } of changes.entries) times.set(revision, Date.parse(changedAt));
    since = changes.next;
    hasMore = changes.hasMore;
  }
  return times;
}

/** Returns count, median, 99th percentile and maximum of times in milliseconds. */
function summarizeTimes(numbers) {
  const findQuantile = (share) => computePercentile(numbers, share);
  return { count: numbers.length, median: findQuantile(0.5), p99: findQuantile(0.99), most: findQuantile(1) };
}
