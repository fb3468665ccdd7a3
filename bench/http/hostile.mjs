// Starts the service with a small heap, lets one user send cheap requests with expensive work, and prints memory and
// times.
//   node bench/http/hostile.mjs            (needs only the checkout; takes about three minutes)
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readResidentBytes } from '../lib/processes.mjs';

const ROOT = new URL('../..', import.meta.url).pathname;
const CLI = join(ROOT, 'packages/server/bin/cellwire.mjs');
const NODE = join(ROOT, 'node_modules/node/bin/node');
const HEAP_MIB = 512;
const folder = mkdtempSync(join(tmpdir(), 'cellwire-hostile-'));
const config = join(folder, 'config.json');
writeFileSync(config, JSON.stringify({ plans: { enterprise: { requestsPerSecond: null } } }));
const env = {
  ...process.env,
  CELLWIRE_DATA: join(folder, 'data'),
  CELLWIRE_CONFIG: config,
  CELLWIRE_PORT: '0',
  CELLWIRE_LOG_LEVEL: 'error',
};

/** Runs a command of the service. Returns its parsed output. */
async function runCommand(...args) {
  const child = spawn(NODE, [CLI, ...args, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part) => (text += part));
  await new Promise((done) => child.once('exit', done));
  return JSON.parse(text);
}

const service = spawn(NODE, [`--max-old-space-size=${HEAP_MIB}`, CLI, 'serve'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const base = await new Promise((resolve, reject) => {
  let text = '';
  service.stdout.on('data', (part) => {
    text += part;
    const address = /listening on (\S+)/.exec(text)?.[1];
    if (address) resolve(address);
  });
  service.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
});
let exitCode = null;
service.on('exit', (code, signal) => (exitCode = `${code} ${signal}`));

/** Resident memory of the service, in MiB. */
function measureResidentMib() {
  try {
    return readResidentBytes(service.pid) / 2 ** 20;
  } catch {
    return Number.NaN;
  }
}

/** Creates a user with a token and a document. */
async function createPerson(name) {
  const user = await runCommand('user', 'create', '--email', `${name}@example.org`, '--name', name);
  const token = await runCommand(
    'token',
    'create',
    '--user',
    String(user.id),
    '--name',
    name,
    '--scopes',
    'sheets.read,sheets.write',
  );
  const document = await runCommand('document', 'create', '--owner', String(user.id), '--title', name);
  return { token: token.token, document: document.id };
}

const hostile = await createPerson('hostile');
const otherUser = await createPerson('other');

/** Sends a request to a person's document. Returns status, time in milliseconds and body. */
async function sendRequest({ token, document }, method, path, body, headers = {}) {
  const start = performance.now();
  const response = await fetch(`${base}/api/v1/documents/${document}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, ms: performance.now() - start };
}

/** Runs another user's reads and writes at the same time, and returns the longest time of each in milliseconds. */
function measureOtherUser() {
  const worst = { read: 0, write: 0, health: 0, rss: 0 };
  let stop = false;
  const sendRepeatedly = async () => {
    while (!stop) {
      const write = await sendRequest(otherUser, 'PUT', '/values/A1', { values: [[Math.random()]] });
      const response = await sendRequest(otherUser, 'GET', '/values/A1:B2');
      const start = performance.now();
      await fetch(`${base}/healthz`);
      worst.health = Math.max(worst.health, performance.now() - start);
      if (write.status !== 200 || response.status !== 200)
        throw new Error(`others got ${write.status}, ${response.status}`);
      worst.write = Math.max(worst.write, write.ms);
      worst.read = Math.max(worst.read, response.ms);
      worst.rss = Math.max(worst.rss, measureResidentMib());
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const traffic = sendRepeatedly();
  return async () => {
    stop = true;
    await traffic;
    return worst;
  };
}

/** Returns rows in which every second cell has the value. */
const createCheckerboard = (rows, columns, value) =>
  Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) => ((r + c) % 2 === 0 ? value : null)));
const MIB = 1024 * 1024;
/** Writes a body to a range of the hostile user's document. */
const putRange = (range, body, headers) => sendRequest(hostile, 'PUT', `/values/${range}`, body, headers);
const stalledRequests = [];
/** Sends a request over a connection of its own, whose answer is never read. */
function requestWithoutReading(path) {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(
    `GET /api/v1/documents/${hostile.document}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile.token}\r\n\r\n`,
  );
  socket.pause();
  stalledRequests.push(socket);
}

const SCENARIOS = {
  'transposed columns (one of 1M cells and 16,000 empty ones)': () =>
    putRange('A1', { values: [...Array(16_000).fill([]), Array(1_000_000).fill(1)], majorDimension: 'COLUMNS' }),
  'a batch of 10,000 blocks': () =>
    sendRequest(
      hostile,
      'POST',
      '/values/batchUpdate',
      { data: Array.from({ length: 10_000 }, (_, i) => ({ range: `A${2 * i + 1}`, values: [[i]] })) },
      { 'idempotency-key': 'batch' },
    ),
  'a batch of 200,000 blocks': () =>
    sendRequest(hostile, 'POST', '/values/batchUpdate', {
      data: Array.from({ length: 200_000 }, (_, i) => ({ range: `A${i + 1}`, values: [[i]] })),
    }),
  '10 MiB of brackets': () => putRange('A1', `{"values":${'['.repeat(5 * MIB - 64)}${']'.repeat(5 * MIB - 64)}}`),
  'a checkerboard of 1M cells': () => putRange('A1', { values: createCheckerboard(1_000, 1_000, 1) }),
  'the change feed after the checkerboard': () => sendRequest(hostile, 'GET', '/changes?since=0'),
  '20,000 formulas of REPT("x";30000)': () =>
    putRange('A1', { values: Array.from({ length: 20_000 }, () => ['=REPT("x";30000)']) }),
  '4,000 formulas of REPT("x";30000)': () =>
    putRange('Z1', { values: Array.from({ length: 4_000 }, () => ['=REPT("x";30000)']) }),
  'texts for large pages': async () => {
    let reply;
    for (let i = 0; i < 10; i++)
      reply = await putRange(`AA${i * 100 + 1}`, {
        values: Array.from({ length: 100 }, () => Array(2).fill('y'.repeat(45_000))),
        valueInputOption: 'RAW',
      });
    return reply;
  },
  '400 connections that request large pages and read nothing, for 60 s': async () => {
    for (let i = 0; i < 400; i++)
      requestWithoutReading(i % 2 === 0 ? '/values/AA1:AB1000' : `/values/AA${(i % 800) + 1}:AB1000`);
    await new Promise((done) => setTimeout(done, 60_000));
    const metrics = await (await fetch(`${base}/metrics`)).text();
    const open = /^cellwire_http_connections (\d+)/m.exec(metrics)?.[1];
    for (const socket of stalledRequests) socket.destroy();
    return { status: `${open} connections are still open`, text: '', ms: Number.NaN };
  },
  '20 slow bodies of 9 MiB': async () => {
    const { hostname, port } = new URL(base);
    const sockets = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.write(
        `PUT /api/v1/documents/${hostile.document}/values/A1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hostile.token}\r\nContent-Type: application/json\r\nContent-Length: ${9 * MIB}\r\n\r\n`,
      );
      socket.write(Buffer.alloc(8 * MIB, ' '));
      return socket;
    });
    await new Promise((done) => setTimeout(done, 5_000));
    for (const socket of sockets) socket.destroy();
    return { status: 'sent', text: '', ms: Number.NaN };
  },
};

try {
  console.log(`heap ${HEAP_MIB} MiB; idle: ${measureResidentMib().toFixed(0)} MiB resident`);
  for (const [name, run] of Object.entries(SCENARIOS)) {
    const end = measureOtherUser();
    const start = performance.now();
    const response = await run().catch((error) => ({ status: String(error), text: '', ms: Number.NaN }));
    const ms = performance.now() - start;
    const worst = await end();
    const message =
      typeof response.status === 'number' && response.status >= 400 ? ` ${response.text.slice(0, 90)}` : '';
    console.log(
      `${name}: ${response.status}${message}; ${ms.toFixed(0)} ms, ${response.text.length} bytes | others ≤ read ${worst.read.toFixed(0)}, write ${worst.write.toFixed(0)}, healthz ${worst.health.toFixed(0)} ms | ${worst.rss.toFixed(0)} MiB`,
    );
    if (exitCode !== null) throw new Error(`the service ended: ${exitCode}`);
  }
} finally {
  service.kill('SIGTERM');
  await new Promise((done) => setTimeout(done, 2_000));
  service.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
