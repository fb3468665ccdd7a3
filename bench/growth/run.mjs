// node bench/growth/run.mjs [--scale 0.01,0.1,1]
//
// Cost of lists and maintenance by the size of the installation. At each scale (1: 100,000 documents, 1,000,000 audit
// entries, 300,000 revisions, 1,000,000 deliveries) each request is sent seven times. The table shows the median in
// milliseconds, and the longest time of /healthz during the requests. SQL creates the rows; the service is a separate
// process on the embedded database.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readStat } from '../lib/processes.mjs';
import { median } from '../lib/stats.mjs';

const ROOT = new URL('../../', import.meta.url);
const NODE = fileURLToPath(new URL('node_modules/node/bin/node', ROOT));
const COMMAND = fileURLToPath(new URL('packages/server/bin/cellwire.mjs', ROOT));
const Database = createRequire(new URL('packages/server/package.json', ROOT))('better-sqlite3');

/** Running services. */
const services = new Set();
const RUNS = 7;
const REQUEST_MS = 30_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const FULL = { documents: 100_000, entries: 1_000_000, revisions: 300_000, deliveries: 1_000_000 };
const SETTINGS = {
  plans: { enterprise: { requestsPerSecond: null } },
  history: { retentionDays: 3650, maxRevisions: 10_000_000 },
};

const scales = (process.argv.includes('--scale') ? process.argv[process.argv.indexOf('--scale') + 1] : '0.01,0.1,1')
  .split(',')
  .map(Number);
for (const scale of scales) await measureScale(scale);

async function measureScale(scale) {
  const folder = mkdtempSync(join(tmpdir(), 'growth-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(SETTINGS));
  const env = { ...process.env, CELLWIRE_DATA: join(folder, 'data'), CELLWIRE_CONFIG: config, CELLWIRE_PORT: '0' };
  try {
    const first = await startService(env);
    const { token } = first;
    const document = (await (await sendRequest(first, token, '/documents')).json()).documents[0].id;
    const otherUser = await runCommand(env, ['user', 'create', '--email', 'other@example.org', '--name', 'Other']);
    const limitedToken = await runCommand(env, [
      ...['token', 'create', '--user', '1', '--name', 'limited', '--scopes', 'sheets.read', '--documents', document],
    ]);
    const theirs = await runCommand(env, ['document', 'create', '--owner', String(otherUser.id), '--title', 'Theirs']);
    const stranger = await runCommand(env, [
      ...[
        'token',
        'create',
        '--user',
        String(otherUser.id),
        '--name',
        'theirs',
        '--scopes',
        'sheets.read,sheets.write',
      ],
    ]);
    await writeRevisions(first, token, document, scaleCount(scale).revisions);
    await stopService(first);
    growDocument(join(folder, 'data', 'cellwire.db'), document, otherUser.id, scale);
    const server = await startService(env);
    await waitUntilIdle(server, token, document);
    const at = `/documents/${document}`;
    const { entries, revisions, deliveries } = scaleCount(scale);
    const requests = {
      'all documents': '/documents',
      'a page of 50 documents': '/documents?limit=50',
      'permission=view, none': '/documents?permission=view',
      'a limited token': '/documents',
      'audit, first page': `${at}/audit`,
      'audit, last page': `${at}/audit?offset=${entries - 50}`,
      'revisions, first page': `${at}/revisions`,
      'revisions, last page': `${at}/revisions?offset=${revisions - 50}`,
      'deliveries, first page': `${at}/webhooks/1/deliveries`,
      'deliveries, middle page': `${at}/webhooks/1/deliveries?offset=${deliveries / 2}`,
      'deliveries, last page': `${at}/webhooks/1/deliveries?offset=${deliveries - 50}`,
      'deliveries by state': `${at}/webhooks/1/deliveries?state=exhausted`,
      'deliveries by revision': `${at}/webhooks/1/deliveries?revision=${Math.round(revisions / 2)}`,
    };
    console.log(`\nscale ${scale}: ${JSON.stringify(scaleCount(scale))}`);
    for (const [name, path] of Object.entries(requests)) {
      const by = name === 'a limited token' ? limitedToken.token : token;
      console.log(name.padEnd(28), await measureRequest(server, by, path));
    }
    const { headers } = await sendRequest(server, token, '/documents');
    const notModified = { headers: { 'if-none-match': headers.get('etag') }, status: 304 };
    console.log('all documents, 304'.padEnd(28), await measureRequest(server, token, '/documents', notModified));
    const writeOptions = {
      ...notModified,
      between: () => sendRequest(server, stranger.token, `/documents/${theirs.id}/values/A1`, [[1]]),
    };
    console.log('304, others write'.padEnd(28), await measureRequest(server, token, '/documents', writeOptions));
    await stopService(server);
  } finally {
    for (const child of services) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function scaleCount(scale) {
  return Object.fromEntries(Object.entries(FULL).map(([name, count]) => [name, Math.round(count * scale)]));
}

/** The median time of requests, and the longest time of a health check during them, in milliseconds. */
async function measureRequest(server, token, path, { headers = {}, status = 200, between } = {}) {
  const times = [];
  let longest = 0;
  let isDone = false;
  const healthChecks = (async () => {
    while (!isDone) {
      const start = performance.now();
      await (await fetch(`${server.origin}/healthz`)).text();
      longest = Math.max(longest, performance.now() - start);
    }
  })();
  await sendRequest(server, token, path).then((answer) => answer.arrayBuffer());
  for (let run = 0; run < RUNS; run++) {
    await (await between?.())?.arrayBuffer();
    const start = performance.now();
    const response = await sendRequest(server, token, path, undefined, headers);
    await response.arrayBuffer();
    if (response.status !== status) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - start);
  }
  isDone = true;
  await healthChecks;
  return `${median(times).toFixed(1).padStart(8)} ms   others wait ${longest.toFixed(1)} ms`;
}

/** Writes one value per revision, over many connections at once. */
async function writeRevisions(server, token, document, count) {
  let remaining = count;
  const write = async () => {
    while (remaining > 0) {
      remaining -= 1;
      await (await sendRequest(server, token, `/documents/${document}/values/Z1`, [[remaining]])).text();
    }
  };
  await Promise.all(Array.from({ length: 64 }, write));
}

/** Sends a GET, or a PUT of values. */
function sendRequest({ origin }, token, path, values, headers = {}) {
  return fetch(`${origin}/api/v1${path}`, {
    ...(values === undefined ? {} : { method: 'PUT', body: JSON.stringify({ values }) }),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(REQUEST_MS),
  });
}

/** Waits until maintenance has checked everything once. */
async function waitUntilIdle(server, token, document) {
  await (await sendRequest(server, token, `/documents/${document}/values/A1`)).text();
  let idle = 0;
  for (let { cpuMs } = readStat(server.pid); idle < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const current = readStat(server.pid);
    idle = current.cpuMs - cpuMs < 50 ? idle + 1 : 0;
    cpuMs = current.cpuMs;
  }
}

function growDocument(file, document, otherUser, scale) {
  const { documents, entries, revisions, deliveries } = scaleCount(scale);
  const db = new Database(file);
  const nowMs = Date.now();
  const count = (n) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${n})`;
  db.exec('pragma synchronous = off');
  db.exec('begin');
  const id = "printf('%08x-0000-4000-8000-%012x', i, i)";
  db.exec(`${count(documents)} insert into documents (id, owner_id, title, type, format, locale, date_system, time_zone,
      revision, head, calculated_at, created_at, updated_at, committed_at)
    select ${id}, 1, 'Document ' || i, 'table', 'collaborative', 'en-US', '1899-12-30', 'UTC', 1, ${id}, ${nowMs}, ${nowMs},
      ${nowMs} - i, ${nowMs} from n`);
  db.exec(`${count(Math.round(documents / 10))} insert into documents (id, owner_id, title, type, format, locale,
      date_system, time_zone, revision, head, calculated_at, created_at, updated_at, committed_at)
    select printf('f%07x-0000-4000-8000-%012x', i, i), ${otherUser}, 'Other ' || i, 'table', 'collaborative', 'en-US',
      '1899-12-30', 'UTC', 1, ${id}, ${nowMs}, ${nowMs}, ${nowMs} - i, ${nowMs} from n`);
  const { audited } = db.prepare('select * from documents where id = ?').get(document);
  const api = db.prepare('select max(api_number) as last from audit where document_id = ?').get(document).last ?? 0;
  db.exec(`${count(entries)} insert into audit (document_id, id, action, origin, user_id, user_name, token_id, token_name,
      range, cells, at, api_number)
    select '${document}', ${audited} + i, 'update', 'api', 1, 'Owner', 1, 'token ' || (i % 20), 'Sheet1!A' || i, 1,
      ${nowMs} - ${DAY_MS} + i, ${api} + i from n`);
  db.exec(
    `update documents set audited = audited + ${entries}, api_audited = ${api} + ${entries} where id = '${document}'`,
  );
  db.prepare(`insert into webhooks (document_id, channel, url, events, active, user_id, created_at)
    values (?, 'http', 'http://127.0.0.1:9/', '["document.updated"]', 0, 1, ?)`).run(document, nowMs);
  db.exec(`${count(deliveries)} insert into notifications (document_id, id, kind, from_revision, to_revision, authors,
      sheets, created_at)
    select '${document}', ${id}, 'change', i * ${revisions / deliveries}, i * ${revisions / deliveries} + 1, '[]', '[]',
      ${nowMs} - ${DAY_MS} + i from n`);
  db.exec(`${count(deliveries)} insert into deliveries (document_id, id, webhook_id, notification_id, state, attempts, round,
      set_at, hidden, log, created_at, finished_at)
    select '${document}', ${id}, 1, ${id}, case i % 10 when 0 then 'exhausted' else 'delivered' end, 1, 1, ${nowMs}, '[]',
      '[]', ${nowMs} - ${DAY_MS} + i, ${nowMs} - ${DAY_MS} + i from n`);
  db.exec('commit');
  db.close();
}

function startService(env) {
  const child = spawn(NODE, [COMMAND, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  services.add(child);
  return new Promise((resolve, reject) => {
    let token;
    child.once('exit', () => reject(new Error('the service ended')));
    createInterface(child.stdout).on('line', (line) => {
      token ??= /\b(cw_\w+)/.exec(line)?.[1];
      const [, origin] = /^listening on (\S+)/.exec(line) ?? [];
      if (origin !== undefined) resolve({ origin, token, pid: child.pid, child });
    });
  });
}

function stopService({ child }) {
  child.removeAllListeners('exit');
  services.delete(child);
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return exit;
}

async function runCommand(env, words) {
  const child = spawn(NODE, [COMMAND, ...words, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const part of child.stdout) text += part;
  return JSON.parse(text);
}
